//===- Program.cpp - What all programs do first and last ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The main functions of the tools call prepareProgram() before they read any
/// file. It handles what otherwise ends a tool without a message. SIGBUS comes
/// when somebody shortens a mapped input; the handler may only write constant
/// text, so that text is composed of parts that are there already. SIGXFSZ is
/// ignored, and a write over the limit of file sizes then fails with an error
/// like any other. finishOutput() is the last step of main(): a full disk shows
/// itself only when standard output is flushed, and must change the exit
/// status.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/Program.h"
#include "lld-cuda/Support/Limits.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstring>
#include <string>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

static const char *programName = "";
static int failureStatus = 1;

/// Without what may not be called in a signal handler.
static void failToRead(int) {
  constexpr char Text[] =
      ": error: an input file became shorter, or cannot be read\n";
  const iovec pieces[] = {
      {const_cast<char *>(programName), ::strlen(programName)},
      {const_cast<char *>(Text), sizeof(Text) - 1}};
  [[maybe_unused]] ssize_t written = ::writev(STDERR_FILENO, pieces, 2);
  ::_exit(failureStatus);
}

void lld::cuda::prepareProgram(const char *name, int failure) {
  programName = name;
  failureStatus = failure;
  static const std::string prefix = std::string(name) + ": error: ";
  endWithoutMemory({prefix.c_str(), failure});
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, failToRead);
}

int lld::cuda::finishOutput(int status, int failure) {
  outs().flush();
  if (!outs().has_error())
    return status;
  WithColor::error(errs(), programName)
      << "standard output: " << outs().error().message() << '\n';
  outs().clear_error();
  return failure;
}

StringRef lld::cuda::pathOfProgram(StringRef program) {
  if (!program.contains('/'))
    if (const unsigned long path = getauxval(AT_EXECFN))
      program = reinterpret_cast<const char *>(path);
  return program;
}
