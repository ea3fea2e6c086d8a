//===- main.cpp - Link-time optimization for the linker -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// lld-cuda-lto JOB: see lld-cuda/Lto/Protocol.h. Nobody but the linker calls
/// it.
///
//===----------------------------------------------------------------------===//

#include "Job.h"
#include "lld-cuda/Lto/Protocol.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda::lto;

#if LLDCUDA_LLVM_LTO
#define BUILT_WITH " with LLVM " LLVM_VERSION_STRING
#else
#define BUILT_WITH ""
#endif

static int run(const Job &job) {
  if (job.command == "nvjitlink")
    return runNvJitLink(job);
#if LLDCUDA_LLVM_LTO
  if (job.command == "symbols")
    return listSymbols(job);
  if (job.command == "llvm")
    return runLlvmLto(job);
#else
  if (job.command == "symbols" || job.command == "llvm")
    return NotBuilt;
#endif
  errs() << "unknown command '" << job.command << "'\n";
  return BadJob;
}

int main(int argc, char **argv) {
  if (argc != 2 || StringRef(argv[1]).starts_with("-")) {
    outs() << "lld-cuda-lto " LLDCUDA_VERSION BUILT_WITH
              ": compiles what link-time optimization needs compiled.\n"
              "lld-cuda calls it.\n";
    return argc == 2 ? Done : BadJob;
  }
  Expected<Job> job = Job::read(argv[1]);
  if (!job) {
    errs() << toString(job.takeError()) << '\n';
    return BadJob;
  }
  int status = run(*job);
  outs().flush();
  errs().flush();
  // The libraries' own clean-up takes time that nobody needs.
  _exit(status);
}
