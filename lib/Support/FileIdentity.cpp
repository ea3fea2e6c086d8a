//===- FileIdentity.cpp - Tells whether two paths are one file ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Two paths may be one file in many ways: a symbolic link, a hard link,
/// "a/../b". So identifyFile() doesn't compare paths as text. A file that is
/// there has its device and inode. One that isn't there yet has those of its
/// directory, with its own name, after symbolic links are followed to what they
/// would create. The linker (OutputNames.cpp, DeviceLink.cpp) and the program
/// in fatbinary's place call it before they write anything.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/FileIdentity.h"
#include "llvm/Support/Path.h"
#include <climits>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

bool lld::cuda::followLink(std::string &path) {
  char target[PATH_MAX];
  ssize_t length = ::readlink(path.c_str(), target, sizeof(target));
  if (length <= 0 || size_t(length) == sizeof(target))
    return false;
  StringRef text(target, length);
  size_t directory = path.rfind('/');
  if (text.starts_with("/") || directory == std::string::npos)
    path = text.str();
  else
    path.replace(directory + 1, std::string::npos, text.str());
  return true;
}

std::string lld::cuda::followLinks(StringRef path) {
  std::string target = path.str();
  for (unsigned i = 0; followLink(target); ++i)
    if (i == MaxLinks)
      return {};
  return target;
}

std::optional<FileIdentity> lld::cuda::identifyFile(StringRef path) {
  struct stat status;
  if (::stat(path.str().c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode))
      return std::nullopt;
    return FileIdentity{sys::fs::UniqueID(status.st_dev, status.st_ino), ""};
  }
  std::string target = followLinks(path);
  StringRef directory = sys::path::parent_path(target);
  if (::stat(directory.empty() ? "." : directory.str().c_str(), &status) != 0)
    return std::nullopt;
  return FileIdentity{sys::fs::UniqueID(status.st_dev, status.st_ino),
                      sys::path::filename(target).str()};
}
