//===- NvccCommandFuzzer.cpp - Fuzzes nvcc's command lines ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the reader of nvcc's command lines (lld-cuda/Driver/NvccCommand.h),
/// which decides whether lld-cuda in nvcc's place does the device link itself.
/// libFuzzer calls LLVMFuzzerTestOneInput() with each input that it makes, in
/// runs of scripts/fuzz.sh; an input is words, each ended by a line's end. The
/// plan must name an output, or hand the command over to nvcc and say why.
///
//===----------------------------------------------------------------------===//

#include "Driver/NvccCommand.h"
#include "FuzzUtils.h"
#include "llvm/ADT/SmallVector.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  std::string text(reinterpret_cast<const char *>(bytes), size);
  llvm::SmallVector<const char *, 32> words;
  splitWords(text, words);
  for (unsigned major : {0u, 12u, 13u}) {
    // Any program will do for one that is there.
    const char *path = major == 13 ? "/proc/self/exe" : "/nowhere/bin/nvcc";
    const NvccPlan plan = planNvccCommand(words, {path, major});
    // What isn't done here is told why.
    require(plan.step != NvccStep::HandOver || plan.words.empty() ||
            !plan.reason.empty());
    require(plan.step == NvccStep::HandOver || !plan.output.empty());
    for (const std::string &word : plan.words)
      touch(word);
  }
  return 0;
}
