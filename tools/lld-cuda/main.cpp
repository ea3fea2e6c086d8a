//===- main.cpp - The program lld-cuda ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The main function of the linker, which is also installed as ld.cuda, nvlink
/// and fatbinary. nvcc, clang, build systems and people call it; the name and a
/// first word -flavor or --run decide which part runs: a link
/// (lld::cuda::link()), Fatbinary.cpp, Nvcc.cpp, Run.cpp or RunReplaced.cpp.
/// The linker is a library, too; what it must not do in somebody else's process
/// is done here: handlers of signals, limits of memory and time, settings of
/// the allocator, and an early end of the process.
///
//===----------------------------------------------------------------------===//

#include "Fatbinary.h"
#include "Nvcc.h"
#include "Run.h"
#include "lld-cuda/Linker.h"
#include "lld-cuda/Support/Cleanup.h"
#include "lld-cuda/Support/Heap.h"
#include "lld-cuda/Support/Limits.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <unistd.h>

/// Large variables of inputs are mapped; a file that another process cuts short
/// has pages that can't be read. No output is in its place yet.
static void failToRead(int) {
  constexpr char Text[] =
      "lld-cuda fatal   : An input file became shorter, or cannot be read\n";
  lld::cuda::eraseProgressLine();
  [[maybe_unused]] ssize_t written =
      ::write(STDERR_FILENO, Text, sizeof(Text) - 1);
  lld::cuda::cleanUpForExit();
  ::_exit(1);
}

int main(int argc, char **argv) {
  if (argc > 1 && llvm::StringRef(argv[1]) == "--run")
    return runCommand(llvm::ArrayRef<const char *>(argv + 2, argc - 2));
  lld::cuda::prepareSmallHeap();
  std::signal(SIGBUS, failToRead);
  // A limit of the output's size is an error of writing, not a crash.
  std::signal(SIGXFSZ, SIG_IGN);
  lld::cuda::cleanUpOnSignals();
  lld::cuda::endWithoutMemory({"lld-cuda fatal   : ", 1});
  lld::cuda::applyLimits(
      lld::cuda::findLimits(llvm::ArrayRef<const char *>(argv, argc)));
  if (argc > 2 && llvm::StringRef(argv[1]) == "-flavor" &&
      llvm::StringRef(argv[2]) == "nvcc")
    return runAsNvcc(llvm::ArrayRef<const char *>(argv + 3, argc - 3));
  if (argc > 2 && llvm::StringRef(argv[1]) == "-flavor" &&
      llvm::StringRef(argv[2]) == "run")
    return runReplaced(llvm::ArrayRef<const char *>(argv + 3, argc - 3));
  if (argc && llvm::sys::path::filename(argv[0]) == "fatbinary")
    return runAsFatbinary(llvm::ArrayRef<const char *>(argv, argc));
  return !lld::cuda::link(llvm::ArrayRef(argv, argc), llvm::outs(),
                          llvm::errs(),
                          /*exitEarly=*/true, /*disableOutput=*/false);
}
