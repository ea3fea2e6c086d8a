//===- HostObject.h - Device code inside host objects -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a host ELF object (any machine, 32 or 64 bit, either byte order) holds
/// for the device linker: fatbins, module ids, and the lists of kernels and
/// variables that the host code refers to (spec: inputs, sections 2.4, 6, 7.1).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_HOSTOBJECT_H
#define LLD_CUDA_OBJECT_HOSTOBJECT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace lld::cuda {

struct HostObject {
  uint16_t fileType = 0; ///< e_type: ET_REL, ET_EXEC, ET_DYN...
  bool hasFatbinSegment = false; ///< .nvFatBinSegment
  bool hasRelocatableFatbin = false; ///< __nv_relfatbin
  bool hasWholeProgramFatbin = false; ///< .nv_fatbin
  /// The fatbins of __nv_relfatbin, in order, one slice each; several after
  /// `ld -r`.
  std::vector<llvm::StringRef> fatbins;
  /// Contents of __nv_module_id; none if there is no such section.
  std::optional<llvm::StringRef> moduleIds;
  /// Contents of .nvHRKE .nvHRKI .nvHRDE .nvHRDI .nvHRCE .nvHRCI: kernels,
  /// variables and constants, external and internal.
  std::optional<llvm::StringRef> kernelsExternal, kernelsInternal,
      variablesExternal, variablesInternal, constantsExternal, constantsInternal;

  /// Reads section headers only; fails on a damaged ELF file, or when a
  /// __nv_relfatbin section that should hold a fatbin doesn't start with one or
  /// is cut ("Could not find fatbin").
  static llvm::Expected<HostObject> create(llvm::MemoryBufferRef buffer);
};

/// True if the buffer starts like an ELF file whose machine is not EM_CUDA.
bool isHostObject(llvm::StringRef data);

/// Splits a NUL-separated list; empty strings are left out.
llvm::SmallVector<llvm::StringRef, 0> splitNames(llvm::StringRef list);

} // namespace lld::cuda

#endif
