//===- WriteFile.cpp - Files between programs -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/WriteFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

Error lld::cuda::writeFile(StringRef path, StringRef contents) {
  std::error_code ec;
  raw_fd_ostream os(path, ec, sys::fs::OF_None);
  if (!ec) {
    os << contents;
    os.close();
    ec = os.error();
    os.clear_error();
  }
  if (ec)
    return createStringError(ec,
                             "cannot write '" + path + "': " + ec.message());
  return Error::success();
}
