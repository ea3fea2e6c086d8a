//===- Rescheduler.h - Schedules as nvlink chooses them ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// nvlink's finalizer schedules some functions anew: it chooses other
/// scoreboards and stalls than the compiler did. The compiler's are as right,
/// so that is done on request only (`--reschedule`, `--nvlink-compat`), by a
/// component that a build may leave out: lld-cuda/Reschedule/Reschedule.h. This
/// is all that the rest of the linker knows of it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_RESCHEDULER_H
#define LLD_CUDA_FINALCODE_RESCHEDULER_H

#include "lld-cuda/FinalCode/FinalCode.h"
#include "lld-cuda/FinalCode/Fp64Schedule.h"
#include "lld-cuda/Sass/ControlFlow.h"

namespace lld::cuda {

/// The first toolkits, as objects number them, whose code has this already:
/// the second allocator's scoreboards [scoreboards-beyond-blocks], and events
/// of FP64 arithmetic on sm_100 [scoreboards-fp64-events].
constexpr uint32_t FirstBeyondBlocks = 131, FirstWithFp64Events = 133;

/// The first architecture whose code of older compilers has no fences without
/// an event [scoreboards-older-fences].
constexpr unsigned FirstWithFenceEvents = 120;

/// A function to be scheduled anew, and what the linker knows of it.
struct FunctionToSchedule {
  FunctionCode code;
  unsigned sm;      ///< What is linked for.
  uint32_t toolkit; ///< Whose compiler made it: 130 for CUDA 13.0.
  bool isKernel;
  bool isFinal;     ///< The link is one without -r.
  bool isDebugLink; ///< The link is one with -g.
  /// Where jumps through tables go, as far as that is known. Indices are those
  /// of instructions before the edit.
  std::vector<JumpTable> tables;
  // What the release does; see Behaviors.def.
  bool looksBeyondBlocks;
  bool hasFp64Events;
  bool hasTwoOperandAdditions;
};

class Rescheduler {
public:
  /// Schedules optimized code of sm_100 for sm_103, if what nvlink does can be
  /// told.
  virtual std::optional<Fp64Schedule>
  scheduleFp64(llvm::ArrayRef<uint8_t> code, const Fp64Rules &rules) const = 0;

  /// Indices of the NOPs that an older compiler put between FP64 instructions,
  /// in order [code-fp64-delays].
  virtual std::vector<uint32_t>
  findFp64Delays(llvm::ArrayRef<sass::Instruction> code) const = 0;

  /// Does what finalizeFunction() does, and schedules the function anew before
  /// or after that. Where what nvlink does can't be told, or isn't shown to be
  /// safe, the compiler's schedule stays.
  virtual llvm::Error finalize(const FunctionToSchedule &f,
                               AllocateBytes allocate,
                               FinalCode &out) const = 0;

protected:
  ~Rescheduler() = default;
};

} // namespace lld::cuda

#endif
