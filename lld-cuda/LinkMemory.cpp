//===- LinkMemory.cpp - Memory that lives as long as a link ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The chunks of a SharedArena. The passes that patch code and write attributes
/// allocate for each function, in all threads, and would wait for each other at
/// a lock. A thread keeps one chunk, that of the arena that it has used last;
/// the rest of the one before is lost, which is seldom, as a link has one
/// arena.
///
//===----------------------------------------------------------------------===//

#include "LinkMemory.h"

using namespace lld::cuda;

thread_local SharedArena::Chunk SharedArena::chunk = {0, nullptr, nullptr};
std::atomic<uint64_t> SharedArena::arenas{0};

void *SharedArena::allocateSlowly(size_t size) {
  constexpr size_t ChunkSize = LargestInSlab - MaxAlign;
  std::lock_guard<std::mutex> lock(mutex);
#if LLVM_ADDRESS_SANITIZER_BUILD
  constexpr bool HasChunks = false; // The bounds of each block are checked.
#else
  constexpr bool HasChunks = true;
#endif
  if (!HasChunks || size > LargestInChunk)
    return arena.Allocate(size, MaxAlign);
  char *const begin = static_cast<char *>(arena.Allocate(ChunkSize, MaxAlign));
  chunk = {number, begin + size, begin + ChunkSize};
  return begin;
}
