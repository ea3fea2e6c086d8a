//===- IssueDistances.h - Time between instructions -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For how many cycles ptxas and nvlink keep two instructions of a block of
/// sm_103 and later apart: because they need the same unit, or because one
/// depends on the other, whose result takes a fixed time. Scoreboards are left
/// out. Found in code by ptxas: the shortest distances of pairs in random
/// kernels.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_ISSUEDISTANCES_H
#define LLD_CUDA_LIB_RESCHEDULE_ISSUEDISTANCES_H

#include "lld-cuda/Sass/Operands.h"
#include <bitset>

namespace lld::cuda::scoreboards {

using RegisterSet = std::bitset<sass::NumRegisters>;

/// What executes an instruction of fixed latency.
enum class IssueUnit : uint8_t {
  Other,
  Half, ///< Takes one every second cycle, like FMA.
  Full, ///< Takes one every cycle.
  FMA,
  Float,
};

/// An instruction read for its distances.
struct TimedInstruction {
  explicit TimedInstruction(const sass::Instruction &inst, unsigned sm = 120);

  bool isKnown() const { return operands.isKnown; }
  bool isFixed() const {
    return operands.resultClass == sass::ResultClass::Fixed;
  }
  /// Whether it may do nothing.
  bool isGuarded() const { return guard != 0; }

  sass::Operands operands;
  IssueUnit unit;
  bool isOlder;   ///< The architecture is one before sm_120.
  bool isWide;    ///< IADD.64 and MOV.64, which take the unit twice.
  uint16_t guard; ///< The predicate; 0: none.
  RegisterSet uses, defs;
};

/// Global, local and shared memory, whose accesses keep their distance; ATOMS
/// as well, with FP64 of sm_103, too.
bool isMemoryAccess(const sass::Operands &ops);

/// Cycles from `from` to `to`; at least. Where it isn't known, MaxStall.
unsigned minDistance(const TimedInstruction &from, const TimedInstruction &to);

/// Cycles from an instruction to the end of its block if the registers of
/// `live` are read later.
unsigned timeToBlockEnd(const TimedInstruction &from, const RegisterSet &live);

} // namespace lld::cuda::scoreboards

#endif
