//===- main.cpp - The program lld-cuda ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The linker as a program. Also installed as ld.cuda and nvlink.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Linker.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <unistd.h>

/// Large inputs are mapped; one that another process cuts short has pages that
/// can't be read.
static void failToRead(int) {
  static constexpr char text[] =
      "lld-cuda fatal   : An input file became shorter, or cannot be read\n";
  [[maybe_unused]] ssize_t written =
      write(STDERR_FILENO, text, sizeof(text) - 1);
  _exit(1);
}

int main(int argc, char **argv) {
  std::signal(SIGBUS, failToRead);
  // A limit of the output's size is an error of writing, not a crash.
  std::signal(SIGXFSZ, SIG_IGN);
  return !lld::cuda::link(llvm::ArrayRef(argv, argc), llvm::outs(),
                          llvm::errs(),
                          /*exitEarly=*/true, /*disableOutput=*/false);
}
