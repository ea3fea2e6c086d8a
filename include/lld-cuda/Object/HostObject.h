//===- HostObject.h - Reader of host objects --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a host object contains for the device linker: fatbins, module ids, and
/// the lists of kernels and variables that the host code refers to (rule
/// [host-object-format] of docs/reference). The linker reads it for each host
/// object among its inputs and library members (InputStore.cpp,
/// UnpackFiles.cpp); cubin-dump, cubin-prune and lib/Finished read it for files
/// that they look into. The file is an ELF file of any machine, 32 or 64 bits,
/// either byte order, or a COFF object for x86-64 or ARM64.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_HOSTOBJECT_H
#define LLD_CUDA_OBJECT_HOSTOBJECT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/TargetParser/Triple.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace lld::cuda {

/// The error for a proper object whose __nv_relfatbin section doesn't hold a
/// fatbin: for it nvlink reports "Could not find fatbin".
class FatbinNotFound : public llvm::ErrorInfo<FatbinNotFound> {
public:
  static char ID;
  explicit FatbinNotFound(std::string message) : text(std::move(message)) {}
  std::string message() const override { return text; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string text;
};

/// The sections with the names of kernels, variables and constants that host
/// code refers to, each for external and for internal ones.
inline constexpr llvm::StringLiteral HostListSections[] = {
    ".nvHRKE", ".nvHRKI", ".nvHRDE", ".nvHRDI", ".nvHRCE", ".nvHRCI"};

/// The section that marks a host object as a layer, i.e. the result of a
/// relocatable device link [layer-object].
inline constexpr llvm::StringLiteral LayerSection = ".nv.lld-cuda.layer";

/// What was read from a host object. The strings are slices of the buffer.
struct HostObject {
  using Loader = llvm::function_ref<void(llvm::StringRef)>;

  /// The ELF header's e_type: ET_REL, ET_EXEC, ET_DYN... A COFF object counts
  /// as ET_REL, a program or DLL for Windows as ET_EXEC or ET_DYN. Only ET_REL
  /// files have the fields below; of others nothing else is read, since no link
  /// takes code from them.
  uint16_t fileType = 0;
  bool hasFatbinSegment = false;      ///< Whether there is .nvFatBinSegment.
  bool hasRelocatableFatbin = false;  ///< Whether there is __nv_relfatbin.
  bool hasWholeProgramFatbin = false; ///< Whether there is .nv_fatbin.
  /// The fatbins of __nv_relfatbin, in order, one slice of the buffer for each;
  /// there are several after `ld -r`. Empty without a .nvFatBinSegment section:
  /// then no host code would register them.
  std::vector<llvm::StringRef> fatbins;
  /// Whether there is a LayerSection: the fatbins are then linked of the
  /// objects whose ids are in moduleIds [layer-object].
  bool isLayer = false;
  /// Contents of .llvm.offloading sections; see OffloadBinary.h.
  llvm::SmallVector<llvm::StringRef, 1> offloadSections;
  /// Contents of __nv_module_id; nullopt if there is no such section.
  std::optional<llvm::StringRef> moduleIds;
  /// Contents of .nvHRKE .nvHRKI .nvHRDE .nvHRDI .nvHRCE .nvHRCI: NUL-separated
  /// names (see splitNames()) of kernels, variables and constants, external and
  /// internal.
  std::optional<llvm::StringRef> kernelsExternal, kernelsInternal,
      variablesExternal, variablesInternal, constantsExternal,
      constantsInternal;

  /// Reads the section headers and the headers of the fatbins. Fails for a
  /// damaged file, or with FatbinNotFound if __nv_relfatbin doesn't begin with
  /// a fatbin, is cut off, or has anything but fatbins and zeros. If given,
  /// `load` is called for each part of the buffer before it is read or
  /// returned. The buffer must outlive the result.
  static llvm::Expected<HostObject> create(llvm::MemoryBufferRef buffer,
                                           Loader load = nullptr);
};

/// Returns whether the buffer begins like an ELF file whose machine is not
/// EM_CUDA.
bool isHostObject(llvm::StringRef data);

/// Returns whether the buffer begins like a COFF object for x86-64 or ARM64.
bool isCoffObject(llvm::StringRef data);

/// Returns whether the buffer is a program or DLL for Windows (PE), for any
/// machine.
bool isPeImage(llvm::StringRef data);

/// Returns the system that a host object is for, as far as its header tells;
/// nullopt for other files and for machines that CUDA has no runtime for.
std::optional<llvm::Triple> getHost(llvm::StringRef data);

/// Splits a list of NUL-separated names; empty ones are left out.
llvm::SmallVector<llvm::StringRef, 0> splitNames(llvm::StringRef list);

} // namespace lld::cuda

#endif
