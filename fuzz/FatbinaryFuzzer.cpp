//===- FatbinaryFuzzer.cpp - Fuzzes fatbinary's command line ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Words, each ended by a line's end. A thread runs them that can write nothing
/// and start nothing: a word may name any file. What is printed goes with the
/// fuzzer's own text.
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
