//===- FatbinaryFuzzer.cpp - Fuzzes fatbinary's command line --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the program in fatbinary's place (tools/lld-cuda/Fatbinary.cpp) by
/// its command line. libFuzzer calls LLVMFuzzerTestOneInput() with each input
/// that it makes, in runs of scripts/fuzz.sh; an input is the words of a
/// command line, each ended by a line's end. They run in a thread that can
/// write nothing and start nothing (a sandbox), because a word may name any
/// file. What the program prints is mixed with the fuzzer's own text.
///
//===----------------------------------------------------------------------===//

#include "Fatbinary.h"
#include "FuzzUtils.h"
#include "lld-cuda/Support/Sandbox.h"
#include "llvm/ADT/SmallVector.h"
#include <pthread.h>
#include <string>

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

static void *run(void *input) {
  require(!enterSandbox(SandboxMode::Yes, SandboxRules(), "FatbinaryFuzzer"));
  std::string text = *static_cast<std::string *>(input);
  llvm::SmallVector<const char *, 32> words{"fatbinary"};
  splitWords(text, words);
  const int status = runAsFatbinary(words, {"", "13.0"});
  require(status == 0 || status == 1);
  return nullptr;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  std::string text(reinterpret_cast<const char *>(bytes), size);
  // Limits would be the process's.
  if (StringRef(text).contains("-limit"))
    return 0;
  pthread_t thread;
  require(::pthread_create(&thread, nullptr, run, &text) == 0);
  ::pthread_join(thread, nullptr);
  return 0;
}
