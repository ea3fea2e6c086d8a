//===- Fp64Schedule.h - FP64 code of sm_100 on sm_103 -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// sm_103 takes code for sm_100, where FP64 arithmetic has a fixed latency, but
/// has a much slower unit for it. A schedule says what becomes of such code.
/// Here is that of code that isn't optimized; that of other code is chosen by a
/// Rescheduler, where one is asked for.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_FP64SCHEDULE_H
#define LLD_CUDA_FINALCODE_FP64SCHEDULE_H

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

/// How a release schedules such code, and of which one the code is.
struct Fp64Rules {
  /// The code is a kernel's, for which nvlink allocates scoreboards anew if it
  /// has no calls.
  bool mayDropStackPointer = false;
  bool keepsApart = true;         ///< By 64 cycles [code-fp64-delays].
  bool looksBeyondBlocks = false; ///< See [scoreboards-beyond-blocks].
  bool wasWithinBlocks = false;   ///< But the code's compiler didn't.
  bool hadEvents = false;         ///< In the code [scoreboards-fp64-events].
};

/// Schedules code that isn't optimized: each instruction waits for everything,
/// with scoreboard 0 for results and 1 for sources, and there are no NOPs.
/// Nothing if there are instructions that don't wait so.
std::optional<Fp64Schedule> scheduleSerialCode(llvm::ArrayRef<uint8_t> code);

} // namespace lld::cuda

#endif
