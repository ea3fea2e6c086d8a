//===- WriteFile.cpp - Writes files for other programs --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The linker writes the job of the LTO program with this function, and the
/// inputs of compilers that it runs (LtoJob.cpp, Compilers.cpp); cubin-dump
/// writes extracted images to its temporary folder with it. Unlike the writer
/// of outputs (OutputFile.h) it writes in place, since nobody reads these files
/// before they are complete. The message of a failed write names the file, also
/// if the disk is full only when the file is closed.
///
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
