//===- PreparedInput.cpp - Preparing an input for many links --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// prepareInput() reads and identifies an input before any link has it.
/// lldcuda_prepare() calls it, and lldcuda_link_add() does for inputs that
/// aren't prepared yet (bindings/c). The bytes are copied, or the file is read
/// as a whole, so that later changes don't matter. LTO IR is accepted here in
/// any case, as only a link knows whether it is one with LTO. Only regular
/// files are read: nobody could end a call that waits for a pipe.
///
//===----------------------------------------------------------------------===//

#include "Input/PreparedInput.h"
#include "Input/Identify.h"
#include "Input/OpenFile.h"
#include "lld-cuda/FinalCode/FinalCodeCache.h"
#include "lld-cuda/Linker.h"

using namespace llvm;
using namespace lld::cuda;

PreparedInput::PreparedInput(OpenedFile file, InputKind kind, bool isForOneLink)
    : file(std::move(file)), kind(kind),
      store(isForOneLink ? nullptr : std::make_unique<InputStore>()) {
  if (store)
    store->finalCode = std::make_unique<FinalCodeCache>();
}

static OpenedFile readWhole(const LinkInput &input) {
  OpenedFile result;
  if (input.contents) {
    // Only archives ask for the name, to find members that are files.
    const StringRef name =
        isCubin(*input.contents) ? StringRef() : StringRef(input.name);
    result.buffer = InputBuffer::copy(MemoryBufferRef(*input.contents, name));
    if (!result.buffer)
      result.error = std::make_error_code(std::errc::not_enough_memory);
    // No device has this number; the bytes' address tells files apart.
    else
      result.id = sys::fs::UniqueID(~uint64_t(0),
                                    uint64_t(result.buffer->getBufferStart()));
    return result;
  }
  InputBuffer::Options options;
  options.mayMap = false;
  options.whole = true;
  // Nobody could end a link that waits for a pipe.
  return readOpenFile(input.path, openToRead(input.path, FileKinds::Regular),
                      options);
}

static InputKind kindOf(const Identified &found) {
  if (found.isArchive)
    return InputKind::Archive;
  switch (*found.kind) {
  case ContentKind::Cubin:
    return InputKind::Cubin;
  case ContentKind::PTX:
    return InputKind::PTX;
  case ContentKind::Fatbin:
    return InputKind::Fatbin;
  case ContentKind::LTOIR:
    return InputKind::LtoIR;
  case ContentKind::HostObject:
  case ContentKind::Bitcode:
  case ContentKind::OffloadBinary:
    break;
  }
  return InputKind::Object;
}

/// Returns the kind of an input, or nothing if it isn't of the kind that the
/// program says.
static std::optional<InputKind> findKind(const LinkInput &input,
                                         const OpenedFile &opened,
                                         std::vector<Diagnostic> &messages) {
  // A link says whether it takes LTO IR.
  const Identified found = identifyData(
      opened.buffer->getBuffer(), input.name.empty() ? input.path : input.name,
      input.kind, /*takesLto=*/true, messages);
  if (!found.isArchive && !found.kind)
    return std::nullopt;
  return kindOf(found);
}

std::shared_ptr<PreparedInput>
lld::cuda::prepareInput(const LinkInput &input,
                        std::vector<Diagnostic> &messages, bool isForOneLink) {
  OpenedFile file = readWhole(input);
  if (file.buffer) {
    const std::optional<InputKind> kind = findKind(input, file, messages);
    return kind ? std::make_shared<PreparedInput>(std::move(file), *kind,
                                                  isForOneLink)
                : nullptr;
  }
  if (file.error == std::errc::not_enough_memory)
    return nullptr;
  messages.push_back(
      openError(file, input.name.empty() ? input.path : input.name));
  return nullptr;
}

InputKind lld::cuda::kindOf(const PreparedInput &input) { return input.kind; }
