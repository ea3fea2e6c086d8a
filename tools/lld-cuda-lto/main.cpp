//===- main.cpp - The program lld-cuda-lto --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The main function of lld-cuda-lto, which compiles LTO inputs for the linker.
/// The linker (LtoJob.cpp) starts `lld-cuda-lto [OPTIONS] JOB` when an input of
/// a link needs it, and nobody else does. main() reads the job file (Job.cpp),
/// enters the sandbox, and runs the command: NvJitLink.cpp for NVIDIA's LTO IR,
/// LlvmSymbols.cpp and LlvmLto.cpp for bitcode. What a compiler says is
/// printed, the result is a file, and the exit status is one of
/// lld-cuda/Lto/Protocol.h.
///
//===----------------------------------------------------------------------===//

#include "Job.h"
#include "lld-cuda/Lto/Protocol.h"
#include "lld-cuda/Support/Limits.h"
#include "lld-cuda/Support/Program.h"
#include "lld-cuda/Support/Sandbox.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;
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

static int help(int status) {
  outs()
      << "lld-cuda-lto " LLDCUDA_VERSION BUILT_WITH
         ": the compiler for link-time optimization.\n"
         "The linker runs it: lld-cuda-lto [options] JOB\n\n"
         "  --memory-limit=MiB    stop when compiling needs more memory than "
         "this,\n"
         "                        besides 64 MiB for the program itself\n"
         "  --time-limit=SECONDS  stop after this many seconds\n"
         "  --sandbox=auto|yes|no allow writing to the job's outputs only "
         "(default: auto)\n"
         "  --help, --version\n";
  return status;
}

/// Takes the words before the job's. False if one isn't right.
static bool takeOptions(ArrayRef<const char *> &words, SandboxMode &sandbox) {
  Limits limits;
  for (; !words.empty() && StringRef(words.front()).starts_with("-");
       words = words.drop_front()) {
    StringRef word = words.front();
    if (word.consume_front("--sandbox=")) {
      if (auto mode = parseSandboxMode(word)) {
        sandbox = *mode;
        continue;
      }
      word = words.front();
    }
    Error e = word.consume_front("--memory-limit=")
                  ? readMemoryLimit(word, limits)
              : word.consume_front("--time-limit=")
                  ? readTimeLimit(word, limits)
                  : createStringError("unknown option '" + word + "'");
    if (!e)
      continue;
    errs() << "lld-cuda-lto: error: " << toString(std::move(e)) << '\n';
    return false;
  }
  applyLimits(limits);
  return true;
}

/// Libraries of the compiler's may read what they need, and write nothing but
/// where the outputs are and temporary files.
static bool confine(const Job &job, SandboxMode mode) {
  SandboxRules rules;
  rules.outputs.push_back(job.output.str());
  if (!job.loaded.empty())
    rules.outputs.push_back(job.loaded.str());
  if (StringRef saved = job.get("save-temps"); !saved.empty())
    rules.outputs.push_back(saved.str());
  SmallString<128> temporary;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, temporary);
  rules.folders.push_back(temporary.str().str());
  Error e = enterSandbox(mode, rules, "lld-cuda-lto");
  if (!e)
    return true;
  errs() << "lld-cuda-lto: error: " << toString(std::move(e)) << '\n';
  return false;
}

int main(int argc, char **argv) {
  prepareProgram("lld-cuda-lto", BadJob);
  ArrayRef<const char *> words = ArrayRef(argv, argc).drop_front(argc != 0);
  if (words.size() == 1 && is_contained({"--help", "--version", "-h", "-V"},
                                        StringRef(words.front())))
    return help(Done);
  SandboxMode sandbox = SandboxMode::Auto;
  if (!takeOptions(words, sandbox))
    return BadJob;
  if (words.size() != 1)
    return help(BadJob);
  Expected<Job> job = Job::read(words.front());
  if (!job) {
    errs() << toString(job.takeError()) << '\n';
    return BadJob;
  }
  if (!confine(*job, sandbox))
    return BadJob;
  int status = run(*job);
  outs().flush();
  errs().flush();
  // The libraries' own clean-up takes time that nobody needs.
  _exit(status);
}
