//===- CallWaits.cpp - Waits in front of a call ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Moves waits for scoreboards from the instruction before a call to the call
/// itself. OlderCode.cpp calls moveWaitsToCalls() when a link with --reschedule
/// renews a function of a compiler up to 13.0 whose scoreboards can't be
/// allocated anew. Such compilers let the instruction before a call wait for
/// results that are complete by then; later ones leave these waits to the call
/// [scoreboards-waits-at-calls]. Each move is checked against the whole
/// function (areScoreboardsSafe()), so their number is limited in large
/// functions.
///
//===----------------------------------------------------------------------===//

#include "Scoreboards.h"
#include "lld-cuda/Sass/Operands.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

/// Moves a wait from instruction `at` to the call after it, if `at` itself
/// doesn't depend on what it waits for.
static bool moveWait(ArrayRef<Instruction> code,
                     MutableArrayRef<ScoreboardFields> fields, size_t at,
                     unsigned scoreboard) {
  ScoreboardFields &last = fields[at], &call = fields[at + 1];
  if (last.write == scoreboard || last.read == scoreboard)
    return false;
  const ScoreboardFields lastBefore = last, callBefore = call;
  last.waits &= ~(1 << scoreboard);
  call.waits |= 1 << scoreboard;
  if (areScoreboardsSafe(code, fields))
    return true;
  last = lastBefore;
  call = callBefore;
  return false;
}

bool isSerial(const Instruction &first) {
  constexpr unsigned LongestStall = 15;
  constexpr uint8_t Both = 3;
  return first.stall() == LongestStall &&
         (readScoreboards(first).waits & Both) == Both;
}

bool moveWaitsToCalls(MutableArrayRef<uint8_t> code) {
  std::vector<Instruction> insts = readInstructions(code);
  if (insts.empty() || isSerial(insts.front()))
    return false;
  std::vector<ScoreboardFields> fields;
  fields.reserve(insts.size());
  for (const Instruction &inst : insts)
    fields.push_back(readScoreboards(inst));
  // Each wait is shown to be safe by a look at the whole function.
  constexpr uint64_t MaxLooks = 1 << 24;
  const uint64_t mostMoves = MaxLooks / insts.size();
  uint64_t tried = 0;
  bool moved = false;
  for (size_t i = 1; i < insts.size(); ++i)
    if (insts[i].isCall() && !decodeOperands(insts[i - 1]).isCollective)
      for (unsigned s = 0; s != NumScoreboards; ++s)
        if (fields[i - 1].waits >> s & 1 && ++tried <= mostMoves)
          moved |= moveWait(insts, fields, i - 1, s);
  if (!moved)
    return false;
  for (size_t i = 0; i != insts.size(); ++i) {
    writeScoreboards(insts[i], fields[i]);
    insts[i].write(code.data() + i * InstructionSize);
  }
  return true;
}

} // namespace lld::cuda
