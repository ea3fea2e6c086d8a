//===- Stages.h - The clock of a link ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The clock of a link, which records when each stage began. Link.cpp,
/// InputFiles.cpp and LtoLlvm.cpp tell it which stage begins, PtxCompiler.cpp
/// how much of one is done. Report/Stats.cpp reads it at the end of the link
/// for --stats and --time-trace, and it updates --progress (Progress.h).
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

/// The stages of a link, one after the other. Each ends where the next begins.
class Stages {
public:
  using Clock = std::chrono::steady_clock;
  struct Stage {
    const char *name;
    Clock::time_point begin;
    uint64_t peakBefore; ///< The peak memory when it began, in KiB.
  };

  /// Makes begin() record stages. Otherwise only the progress is updated.
  void enable() { enabled = true; }
  /// Sets the progress that is updated when stages begin; null for none.
  void tell(LinkProgress *to) { progress = to; }
  void begin(const char *name);
  /// Counts one of `count` equal parts of the stage as done. Thread-safe.
  void advance(size_t count);
  const std::vector<Stage> &list() const { return stages; }

  /// Returns the process's peak resident set size so far, in KiB.
  static uint64_t peakMemory();

private:
  bool enabled = false;
  LinkProgress *progress = nullptr;
  std::vector<Stage> stages;
};

} // namespace lld::cuda

#endif
