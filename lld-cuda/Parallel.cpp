//===- Parallel.cpp - Parallel loops of a link ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// parallelForEach() decides how many threads a loop of a link gets: one if the
/// link is small, what --threads says, or as many as there are processors and
/// as the link's size is worth.
/// Passes call it where the work for one section, function or file doesn't
/// depend on the others. Under make's job server each thread takes a token of
/// the build's, so that ten links of "make -j10" don't start a thread for every
/// processor each. A loop over many small things is cut into pieces of 256
/// (parallelForPieces()).
///
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "Inputs.h"
#include "lld-cuda/Support/JobTokens.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace lld::cuda;

void lld::cuda::parallelForEach(const Inputs &inputs, size_t n,
                                function_ref<void(size_t)> fn) {
  if (inputs.worthThreads <= 1 || n <= 1)
    return parallelForEach(1, n, fn);
  if (inputs.config.threads)
    return parallelForEach(inputs.config.threads, n, fn);
  const JobTokens tokens(
      inputs.config.environment.makeFlags,
      std::min<size_t>({availableProcessors(), inputs.worthThreads, n}));
  parallelForEach(tokens.threads(), n, fn);
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
  parallelForEach(inputs, divideCeil(n, PieceSize), n, [&](size_t piece) {
    const size_t begin = piece * PieceSize;
    fn(begin, std::min(n, begin + PieceSize));
  });
}
