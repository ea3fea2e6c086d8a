//===- PredicateScoreboards.cpp - Which scoreboards guards wait for -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the scoreboards that the guard of an EXIT has to wait for. `@P0 EXIT`
/// may have to wait for a scoreboard until P0 is there. When CodeWriter
/// (CodeEdit.cpp) writes an error barrier in front of it at the end of a link,
/// the barrier has P0 as its guard and takes over that wait, but not the EXIT's
/// waits for other things; CodeWriter asks here for the difference. It is
/// computed by a forward dataflow analysis: for each predicate the set of
/// scoreboards that its value may still be pending on, joined where blocks
/// meet, until nothing changes. Where the basic blocks aren't known, the code
/// is read once from start to end.
///
//===----------------------------------------------------------------------===//

#include "PredicateScoreboards.h"
#include "lld-cuda/Sass/ControlFlow.h"
#include "lld-cuda/Sass/Operands.h"
#include "lld-cuda/Sass/ScoreboardFields.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

constexpr unsigned WaitBit = 52; ///< Of an instruction's upper half.

void PredicateScoreboards::step(const Instruction &inst, State &state) {
  const uint8_t waits = inst.waitMask() >> WaitBit;
  for (uint8_t &mask : state)
    mask &= ~waits;
  const uint8_t scoreboard =
      inst.writeScoreboard() == NoScoreboard ? 0 : 1 << inst.writeScoreboard();
  const Operands operands = decodeOperands(inst);
  // If the operation isn't known, this may be a predicate that it sets.
  if (!operands.isKnown) {
    if (inst.firstPredicate() < NumPredicates)
      state[inst.firstPredicate()] |= scoreboard;
    return;
  }
  // What is guarded may leave the value as it was.
  const bool mayStay = (inst.predicate() & NumPredicates) != NumPredicates;
  auto set = [&](unsigned r, uint8_t scoreboard) {
    uint8_t &mask = state[r - FirstPredicate];
    mask = (mayStay ? mask : 0) | scoreboard;
  };
  for (sass::RegisterRange def : operands.defs)
    for (unsigned r = def.first; r != def.first + def.count; ++r)
      if (r >= FirstPredicate && r < FirstPredicate + NumPredicates)
        set(r, scoreboard);
  if (operands.readResult) {
    const unsigned read = readScoreboards(inst).read;
    set(operands.readResult, read == NoScoreboard ? 0 : 1 << read);
  }
}

/// Goes through a block, and leaves what is pending at its end in `state`.
void PredicateScoreboards::walk(ArrayRef<Instruction> code, uint32_t begin,
                                uint32_t end, State &state) {
  for (uint32_t i = begin; i != end; ++i) {
    const unsigned guard = code[i].predicate() & NumPredicates;
    if (code[i].isExit() && guard != NumPredicates)
      guards[i] = state[guard];
    step(code[i], state);
  }
}

PredicateScoreboards::PredicateScoreboards(ArrayRef<Instruction> code) {
  guards.assign(code.size(), 0);
  const std::optional<ControlFlow> flow = ControlFlow::build(code);
  if (!flow) {
    State state = {};
    walk(code, 0, code.size(), state);
    return;
  }
  std::vector<State> atBegin(flow->blocks.size(), State());
  std::vector<bool> isQueued(flow->blocks.size(), true);
  std::vector<uint32_t> queue(flow->order.rbegin(), flow->order.rend());
  while (!queue.empty()) {
    const uint32_t block = queue.back();
    queue.pop_back();
    isQueued[block] = false;
    const BasicBlock &bb = flow->blocks[block];
    State state = atBegin[block];
    walk(code, bb.begin, bb.end, state);
    for (uint32_t next : bb.successors) {
      State joined = atBegin[next];
      for (unsigned p = 0; p != NumPredicates; ++p)
        joined[p] |= state[p];
      if (joined == atBegin[next])
        continue;
      atBegin[next] = joined;
      if (!isQueued[next])
        queue.push_back(next);
      isQueued[next] = true;
    }
  }
}

uint64_t PredicateScoreboards::waitsFor(uint32_t exit) const {
  return uint64_t(guards[exit]) << WaitBit;
}

} // namespace lld::cuda
