//===- Parallel.h - Loops over files and sections ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parallel loops over files, sections and functions, for all passes from
/// reading to writing and for `lld-cuda fatbinary`. They cost nothing in small
/// links: starting threads takes longer than linking two small cubins, so they
/// use as many threads as Inputs::worthThreads says, which is one there.
/// Threads belong to the call; there is no pool that two links in one process
/// would have to share.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_PARALLEL_H
#define LLD_CUDA_PARALLEL_H

#include "lld-cuda/Support/Parallel.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace lld::cuda {

struct Inputs;

/// A link with that many bytes of input, or that many files, is large.
constexpr uint64_t LargeLinkBytes = 2 << 20;
constexpr size_t LargeLinkFiles = 64;

/// Returns how many threads are worth their start in a large link. A loop needs
/// 20 us of processor time to start a thread, and a link has ten to fifteen
/// loops, so that a thread that does less than a millisecond in all of them is
/// a loss: with 128 threads a link of 500 files takes 12 ms of processor time,
/// with 15 threads 6.
constexpr unsigned worthThreads(uint64_t bytes, size_t files) {
  constexpr uint64_t BytesForEach = 512 << 10;
  constexpr uint64_t FilesForEach = 32;
  constexpr uint64_t Least = 2;
  return static_cast<unsigned>(std::min<uint64_t>(
      std::max({Least, bytes / BytesForEach, uint64_t(files) / FilesForEach}),
      std::numeric_limits<unsigned>::max()));
}

/// Calls fn(0) ... fn(n - 1), in any order and on several threads if the link
/// is large. Returns when all calls have returned.
void parallelForEach(const Inputs &inputs, size_t n,
                     llvm::function_ref<void(size_t)> fn);

/// Returns whether a loop whose items do little is worth threads: together they
/// handle many functions, symbols or the like (`work`).
bool isWorthThreads(const Inputs &inputs, size_t work);
/// Calls fn(0) ... fn(n - 1), on several threads only if isWorthThreads().
void parallelForEach(const Inputs &inputs, size_t n, size_t work,
                     llvm::function_ref<void(size_t)> fn);

/// Splits 0 ... n - 1 into ranges of getPieceSize(), of which the last one may
/// be shorter, and calls fn(begin, end) for each, on several threads if `n` is
/// large enough.
size_t getPieceSize(const Inputs &inputs);
void parallelForPieces(const Inputs &inputs, size_t n,
                       llvm::function_ref<void(size_t, size_t)> fn);

} // namespace lld::cuda

#endif
