//===- Stats.h - Where a link spends its time -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which stage a link is in. --stats prints counts and the time of each stage
/// of a link; --time-trace writes the stages in the form that chrome://tracing
/// and Perfetto show.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_REPORT_STATS_H
#define LLD_CUDA_REPORT_STATS_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lld::cuda {

struct Inputs;
struct Program;
struct Numbered;
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

/// What --stats and --time-trace ask for, at the end of the link.
void reportStats(const Inputs &inputs, Program &program,
                 const Numbered &numbered);

} // namespace lld::cuda

#endif
