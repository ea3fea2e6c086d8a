//===- Stages.h - Where a link spends its time ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which stage a link is in and when it began, for --stats, --time-trace
/// (Report/Stats.cpp) and --progress (Progress.h).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_MESSAGES_STAGES_H
#define LLD_CUDA_MESSAGES_STAGES_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lld::cuda {

class LinkProgress;

/// The stages of a link one after the other: each ends where the next begins.
class Stages {
public:
  using Clock = std::chrono::steady_clock;
  struct Stage {
    const char *name;
    Clock::time_point begin;
    uint64_t peakBefore; ///< Largest resident size until then, in KiB.
  };

  void enable() { enabled = true; }
  /// Tells each stage's beginning there, too.
  void tell(LinkProgress *to) { progress = to; }
  void begin(const char *name);
  /// One of `count` equal parts of the stage is done. Thread-safe.
  void advance(size_t count);
  const std::vector<Stage> &list() const { return stages; }

  /// The process's largest resident size so far, in KiB.
  static uint64_t peakMemory();

private:
  bool enabled = false;
  LinkProgress *progress = nullptr;
  std::vector<Stage> stages;
};

} // namespace lld::cuda

#endif
