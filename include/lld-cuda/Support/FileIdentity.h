//===- FileIdentity.h - Whether two paths name one file ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tells whether two paths name the same file. Symbolic links are followed, and
/// the files need not exist yet. OutputNames.cpp and DeviceLink.cpp (the
/// linker) and Fatbinary.cpp (the program in fatbinary's place) ask before
/// anything is written, so that no two outputs are the same file and no output
/// overwrites an input. OutputFile.cpp calls only followLink(), so that an
/// output whose path is a symbolic link replaces the link's target and not the
/// link.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_FILEIDENTITY_H
#define LLD_CUDA_SUPPORT_FILEIDENTITY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include <optional>
#include <string>

namespace lld::cuda {

/// How many symbolic links are followed in a row before it is an error.
constexpr unsigned MaxLinks = 40;

/// If `path` is a symbolic link, replaces it by the link's target and returns
/// true. Otherwise, and if the target's path is too long, returns false.
bool followLink(std::string &path);

/// Returns the path of the file that would be written: symbolic links are
/// followed, even to a file that doesn't exist. Empty after more than MaxLinks.
std::string followLinks(llvm::StringRef path);

/// A regular file that exists or can be created.
struct FileIdentity {
  /// The id of the file, or of its directory if the file doesn't exist.
  llvm::sys::fs::UniqueID id;
  std::string name; ///< Name in the directory; empty if the file exists.

  bool operator==(const FileIdentity &other) const {
    return id == other.id && name == other.name;
  }
};

/// Returns nullopt for anything but regular files, such as devices, pipes and
/// directories, and if the directory of the file doesn't exist.
std::optional<FileIdentity> identifyFile(llvm::StringRef path);

} // namespace lld::cuda

#endif
