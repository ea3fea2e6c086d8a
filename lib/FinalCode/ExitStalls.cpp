//===- ExitStalls.cpp - Stalls around an error barrier --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Computes how long instructions stall around the error barrier of an EXIT
/// [scoreboards-exit-stalls]. CodeEdit.cpp calls divideExitStall() when a link
/// for debugging inserts the barrier, and joinExitStall() when another link
/// removes it. An EXIT with two predicates stalls until both are there, and the
/// barrier needs only the first one; so the rest of the stall moves to the
/// barrier's last instruction. The stall is divided only if the second
/// predicate explains all of it; otherwise the instruction before the barrier
/// keeps it.
///
//===----------------------------------------------------------------------===//

#include "ExitStalls.h"
#include "lld-cuda/Sass/Operands.h"
#include <algorithm>

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

/// How long the instruction before the EXIT has to stall for a predicate
/// of fixed latency; 0 if that is not known, or if others have stalled for it.
static unsigned getStallFor(function_ref<Instruction(uint32_t)> at,
                            uint32_t exit, unsigned predicate) {
  constexpr unsigned Latency = 13, FP64Latency = 14;
  unsigned passed = 0;
  for (uint32_t i = exit; i-- && passed < FP64Latency;) {
    const Instruction inst = at(i);
    const Operands ops = decodeOperands(inst);
    if (ops.operation == OpBSYNC || inst.displacement())
      return 0;
    if (i + 1 != exit)
      passed += inst.stall();
    if (ops.readResult == FirstPredicate + predicate)
      return 0;
    if (!ops.writes(FirstPredicate + predicate))
      continue;
    const bool isFP64 = ops.info().events == EventKind::FP64;
    if (inst.writeScoreboard() != NoScoreboard ||
        (!isFP64 && ops.resultClass != ResultClass::Fixed))
      return 0;
    const unsigned latency = isFP64 ? FP64Latency : Latency;
    return latency - std::min(passed, latency);
  }
  return 0;
}

unsigned joinExitStall(function_ref<Instruction(uint32_t)> at, uint32_t exit,
                       unsigned shortest) {
  constexpr unsigned AlwaysTrue = 7;
  const Instruction inst = at(exit), before = at(exit - 1);
  unsigned stall = std::max(before.stall(), shortest);
  for (const unsigned predicate : {inst.predicate(), inst.condition()})
    if ((predicate & AlwaysTrue) != AlwaysTrue && !before.isMembar())
      stall = std::max(stall, getStallFor(at, exit, predicate & AlwaysTrue));
  return stall;
}

ExitStalls divideExitStall(function_ref<Instruction(uint32_t)> at,
                           uint32_t exit, unsigned shortest) {
  constexpr unsigned AlwaysTrue = 7, FenceTime = 1;
  const Instruction inst = at(exit), before = at(exit - 1);
  const unsigned guard = inst.predicate() & AlwaysTrue;
  const unsigned condition = inst.condition() & AlwaysTrue;
  const ExitStalls same = {before.stall(), ShortestBarrierStall};
  if (condition == AlwaysTrue || before.isMembar())
    return same;
  const unsigned needed = getStallFor(at, exit, condition);
  const unsigned forGuard =
      guard == AlwaysTrue ? 0 : getStallFor(at, exit, guard);
  if (needed != before.stall() || std::max(forGuard, shortest) >= needed)
    return same;
  const unsigned left = std::max(forGuard, shortest);
  return {left, std::max(ShortestBarrierStall, needed - left - FenceTime)};
}

} // namespace lld::cuda
