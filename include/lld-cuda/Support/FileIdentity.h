//===- FileIdentity.h - Files that a name stands for ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tells whether two paths lead to one file, links followed and files counted
/// that aren't there yet. Asked before anything is written, so that no two
/// outputs are one file and none is an input.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_FILEIDENTITY_H
#define LLD_CUDA_SUPPORT_FILEIDENTITY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include <optional>
#include <string>

namespace lld::cuda {

/// Symbolic links that are followed one after the other.
constexpr unsigned MaxLinks = 40;

/// Replaces the path of a symbolic link by that which the link has.
bool followLink(std::string &path);

/// The path of the file that would be written: symbolic links are followed.
/// Empty if they go round in circles.
std::string followLinks(llvm::StringRef path);

/// A file that is there or will be.
struct FileIdentity {
  llvm::sys::fs::UniqueID
      id;           ///< The file's; if it isn't there, its directory's.
  std::string name; ///< In the directory; empty if the file is there.

  bool operator==(const FileIdentity &other) const {
    return id == other.id && name == other.name;
  }
};

/// Nothing for devices and pipes, and where no file can be.
std::optional<FileIdentity> identifyFile(llvm::StringRef path);

} // namespace lld::cuda

#endif
