//===- Memory.h - What a link may take -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Whatever in this library takes memory - this project, LLVM, the C++ library,
/// decompressors - calls malloc() or mmap(), which the library's link replaces
/// by those of Memory.cpp (ld's --wrap). There it is charged to the account of
/// the handle for which the thread works, before it is taken; what would go
/// beyond the account's limit isn't to be had, as if the system had none.
/// Threads that the library starts work for whom the thread that started them
/// does.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_C_MEMORY_H
#define LLD_CUDA_BINDINGS_C_MEMORY_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lld::cuda::capi {

class Account {
public:
  /// 0: what the system leaves. To be called before anything is charged.
  void setLimit(uint64_t bytes);
  /// False: that would be too much.
  bool charge(size_t size) {
    const int64_t sum = used.fetch_add(size, std::memory_order_relaxed) + size;
    if (sum <= limit.load(std::memory_order_relaxed) || allowsMore(sum))
      return true;
    used.fetch_sub(size, std::memory_order_relaxed);
    return false;
  }
  /// What wasn't charged, as it is another's, may be given back here: the
  /// account then has less than nothing.
  void giveBack(int64_t size) {
    used.fetch_sub(size, std::memory_order_relaxed);
  }

private:
  bool allowsMore(int64_t sum);

  /// Links that take no more don't ask what the system has.
  static constexpr int64_t Unasked = 64 << 20;
  std::atomic<int64_t> used{0}, limit{Unasked};
  std::atomic<bool> isSettled{false};
};

/// As long as it lives, the thread works for the account.
class Charging {
public:
  explicit Charging(Account &account);
  Charging(const Charging &) = delete;
  Charging &operator=(const Charging &) = delete;
  ~Charging();

private:
  Account *before;
  int64_t creditBefore;
};

} // namespace lld::cuda::capi

#endif
