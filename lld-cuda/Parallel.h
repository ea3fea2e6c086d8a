//===- Parallel.h - Loops over files and sections ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A parallel loop that costs nothing in small links: starting threads takes
/// longer than linking two small cubins, so
/// threads are used only once Inputs::largeLink is set. Threads belong to the
/// call; there is no pool that two links in one process would have to share.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_PARALLEL_H
#define LLD_CUDA_PARALLEL_H

#include "lld-cuda/Support/Parallel.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstddef>
#include <cstdint>

namespace lld::cuda {

struct Inputs;

/// Links of that many input bytes or files are large.
constexpr uint64_t LargeLinkBytes = 2 << 20;
constexpr size_t LargeLinkFiles = 64;

/// Calls fn(0) ... fn(n - 1), in any order and on several threads if the link
/// is large. Returns when all calls have.
void parallelForEach(const Inputs &inputs, size_t n,
                     llvm::function_ref<void(size_t)> fn);

/// Calls fn(0) ... fn(n - 1), which do little each: on several threads only if
/// all together handle so many functions, symbols or the like (`work`) that
/// threads pay.
constexpr size_t WorthThreads = 4096;
void parallelForEach(const Inputs &inputs, size_t n, size_t work,
                     llvm::function_ref<void(size_t)> fn);

/// Calls fn(begin, end) for parts of 0 ... n - 1, on several threads if that
/// pays.
void parallelForPieces(const Inputs &inputs, size_t n,
                       llvm::function_ref<void(size_t, size_t)> fn);

} // namespace lld::cuda

#endif
