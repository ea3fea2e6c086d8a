//===- HostObject.h - Device code inside host objects -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a host object holds for the device linker: fatbins, module ids, and the
/// lists of kernels and variables that the host code refers to
/// [host-object-format]. An ELF file of any machine, 32 or 64 bit, either byte
/// order, or a COFF object for x86-64 or ARM64.
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

/// The file is a proper object, but its section of fatbins isn't one: the case
/// in which nvlink says "Could not find fatbin".
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

/// Sections with the names of kernels, variables and constants that host code
/// refers to, external and internal ones each.
inline constexpr llvm::StringLiteral HostListSections[] = {
    ".nvHRKE", ".nvHRKI", ".nvHRDE", ".nvHRDI", ".nvHRCE", ".nvHRCI"};

/// In host objects that are layers [layer-object].
inline constexpr llvm::StringLiteral LayerSection = ".nv.lld-cuda.layer";

struct HostObject {
  using Loader = llvm::function_ref<void(llvm::StringRef)>;

  /// e_type: ET_REL, ET_EXEC, ET_DYN... Only the first has the fields below;
  /// nothing else of other files is read, since no link takes code from them.
  /// Of a COFF object: ET_REL; of a program or DLL of Windows: ET_EXEC, ET_DYN.
  uint16_t fileType = 0;
  bool hasFatbinSegment = false;      ///< .nvFatBinSegment
  bool hasRelocatableFatbin = false;  ///< __nv_relfatbin
  bool hasWholeProgramFatbin = false; ///< .nv_fatbin
  /// The fatbins of __nv_relfatbin, in order, one slice each; several after
  /// `ld -r`. Empty without a .nvFatBinSegment: then nobody would register
  /// them.
  std::vector<llvm::StringRef> fatbins;
  /// LayerSection: what these fatbins hold is linked of the objects whose ids
  /// are in moduleIds [layer-object].
  bool isLayer = false;
  /// Contents of .llvm.offloading; see OffloadBinary.h.
  llvm::SmallVector<llvm::StringRef, 1> offloadSections;
  /// Contents of __nv_module_id; none if there is no such section.
  std::optional<llvm::StringRef> moduleIds;
  /// Contents of .nvHRKE .nvHRKI .nvHRDE .nvHRDI .nvHRCE .nvHRCI: kernels,
  /// variables and constants, external and internal.
  std::optional<llvm::StringRef> kernelsExternal, kernelsInternal,
      variablesExternal, variablesInternal, constantsExternal,
      constantsInternal;

  /// Reads the section headers and the outer headers of the fatbins; fails on a
  /// damaged file, or with FatbinNotFound when __nv_relfatbin doesn't start
  /// with a fatbin, is cut, or holds anything but fatbins and zeros. `load` is
  /// called for each part of the buffer before it is read or returned.
  static llvm::Expected<HostObject> create(llvm::MemoryBufferRef buffer,
                                           Loader load = nullptr);
};

/// True if the buffer starts like an ELF file whose machine is not EM_CUDA.
bool isHostObject(llvm::StringRef data);

/// True if the buffer starts like a COFF object for x86-64 or ARM64.
bool isCoffObject(llvm::StringRef data);

/// True for a program or DLL of Windows (PE), for any machine.
bool isPeImage(llvm::StringRef data);

/// The system that a host object is for, as far as its header tells; none for
/// other files and for machines that CUDA has no runtime for.
std::optional<llvm::Triple> getHost(llvm::StringRef data);

/// Splits a NUL-separated list; empty strings are left out.
llvm::SmallVector<llvm::StringRef, 0> splitNames(llvm::StringRef list);

} // namespace lld::cuda

#endif
