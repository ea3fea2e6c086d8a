//===- HostFile.h - What a program says to its loader -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What stands in an ELF program or shared library about how it is loaded, and
/// how its device code comes to the CUDA runtime. It is read, never run: `ldd`
/// runs what it looks at.
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

/// All host objects with relocatable device code call a function of this name,
/// with their id behind it, which the device link's object defines
/// [registration-order].
inline constexpr llvm::StringLiteral RegistrationPrefix =
    "__cudaRegisterLinkedBinary";

struct HostFile {
  uint16_t type = 0, machine = 0; ///< e_type, e_machine.
  bool is64 = false, isBigEndian = false;
  bool isProgram = false; ///< It is started; no other file loads it.
  /// The dynamic section. Paths are split at colons.
  std::string soname;
  std::vector<std::string> needed, runPath, oldRunPath; ///< DT_RPATH: the old.
  bool hasRunPath = false; ///< DT_RUNPATH is there, so DT_RPATH doesn't count.
  bool isWithoutDefaultFolders = false; ///< -z nodefaultlib.

  /// Registration functions that it defines for others, or wants to find.
  std::vector<std::string> definedRegistrations, wantedRegistrations;
  /// It calls the CUDA runtime of a shared library.
  bool usesSharedRuntime = false;
  bool hasDynamicSymbols = false; ///< Else nobody knows.
  /// Variables that other files of the process take for their own, if they have
  /// one of that name. Sorted.
  std::vector<std::string> sharedVariables;
  bool bindsToItself = false; ///< -Bsymbolic: it uses its own variables.
  /// Ids of objects with relocatable code, and those of them that a device link
  /// in this file has registered.
  std::vector<std::string> moduleIds, linkedIds;
  /// Where in the file the fatbins lie that its wrappers lead to.
  std::vector<uint64_t> registeredFatbins;
  bool hasWrappers = false; ///< It has the section of wrappers.
  /// Kernels that the host code has a stub for, as far as the symbol table
  /// tells.
  std::vector<std::string> stubs;

  bool isLinked() const;
};

/// Whether these bytes begin an ELF file for a processor.
bool isElfHostFile(llvm::StringRef data);

/// Fails on a damaged file, and on one whose parts overlap so often that
/// reading it would take many times its size.
llvm::Expected<HostFile> readHostFile(llvm::StringRef data);

} // namespace lld::cuda

#endif
