//===- Fp64Schedule.h - Code of sm_100 on sm_103 ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// New schedules for code that was compiled for sm_100 and is linked for
/// sm_103: new scheduling fields, and NOPs as delays. On sm_100, FP64
/// arithmetic has a fixed latency; sm_103's FP64 unit is much slower, so that
/// this code must be scheduled anew. planCodeEdit() (CodeEdit.cpp) asks for a
/// schedule of each such function when the linker plans code edits: from
/// scheduleSerialCode() below for unoptimized code, and from a Rescheduler for
/// optimized code, if the link has one. If there is no schedule, the edit makes
/// the code wait after each slower instruction.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_FP64SCHEDULE_H
#define LLD_CUDA_FINALCODE_FP64SCHEDULE_H

#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <vector>

namespace lld::cuda {

/// NOPs to be inserted after an instruction. The last NOP stalls for
/// `lastStall` cycles, the others and the instruction itself for 15. Nothing is
/// inserted if `nops` is 0.
struct Delay {
  uint32_t nops;
  uint8_t lastStall;
};

/// The new schedule of a function.
struct Fp64Schedule {
  /// The old instructions with new scheduling fields.
  std::vector<sass::Instruction> code;
  std::vector<Delay> delays; ///< One for each instruction of `code`.
};

/// How the CUDA release whose rules the link follows schedules optimized code,
/// and what the code's compiler did. Tags in brackets are rules of
/// docs/reference/scoreboards.md.
struct Fp64Rules {
  /// The function is a kernel in a link without -r and -g. If it makes no calls
  /// and doesn't use the stack pointer, the instruction that loads the stack
  /// pointer needs no scoreboard to signal its result.
  bool mayDropStackPointer = false;
  /// FP64 instructions are kept 64 cycles apart [code-fp64-delays].
  bool keepsApart = true;
  /// The release's allocator of scoreboards looks at what comes after a basic
  /// block [scoreboards-beyond-blocks].
  bool looksBeyondBlocks = false;
  /// The code's compiler looked no further than a basic block.
  bool wasWithinBlocks = false;
  /// The code's compiler already gave FP64 arithmetic scoreboards
  /// [scoreboards-fp64-events].
  bool hadEvents = false;
};

/// Schedules unoptimized code, in which each instruction waits for scoreboards
/// 0 and 1. The slower instructions get scoreboard 0 for the result and 1 for
/// the sources; no NOPs are inserted. Returns nullopt if an instruction of the
/// FP64 unit, or the one after it, doesn't wait for both.
std::optional<Fp64Schedule> scheduleSerialCode(llvm::ArrayRef<uint8_t> code);

} // namespace lld::cuda

#endif
