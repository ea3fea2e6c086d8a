//===- UnnamedFile.cpp - Temporary files without a name -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Zip.cpp unpacks large members of wheels to such a file and maps it. Most
/// file systems make a file without a name if they are asked (O_TMPFILE).
/// Elsewhere the function makes a file with a random name and removes the name
/// at once, while signals wait, so that a program that is ended in between
/// leaves nothing behind.
///
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
  // The file system can't make files without a name.
  SignalsWait wait;
  SmallString<128> path;
  if (std::error_code ec = sys::fs::createUniqueFile(
          directory + "/lld-cuda-%%%%%%%%", fd, path, sys::fs::OF_None, 0600))
    return ec;
  return sys::fs::remove(path);
}
