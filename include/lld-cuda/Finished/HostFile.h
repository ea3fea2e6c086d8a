//===- HostFile.h - Reader of programs and libraries ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reader of ELF programs and shared libraries: how the dynamic loader loads
/// them, and how their device code is registered with the CUDA runtime.
/// cubin-check reads each host file with it to judge libraries and device
/// links; LibrarySearch.h and the --resources reports use it to find the
/// libraries that a program loads. The file is only read, never run, unlike
/// with `ldd`.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINISHED_HOSTFILE_H
#define LLD_CUDA_FINISHED_HOSTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace lld::cuda {

/// Each host object with relocatable device code calls a function with this
/// prefix and the object's id as its name. The device link's object defines it
/// (rule [registration-order] of docs/reference).
inline constexpr llvm::StringLiteral RegistrationPrefix =
    "__cudaRegisterLinkedBinary";

/// What was read from a program or shared library.
struct HostFile {
  uint16_t type = 0, machine = 0; ///< e_type, e_machine.
  bool is64 = false, isBigEndian = false;
  bool isProgram = false; ///< It is a program, not a library.
  /// From the dynamic section; `oldRunPath` is DT_RPATH. Paths are split at
  /// colons.
  std::string soname;
  std::vector<std::string> needed, runPath, oldRunPath;
  bool hasRunPath = false; ///< It has DT_RUNPATH, so that DT_RPATH is ignored.
  bool isWithoutDefaultFolders = false; ///< -z nodefaultlib.

  /// Registration functions that it exports or imports.
  std::vector<std::string> definedRegistrations, wantedRegistrations;
  /// It calls the CUDA runtime in a shared library.
  bool usesSharedRuntime = false;
  bool hasDynamicSymbols = false; ///< If false, what it uses is unknown.
  /// Exported variables, which other files of the process use in place of their
  /// own ones of the same name. Sorted.
  std::vector<std::string> sharedVariables;
  bool bindsToItself = false; ///< -Bsymbolic: it uses its own variables.
  /// Ids of the objects with relocatable device code, and those among them that
  /// a device link in this file has registered.
  std::vector<std::string> moduleIds, linkedIds;
  /// File offsets of the fatbins to which its wrappers point.
  std::vector<uint64_t> registeredFatbins;
  bool hasWrappers = false; ///< It has a section of fatbin wrappers.
  /// Kernels for which the host code has a stub, according to the symbol table.
  std::vector<std::string> stubs;

  bool isLinked() const;
};

/// Returns whether the data begins as an ELF file for a host processor does.
bool isElfHostFile(llvm::StringRef data);

/// Reads a file; the result doesn't refer to `data`. Fails on a damaged file,
/// and on one with so many overlapping parts that reading it would take many
/// times its size.
llvm::Expected<HostFile> readHostFile(llvm::StringRef data);

} // namespace lld::cuda

#endif
