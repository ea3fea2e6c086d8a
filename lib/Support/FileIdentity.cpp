//===- FileIdentity.cpp - Files that a name stands for --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
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
