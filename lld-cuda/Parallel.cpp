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
/// processor each. A loop over many small things is cut into pieces
/// (parallelForPieces()).
///
/// The output must not depend on any of that. So that tests can try it with the
/// small links that they have, --min-parallel=0 cuts loops into pieces of four
/// items and gives them threads, and --shuffle-threads takes the pieces in
/// another order.
///
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "Inputs.h"
#include "lld-cuda/Support/JobTokens.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>
#include <random>
#include <sched.h>
#include <vector>

using namespace llvm;
using namespace lld::cuda;

/// Calls fn(0) ... fn(n - 1) in an order that the seed decides, and lets other
/// threads go first at some of them (--shuffle-threads, for tests).
static void shuffledForEach(const Inputs &inputs, unsigned threads, size_t n,
                            function_ref<void(size_t)> fn) {
  std::minstd_rand random(inputs.config.shuffleSeed);
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t(0));
  for (size_t i = n; i > 1; --i)
    std::swap(order[i - 1], order[random() % i]);
  const size_t turn = random() % 4 + 1;
  parallelForEach(threads, n, [&](size_t i) {
    if (i % turn == 0)
      sched_yield();
    fn(order[i]);
  });
}

void lld::cuda::parallelForEach(const Inputs &inputs, size_t n,
                                function_ref<void(size_t)> fn) {
  if (inputs.worthThreads <= 1 || n <= 1)
    return parallelForEach(1, n, fn);
  if (inputs.config.shuffleSeed)
    return shuffledForEach(inputs, std::max(2u, inputs.config.threads), n, fn);
  if (inputs.config.threads)
    return parallelForEach(inputs.config.threads, n, fn);
  const JobTokens tokens(
      inputs.config.environment.makeFlags,
      std::min<size_t>({availableProcessors(), inputs.worthThreads, n}));
  parallelForEach(tokens.threads(), n, fn);
}

/// --min-parallel=0: what makes no difference in the output is tried with small
/// links, too.
static bool dividesAll(const Inputs &inputs) {
  return inputs.worthThreads > 1 && inputs.config.minParallel == 0;
}

bool lld::cuda::isWorthThreads(const Inputs &inputs, size_t work) {
  constexpr size_t WorthThreads = 4096;
  return work >= WorthThreads || dividesAll(inputs);
}

size_t lld::cuda::getPieceSize(const Inputs &inputs) {
  constexpr size_t Usual = 256, Smallest = 4;
  return dividesAll(inputs) ? Smallest : Usual;
}

void lld::cuda::parallelForEach(const Inputs &inputs, size_t n, size_t work,
                                function_ref<void(size_t)> fn) {
  if (isWorthThreads(inputs, work))
    return parallelForEach(inputs, n, fn);
  for (size_t i = 0; i != n; ++i)
    fn(i);
}

void lld::cuda::parallelForPieces(const Inputs &inputs, size_t n,
                                  function_ref<void(size_t, size_t)> fn) {
  const size_t size = getPieceSize(inputs);
  parallelForEach(inputs, divideCeil(n, size), n, [&](size_t piece) {
    const size_t begin = piece * size;
    fn(begin, std::min(n, begin + size));
  });
}
