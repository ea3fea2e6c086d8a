//===- LinkMemory.h - Memory that lives as long as a link -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The memory of one link: an arena and buffers that are freed when the link
/// ends. Passes from reading to writing take memory from it (as
/// Inputs::memory) for whatever later passes refer to: names, patched code,
/// tables, decompressed inputs. It is a member of LinkTools (Inputs.h).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LINKMEMORY_H
#define LLD_CUDA_LINKMEMORY_H

#include "Pool.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/StringSaver.h"
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>

namespace lld::cuda {

/// An arena that several threads may use at once. Each takes a chunk, from
/// which it allocates without a lock.
class SharedArena {
public:
  SharedArena() = default;
  SharedArena(const SharedArena &) = delete;
  SharedArena &operator=(const SharedArena &) = delete;

  /// Allocates an array whose elements aren't initialized.
  template <typename T> T *Allocate(size_t count) {
    static_assert(alignof(T) <= MaxAlign);
    const size_t size = count * sizeof(T);
    const size_t padding =
        -reinterpret_cast<uintptr_t>(chunk.next) & uintptr_t(alignof(T) - 1);
    if (chunk.owner == number && size <= LargestInChunk &&
        size + padding <= size_t(chunk.end - chunk.next)) [[likely]] {
      char *p = chunk.next + padding;
      chunk.next = p + size;
      return reinterpret_cast<T *>(p);
    }
    return static_cast<T *>(allocateSlowly(size));
  }

private:
  static constexpr size_t MaxAlign = 8, LargestInChunk = 1024;
  /// What is larger has a block of its own.
  static constexpr size_t LargestInSlab = 4 << 10;
  /// What is left of the chunk that the thread has taken last.
  struct Chunk {
    uint64_t owner; ///< The arena's number; 0 for none.
    char *next, *end;
  };
  void *allocateSlowly(size_t size);

  /// Of that access model because the other one, in a library, may allocate.
  static thread_local Chunk chunk __attribute__((tls_model("initial-exec")));
  static std::atomic<uint64_t> arenas;
  /// No other arena has had it.
  const uint64_t number = ++arenas;
  std::mutex mutex;
  /// Slabs of the usual 4 KB would be half empty where each holds one table of
  /// 2 KB.
  llvm::BumpPtrAllocatorImpl<llvm::MallocAllocator, 64 << 10, LargestInSlab>
      arena;
};

/// Owns the memory. Everything is thread-safe but `arena` and `strings`.
class LinkMemory {
public:
  LinkMemory() = default;
  LinkMemory(const LinkMemory &) = delete;
  LinkMemory &operator=(const LinkMemory &) = delete;

  // Only for passes that run in one thread.
  llvm::BumpPtrAllocator arena;
  llvm::StringSaver strings{arena};
  SharedArena shared; ///< Holds patched code, tables and lists.
  /// Concatenates two texts. Most new names are made so, e.g. ".text." and the
  /// name of a function.
  llvm::StringRef join(llvm::StringRef front, llvm::StringRef back) {
    char *p = shared.Allocate<char>(front.size() + back.size());
    llvm::copy(back, llvm::copy(front, p));
    return {p, front.size() + back.size()};
  }

  /// Allocates `size` bytes, which aren't initialized.
  uint8_t *allocate(size_t size) {
#if LLVM_ADDRESS_SANITIZER_BUILD
    // Each in a block of its own, whose bounds are checked.
    std::lock_guard<std::mutex> lock(mutex);
    return blocks.emplace_back(new uint8_t[size]).get();
#else
    return shared.Allocate<uint8_t>(size);
#endif
  }
  /// Copies bytes.
  llvm::ArrayRef<uint8_t> save(llvm::ArrayRef<char> from) {
    uint8_t *p = allocate(from.size());
    if (!from.empty())
      memcpy(p, from.data(), from.size());
    return {p, from.size()};
  }
  /// Takes ownership of a buffer and returns its bytes.
  llvm::ArrayRef<uint8_t> keep(llvm::SmallVector<char, 0> buffer) {
    std::lock_guard<std::mutex> lock(mutex);
    kept.emplace_back(std::move(buffer));
    return llvm::ArrayRef(reinterpret_cast<const uint8_t *>(kept.back().data()),
                          kept.back().size());
  }

private:
  std::mutex mutex;
  Pool<llvm::SmallVector<char, 0>> kept;
#if LLVM_ADDRESS_SANITIZER_BUILD
  std::vector<std::unique_ptr<uint8_t[]>> blocks;
#endif
};

} // namespace lld::cuda

#endif
