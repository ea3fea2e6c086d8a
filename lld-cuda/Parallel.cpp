//===- Parallel.cpp - Loops over files and sections -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "Inputs.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace lld::cuda;

void lld::cuda::parallelForEach(const Inputs &inputs, size_t n,
                                function_ref<void(size_t)> fn) {
  unsigned threads = 1;
  if (inputs.largeLink && n > 1)
    threads =
        inputs.config.threads ? inputs.config.threads : availableProcessors();
  parallelForEach(threads, n, fn);
}

void lld::cuda::parallelForEach(const Inputs &inputs, size_t n, size_t work,
                                function_ref<void(size_t)> fn) {
  if (work >= WorthThreads)
    return parallelForEach(inputs, n, fn);
  for (size_t i = 0; i != n; ++i)
    fn(i);
}

void lld::cuda::parallelForPieces(const Inputs &inputs, size_t n,
                                  function_ref<void(size_t, size_t)> fn) {
  constexpr size_t PieceSize = 256;
  parallelForEach(inputs, divideCeil(n, PieceSize), n, [&](size_t piece) {
    const size_t begin = piece * PieceSize;
    fn(begin, std::min(n, begin + PieceSize));
  });
}
