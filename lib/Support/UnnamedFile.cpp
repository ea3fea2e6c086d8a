//===- UnnamedFile.cpp - Room on the disk ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/UnnamedFile.h"
#include "SignalsWait.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include <fcntl.h>

using namespace llvm;

std::error_code lld::cuda::openUnnamedFile(StringRef directory, int &fd) {
  fd = ::open(directory.str().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0)
    return std::error_code();
  // Not all file systems have such files.
  SignalsWait wait;
  SmallString<128> path;
  if (std::error_code ec = sys::fs::createUniqueFile(
          directory + "/lld-cuda-%%%%%%%%", fd, path, sys::fs::OF_None, 0600))
    return ec;
  return sys::fs::remove(path);
}
