//===- IssueDistances.h - Cycles between two instructions -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A model of how many cycles ptxas and nvlink keep two instructions of a basic
/// block apart: because they need the same unit, or because one depends on the
/// other, whose result takes a fixed time. Scoreboards are left out. The
/// schedulers of this folder ask it for pairs of instructions of a block when a
/// link with --reschedule (part of --nvlink-compat) sets a function's stalls
/// anew, as nvlink does: Fp64Schedule.cpp when the link plans its code edits,
/// for code of sm_100 that is linked for sm_103; AdditionSchedule.cpp and
/// Fp64Delays.cpp when it finalizes functions at its end, for code of older
/// compilers. A stall is the number of cycles that an instruction holds back
/// the next one. The numbers were found in code from ptxas for sm_103 and
/// later: the shortest distances of pairs in random kernels.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_ISSUEDISTANCES_H
#define LLD_CUDA_LIB_RESCHEDULE_ISSUEDISTANCES_H

#include "RegisterSet.h"
#include "lld-cuda/Sass/Operands.h"

namespace lld::cuda::scoreboards {

/// The unit that executes an instruction of fixed latency.
enum class IssueUnit : uint8_t {
  Other,
  Half,  ///< Accepts an instruction every second cycle, like FMA.
  Full,  ///< Accepts an instruction every cycle.
  FMA,   ///< The unit of IMAD, HFMA2 and VIADD.
  Float, ///< The unit of FADD, FMUL and FFMA.
};

/// An instruction with what its distances depend on: unit, guard and registers.
/// `sm` is the architecture of the code, whose units differ before sm_120.
struct TimedInstruction {
  explicit TimedInstruction(const sass::Instruction &inst, unsigned sm = 120);

  bool isKnown() const { return operands.isKnown; }
  bool isFixed() const {
    return operands.resultClass == sass::ResultClass::Fixed;
  }
  /// Returns whether it has a predicate as guard, so that it may do nothing.
  bool isGuarded() const { return guard != 0; }

  sass::Operands operands;
  IssueUnit unit;
  bool isOlder;   ///< Whether the architecture is before sm_120.
  bool isWide;    ///< Whether it is IADD.64 or MOV.64, which take the unit
                  ///< twice.
  uint16_t guard; ///< The register number of the guard; 0 for none.
  RegisterSet uses, defs;
};

/// Returns whether an instruction accesses global, local or shared memory,
/// ATOMS included. Two of them must be issued some cycles apart even if neither
/// depends on the other.
bool isMemoryAccess(const sass::Operands &ops);

/// Returns the least number of cycles between the issue of `from` and that of
/// `to`; sass::MaxStall, the longest stall, if it isn't known.
unsigned minDistance(const TimedInstruction &from, const TimedInstruction &to);

/// Returns the least number of cycles from an instruction to the end of its
/// block, if the registers of `live` are read in later blocks.
unsigned timeToBlockEnd(const TimedInstruction &from, const RegisterSet &live);

} // namespace lld::cuda::scoreboards

#endif
