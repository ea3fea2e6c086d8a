//===- Rescheduler.h - Interface of nvlink's scheduler ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interface of the optional component that schedules functions of sm_100
/// and later as nvlink's finalizer does: with other scoreboards and stalls than
/// the compiler chose. The compiler's schedules are right as well, so this is
/// done on request only (`--reschedule`, `--nvlink-compat`). The linker's
/// Finalizer.cpp gets the object from getRescheduler()
/// (lld-cuda/Reschedule/Reschedule.h; null if the build has no such component)
/// and calls it where functions are finalized at the end of a link;
/// planCodeEdit() calls it for code of sm_100 that is linked for sm_103.
///
/// Tags in brackets are rules of docs/reference/scoreboards.md.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_RESCHEDULER_H
#define LLD_CUDA_FINALCODE_RESCHEDULER_H

#include "lld-cuda/FinalCode/FinalCode.h"
#include "lld-cuda/FinalCode/Fp64Schedule.h"
#include "lld-cuda/Sass/ControlFlow.h"

namespace lld::cuda {

/// The first toolkits (131 is CUDA 13.1) whose compiled code has the second
/// allocator's scoreboards [scoreboards-beyond-blocks], and scoreboards of FP64
/// arithmetic on sm_100 [scoreboards-fp64-events].
constexpr uint32_t FirstBeyondBlocks = 131, FirstWithFp64Events = 133;

/// The first architecture for which also older compilers give all fences an
/// event [scoreboards-older-fences].
constexpr unsigned FirstWithFenceEvents = 120;

/// A function to be scheduled anew, and what the linker knows about it.
struct FunctionToSchedule {
  FunctionCode code;
  unsigned sm;      ///< The target architecture, e.g. 100.
  uint32_t toolkit; ///< The toolkit that compiled it: 130 for CUDA 13.0.
  bool isKernel;
  bool isFinal;     ///< The link is one without -r.
  bool isDebugLink; ///< The link is one with -g.
  /// The known targets of jumps through tables, as indices of instructions
  /// before the edit.
  std::vector<JumpTable> tables;
  // What the release does; see Behaviors.def.
  bool looksBeyondBlocks;
  bool hasFp64Events;
  bool hasTwoOperandAdditions;
};

class Rescheduler {
public:
  /// Schedules optimized code of sm_100 for sm_103. Returns nullopt if it isn't
  /// known what nvlink does.
  virtual std::optional<Fp64Schedule>
  scheduleFp64(llvm::ArrayRef<uint8_t> code, const Fp64Rules &rules) const = 0;

  /// Returns the indices of the NOPs that an older compiler put between FP64
  /// instructions, in order [code-fp64-delays].
  virtual std::vector<uint32_t>
  findFp64Delays(llvm::ArrayRef<sass::Instruction> code) const = 0;

  /// Does what finalizeFunction() does, and also schedules the function anew.
  /// The compiler's schedule stays if it isn't known what nvlink does, or if
  /// that can't be shown to be safe. Called by several threads at once, one
  /// function each.
  virtual llvm::Error finalize(const FunctionToSchedule &f,
                               AllocateBytes allocate,
                               FinalCode &out) const = 0;

protected:
  ~Rescheduler() = default;
};

} // namespace lld::cuda

#endif
