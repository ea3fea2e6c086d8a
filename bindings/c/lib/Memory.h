//===- Memory.h - Accounting of a link's memory -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The accounting of memory for lldcuda_options.memory_limit. Whatever in
/// liblld-cuda takes memory (this project's code, LLVM, the C++ library,
/// decompressors) calls malloc() or mmap(), which are redirected to Memory.cpp
/// when the library is built (ld's --wrap). Memory.cpp charges each allocation,
/// before it is made, to the account of the handle for which the thread works;
/// an allocation beyond the account's limit fails as if the system had no
/// memory left.
/// callWith() (Handles.h) and lldcuda_link_create() choose the account with a
/// Charging for the duration of a call; threads that the library starts inherit
/// it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_C_MEMORY_H
#define LLD_CUDA_BINDINGS_C_MEMORY_H

#include "LinkHeap.h"
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace lld::cuda::capi {

/// How many bytes a handle holds, and how many it may hold. Thread-safe.
class Account {
public:
  Account() = default;
  Account(const Account &) = delete;
  Account &operator=(const Account &) = delete;
  ~Account() { endHeap(); }

  /// No other account of the process has it.
  const uint64_t number = ++accounts;

  /// Returns the heap for the handle, or null if there is no memory for it.
  LinkHeap *getHeap();
  /// Gives up the heap. Only the calling thread may work for the handle.
  void endHeap();
  /// Sets the limit in bytes; 0 stands for what the system has left. Must be
  /// called before anything is charged.
  void setLimit(uint64_t bytes);
  /// Adds `size` bytes. Returns false, and adds nothing, if that would exceed
  /// the limit.
  bool charge(size_t size) {
    const int64_t sum = used.fetch_add(size, std::memory_order_relaxed) + size;
    if (sum <= limit.load(std::memory_order_relaxed) || allowsMore(sum))
      return true;
    used.fetch_sub(size, std::memory_order_relaxed);
    return false;
  }
  /// Subtracts `size` bytes. Memory that was charged to another account may be
  /// given back here, so the sum can be negative.
  void giveBack(int64_t size) {
    used.fetch_sub(size, std::memory_order_relaxed);
  }

private:
  bool allowsMore(int64_t sum);

  /// As long as an account without a limit of its own holds no more bytes than
  /// this, the system isn't asked how much memory it has left.
  static constexpr int64_t Unasked = 64 << 20;
  std::atomic<int64_t> used{0}, limit{Unasked};
  std::atomic<bool> isSettled{false}; ///< `limit` is final.
  static std::atomic<uint64_t> accounts;
  std::mutex mutex;
  LinkHeap *heap = nullptr;
};

/// Must be called before any Charging.
void prepareHeaps();

/// As long as an object lives, allocations of its thread are charged to
/// `account`. They are made in the account's heap, but for those while a
/// LongLived lives.
class Charging {
public:
  explicit Charging(Account &account);
  Charging(const Charging &) = delete;
  Charging &operator=(const Charging &) = delete;
  ~Charging();

private:
  Account &account;
  // What the thread did before.
  Account *const before;
  const int64_t beforeCredit;
  LinkHeap::Part *const beforePart;
  const bool beforeUses;
};

} // namespace lld::cuda::capi

#endif
