//===- Status.cpp - From diagnostics to a status --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// statusOf() turns the diagnostics that the linker left into the
/// lldcuda_status that a function of lldcuda.h returns; Link.cpp calls it.
/// There are many more kinds of diagnostics (DiagId) than of statuses: the
/// table Errors has those that a program may want to tell apart, and any other
/// error is LLDCUDA_ERROR_LINK. The first error of a list decides; warnings
/// don't count.
///
//===----------------------------------------------------------------------===//

#include "Handles.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::capi;

namespace {
struct StatusRow {
  lldcuda_status status;
  const char *name;
};
struct ErrorRow {
  DiagId id;
  lldcuda_status status;
};
} // namespace

static constexpr StatusRow Statuses[] = {
    {LLDCUDA_OK, "ok"},
    {LLDCUDA_ERROR_INVALID_ARGUMENT, "invalid-argument"},
    {LLDCUDA_ERROR_INVALID_STATE, "invalid-state"},
    {LLDCUDA_ERROR_OUT_OF_MEMORY, "out-of-memory"},
    {LLDCUDA_ERROR_INTERNAL, "internal"},
    {LLDCUDA_ERROR_OPTION, "option"},
    {LLDCUDA_ERROR_NO_ARCH, "no-arch"},
    {LLDCUDA_ERROR_UNKNOWN_ARCH, "unknown-arch"},
    {LLDCUDA_ERROR_CONFLICTING_OPTIONS, "conflicting-options"},
    {LLDCUDA_ERROR_FILE, "file"},
    {LLDCUDA_ERROR_INPUT_KIND, "input-kind"},
    {LLDCUDA_ERROR_DAMAGED_INPUT, "damaged-input"},
    {LLDCUDA_ERROR_ARCH_MISMATCH, "arch-mismatch"},
    {LLDCUDA_ERROR_INPUT_RELEASE, "input-release"},
    {LLDCUDA_ERROR_LTO_NOT_ENABLED, "lto-not-enabled"},
    {LLDCUDA_ERROR_MULTIPLE_DEFINITION, "multiple-definition"},
    {LLDCUDA_ERROR_UNDEFINED, "undefined"},
    {LLDCUDA_ERROR_PTX, "ptx"},
    {LLDCUDA_ERROR_LTO, "lto"},
    {LLDCUDA_ERROR_LINK, "link"},
};

/// All others are LLDCUDA_ERROR_LINK.
static constexpr ErrorRow Errors[] = {
    {DiagId::UnknownOption, LLDCUDA_ERROR_OPTION},
    {DiagId::InvalidValue, LLDCUDA_ERROR_OPTION},
    {DiagId::ArgumentExpected, LLDCUDA_ERROR_OPTION},
    {DiagId::StrayCharacter, LLDCUDA_ERROR_OPTION},
    {DiagId::VirtualArch, LLDCUDA_ERROR_OPTION},
    {DiagId::UnknownArch, LLDCUDA_ERROR_UNKNOWN_ARCH},
    {DiagId::ConflictingOptions, LLDCUDA_ERROR_CONFLICTING_OPTIONS},
    {DiagId::CannotOpenInput, LLDCUDA_ERROR_FILE},
    {DiagId::InputChanged, LLDCUDA_ERROR_FILE},
    {DiagId::UnknownFormat, LLDCUDA_ERROR_INPUT_KIND},
    {DiagId::BitcodeInput, LLDCUDA_ERROR_INPUT_KIND},
    {DiagId::DamagedInput, LLDCUDA_ERROR_DAMAGED_INPUT},
    {DiagId::DamagedFatbin, LLDCUDA_ERROR_DAMAGED_INPUT},
    {DiagId::DamagedArchive, LLDCUDA_ERROR_DAMAGED_INPUT},
    {DiagId::InputCutOff, LLDCUDA_ERROR_DAMAGED_INPUT},
    {DiagId::AbiMismatch, LLDCUDA_ERROR_DAMAGED_INPUT},
    {DiagId::ArchMismatch, LLDCUDA_ERROR_ARCH_MISMATCH},
    {DiagId::ArchNotFound, LLDCUDA_ERROR_ARCH_MISMATCH},
    {DiagId::AcceleratedArch, LLDCUDA_ERROR_ARCH_MISMATCH},
    {DiagId::AddressSizeMismatch, LLDCUDA_ERROR_ARCH_MISMATCH},
    {DiagId::NewerThanToolkit, LLDCUDA_ERROR_INPUT_RELEASE},
    {DiagId::NeedsRecompilation, LLDCUDA_ERROR_INPUT_RELEASE},
    {DiagId::WholeProgramToolkit, LLDCUDA_ERROR_INPUT_RELEASE},
    {DiagId::LtoNotEnabled, LLDCUDA_ERROR_LTO_NOT_ENABLED},
    {DiagId::MultipleDefinition, LLDCUDA_ERROR_MULTIPLE_DEFINITION},
    {DiagId::UndefinedReference, LLDCUDA_ERROR_UNDEFINED},
    {DiagId::NoPtxas, LLDCUDA_ERROR_PTX},
    {DiagId::CannotRunTool, LLDCUDA_ERROR_PTX},
    {DiagId::NoToolOutput, LLDCUDA_ERROR_PTX},
    {DiagId::PtxOptions, LLDCUDA_ERROR_PTX},
    {DiagId::PtxasFailed, LLDCUDA_ERROR_PTX},
    {DiagId::FatbinaryError, LLDCUDA_ERROR_PTX},
    {DiagId::JitFailed, LLDCUDA_ERROR_LTO},
    {DiagId::LtoProblem, LLDCUDA_ERROR_LTO},
    {DiagId::LtoFailed, LLDCUDA_ERROR_LTO},
    {DiagId::LtoMajor, LLDCUDA_ERROR_LTO},
    {DiagId::LtoOptionsDiffer, LLDCUDA_ERROR_LTO},
    {DiagId::OnlyLtoIR, LLDCUDA_ERROR_LTO},
    {DiagId::InternalError, LLDCUDA_ERROR_INTERNAL},
};

lldcuda_status lld::cuda::capi::statusOf(ArrayRef<Diagnostic> messages) {
  for (const Diagnostic &d : messages) {
    if (d.severity < Severity::Error)
      continue;
    for (const ErrorRow &row : Errors)
      if (row.id == d.id)
        return row.status;
    return LLDCUDA_ERROR_LINK;
  }
  return LLDCUDA_OK;
}

const char *lldcuda_status_name(lldcuda_status status) {
  for (const StatusRow &row : Statuses)
    if (row.status == status)
      return row.name;
  return "unknown";
}

const char *lldcuda_version(void) { return LLDCUDA_VERSION; }

int32_t lldcuda_interface_version(void) { return LLDCUDA_INTERFACE_VERSION; }
