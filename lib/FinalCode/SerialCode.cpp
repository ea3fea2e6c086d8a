//===- SerialCode.cpp - The schedule of code that isn't optimized ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Changes the schedule of code that isn't optimized, in which ptxas lets each
/// instruction wait for scoreboards 0 and 1 and so for all instructions before
/// it. EditPlanner (CodeEdit.cpp) calls one of two functions when a link plans
/// the edit of such a function. clearScheduling() clears all scheduling fields,
/// as nvlink does since 13.3. scheduleSerialCode() adapts code for sm_100 to
/// sm_103, where FP64 arithmetic takes longer: an FP64 instruction signals its
/// result by scoreboard 0 and the end of its reads by scoreboard 1, for which
/// the next instruction waits anyway. The function returns nullopt if the FP64
/// instruction or the next one doesn't wait for both.
///
//===----------------------------------------------------------------------===//

#include "SerialCode.h"
#include "lld-cuda/FinalCode/Fp64Schedule.h"
#include "lld-cuda/Sass/ScoreboardFields.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

bool isSerialCode(ArrayRef<Instruction> code) {
  constexpr uint8_t Both = 3;
  auto waits = [](const Instruction &inst) {
    return !inst.stall() || (readScoreboards(inst).waits & Both) == Both ||
           inst.isMembar() || inst.isFencePlaceholder();
  };
  return !code.empty() && code.front().stall() == MaxStall &&
         all_of(code, waits);
}

std::vector<uint32_t> clearScheduling(ArrayRef<Instruction> code) {
  std::vector<uint32_t> scheduling;
  for (const Instruction &inst : code)
    scheduling.push_back(inst.isFencePlaceholder() ? inst.scheduling()
                                                   : Instruction::Unscheduled);
  return scheduling;
}

std::optional<Fp64Schedule> scheduleSerialCode(ArrayRef<uint8_t> code) {
  constexpr uint8_t ForResult = 0, ForSources = 1,
                    Both = 1 << ForResult | 1 << ForSources;
  Fp64Schedule schedule;
  schedule.code = readInstructions(code);
  schedule.delays.resize(schedule.code.size());
  auto waitsForBoth = [&](size_t i) {
    return i < schedule.code.size() &&
           (readScoreboards(schedule.code[i]).waits & Both) == Both;
  };
  for (auto [i, inst] : enumerate(schedule.code)) {
    if (!inst.isSlowerOnSM103() && !inst.usesFP64Unit())
      continue;
    if (!waitsForBoth(i) || !waitsForBoth(i + 1))
      return std::nullopt;
    ScoreboardFields fields = readScoreboards(inst);
    if (!inst.isSlowerOnSM103())
      continue;
    if (fields.write != NoScoreboard || fields.read != NoScoreboard)
      return std::nullopt;
    fields.write = ForResult;
    fields.read = ForSources;
    writeScoreboards(inst, fields);
    inst.setStall(MaxStall);
  }
  return schedule;
}

} // namespace lld::cuda
