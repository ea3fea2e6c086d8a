//===- FinalCodeCache.h - Final code that many links share ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Keeps the final code of functions that many links have in common: those of
/// an input that a program prepares once, such as libcudadevrt. Scheduling a
/// function anew takes far longer than everything else that a link does for it,
/// and the result depends on nothing but what a FunctionToSchedule says. The
/// linker's Finalizer.cpp asks the cache of the input before it calls a
/// Rescheduler, and adds what that has made.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_FINALCODECACHE_H
#define LLD_CUDA_FINALCODE_FINALCODECACHE_H

#include "lld-cuda/FinalCode/Rescheduler.h"
#include <map>
#include <memory>
#include <mutex>

namespace lld::cuda {

/// Thread-safe. Of each function it keeps only the first few results: more than
/// one if links place in memory differently what the function refers to.
class FinalCodeCache {
public:
  FinalCodeCache();
  FinalCodeCache(const FinalCodeCache &) = delete;
  FinalCodeCache &operator=(const FinalCodeCache &) = delete;
  ~FinalCodeCache();

  /// Finds the final code of the same function under the same circumstances,
  /// to the byte. Copies it into memory of `allocate`, or returns false.
  /// `place` is where the input has the code, by which functions are told
  /// apart.
  bool find(const uint8_t *place, const FunctionToSchedule &f,
            AllocateBytes allocate, FinalCode &out) const;
  void add(const uint8_t *place, const FunctionToSchedule &f,
           const FinalCode &code);

private:
  struct Known;

  mutable std::mutex mutex;
  std::map<const uint8_t *, std::vector<std::shared_ptr<const Known>>> known;
};

} // namespace lld::cuda

#endif
