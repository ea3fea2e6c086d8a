//===- Fp64Schedule.h - FP64 code of sm_100 on sm_103 -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// sm_103 takes code for sm_100, where FP64 arithmetic has a fixed latency, but
/// has a much slower unit for it. What nvlink makes of such code, the same that
/// ptxas makes of it for sm_103 (docs/reference/scoreboards.md, "FP64 on
/// sm_103"):
///
/// * FP64 arithmetic gets scoreboards for its results and sources.
/// * Up to 13.3, instructions for the FP64 unit, with conversions from and to 64
///   bits, that stand in one block issue 64 cycles after each other: the one
///   before the second stalls for 15 cycles, then NOPs for the rest.
/// * Who waited for an FP64 result by stalling doesn't stall any more.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SASS_FP64SCHEDULE_H
#define LLD_CUDA_SASS_FP64SCHEDULE_H

#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <vector>

namespace lld::cuda {

/// NOPs after an instruction: the last one stalls for `lastStall` cycles, the
/// others, and the instruction itself, for 15.
struct Delay {
  uint32_t nops;
  uint8_t lastStall;
};

struct Fp64Schedule {
  /// The old instructions with new scheduling fields.
  std::vector<sass::Instruction> code;
  std::vector<Delay> delays; ///< By instruction.
};

/// How a release schedules it, and of which one the code is.
struct Fp64Rules {
  /// Of a kernel that nvlink allocates scoreboards for anew if it has no calls
  /// (Scoreboards.h).
  bool mayDropStackPointer = false;
  bool keepsApart = true;         ///< By 64 cycles [code-fp64-delays].
  bool looksBeyondBlocks = false; ///< See ScoreboardAllocator.
  bool wasWithinBlocks = false;   ///< But the code's compiler didn't.
  bool hadEvents = false; ///< In the code [scoreboards-fp64-events].
};

/// Schedules the code of a function of sm_100 for sm_103, as nvlink does, if
/// what it does can be told.
std::optional<Fp64Schedule> scheduleFp64Code(llvm::ArrayRef<uint8_t> code,
                                             const Fp64Rules &rules);

/// The same for code that isn't optimized, for all of its instructions and
/// without NOPs: each waits for everything, with scoreboard 0 for results and 1
/// for sources. Nothing if there are instructions that don't.
std::optional<Fp64Schedule> scheduleSerialCode(llvm::ArrayRef<uint8_t> code);

} // namespace lld::cuda

#endif
