//===- main.cpp - The program lld-cuda ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The linker as a program. Also installed as ld.cuda, nvlink and fatbinary.
/// What must not be done in somebody else's process is done here: handlers, and
/// early ends.
///
//===----------------------------------------------------------------------===//

#include "Fatbinary.h"
#include "Nvcc.h"
#include "Run.h"
#include "lld-cuda/Linker.h"
#include "lld-cuda/Support/Cleanup.h"
#include "lld-cuda/Support/Heap.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <new>
#include <unistd.h>

template <size_t N> [[noreturn]] static void endWith(const char (&text)[N]) {
  lld::cuda::eraseProgressLine();
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, text, N - 1);
  lld::cuda::cleanUpForExit();
  ::_exit(1);
}

/// Large variables of inputs are mapped; a file that another process cuts short
/// has pages that can't be read. No output is in its place yet.
static void failToRead(int) {
  endWith("lld-cuda fatal   : An input file became shorter, or cannot be "
          "read\n");
}

/// Any thread may find that there is no memory, and several at once.
static void exitWithoutMemory() {
  lld::cuda::claimExit();
  endWith("lld-cuda fatal   : Out of memory\n");
}

int main(int argc, char **argv) {
  if (argc > 1 && llvm::StringRef(argv[1]) == "--run")
    return runCommand(llvm::ArrayRef<const char *>(argv + 2, argc - 2));
  lld::cuda::prepareSmallHeap();
  std::signal(SIGBUS, failToRead);
  // A limit of the output's size is an error of writing, not a crash.
  std::signal(SIGXFSZ, SIG_IGN);
  lld::cuda::cleanUpOnSignals();
  std::set_new_handler(exitWithoutMemory);
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { exitWithoutMemory(); });
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
