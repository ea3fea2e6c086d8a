//===- OlderFunctions.cpp - Code of older compilers -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions of objects that an older compiler of CUDA 13 has made: nvlink
/// gives them what its own compiler gives [scoreboards-older-code],
/// [code-additions], [code-fp64-delays], [code-self-moves].
///
//===----------------------------------------------------------------------===//

#include "Finalize/FunctionCode.h"
#include "Input/ObjectFile.h"
#include "Parallel.h"
#include "Program.h"
#include "lld-cuda/Finalize/CodeEdit.h"
#include "lld-cuda/Sass/AdditionSchedule.h"
#include "lld-cuda/Sass/Code.h"
#include "lld-cuda/Sass/Fp64Delays.h"
#include "lld-cuda/Sass/Scoreboards.h"

using namespace llvm;

namespace lld::cuda {

namespace {
/// A function of an older compiler.
struct OlderFunction {
  Function *function;
  OlderCode what;
  bool isReplayed;               ///< By the whole allocator.
  std::vector<uint32_t> removed; ///< What an edit will remove.
  std::vector<JumpTable> tables;
  std::vector<uint32_t> exits;       ///< That will get a barrier.
  std::vector<uint32_t> delays;      ///< The same of FP64 arithmetic.
  std::vector<uint32_t> selfMoves;   ///< And of moves.
  MutableArrayRef<uint8_t> code;     ///< A copy.
  SmallVector<uint8_t, 0> mercury{}; ///< .nv.capmerc.text; empty: stays.
  bool isChanged = false;
  bool isAllocated = false; ///< By the replay.

  CodeFacts facts() const { return {removed, tables, exits}; }
};
} // namespace

/// Gives the code the newer compiler's scoreboards.
static void renewScoreboards(OlderFunction &f, unsigned sm) {
  f.isAllocated =
      f.isReplayed && allocateOlder(f.code, sm, f.what, /*refusal=*/nullptr,
                                    f.facts()) == Rescheduling::Done;
  f.isChanged =
      f.isAllocated || (f.what.hasFirstAllocator && moveWaitsToCalls(f.code));
}

/// The same, and schedules the code anew with the instruction for sums of two
/// numbers. Returns false if nothing has changed.
static bool renewAdditions(OlderFunction &f, unsigned sm) {
  const std::vector<uint8_t> old(f.code.begin(), f.code.end());
  const std::vector<sass::Instruction> insts = readInstructions(old);
  if (insts.empty())
    return false;
  Expected<SmallVector<uint8_t, 0>> mercury =
      addAdditionRecords(old, f.function->text->mercury->parts[0].contents());
  if (!mercury) {
    consumeError(mercury.takeError());
    return false;
  }
  f.what.isScheduledAnew = true;
  renewScoreboards(f, sm);
  f.what.isScheduledAnew = false;
  std::vector<ScoreboardFields> fields;
  for (const sass::Instruction &inst : readInstructions(f.code))
    fields.push_back(readScoreboards(inst));
  std::optional<std::vector<sass::Instruction>> code =
      scheduleAdditions(insts, fields);
  if (!code) {
    llvm::copy(old, f.code.begin());
    return false;
  }
  for (size_t i = 0; i != code->size(); ++i)
    (*code)[i].write(f.code.data() + i * sass::InstructionSize);
  f.mercury = std::move(*mercury);
  f.isChanged = true;
  return true;
}

/// sm_120 and sm_121 have that instruction, which ptxas 13.0 doesn't use
/// [code-additions].
static bool hasNewAdditions(const Inputs &inputs) {
  return (inputs.sm() == 120 || inputs.sm() == 121) &&
         inputs.rules.hasTwoOperandAdditions();
}

/// What stands around delays and moves that an edit will remove comes sooner.
/// What a move waits for, the next instruction does; the replay has seen to
/// that.
static void closeGaps(OlderFunction &f, unsigned sm) {
  std::vector<uint32_t> removed = f.delays;
  append_range(removed, f.selfMoves);
  if (removed.empty())
    return;
  llvm::sort(removed);
  std::vector<sass::Instruction> code = readInstructions(f.code);
  if (!f.isAllocated)
    for (uint32_t i : f.selfMoves)
      code[i + 1].addWaits(code[i].waitMask());
  closeFp64Delays(code, removed, sm);
  for (size_t i = 0; i != code.size(); ++i)
    code[i].write(f.code.data() + i * sass::InstructionSize);
  f.isChanged = true;
}

static std::vector<OlderFunction> findOlderFunctions(const Inputs &inputs,
                                                     Program &program) {
  std::vector<OlderFunction> functions;
  for (Function &f : program.functions) {
    if (!hasCode(f) || f.isOldest)
      continue;
    const ObjectFile &obj = program.objects[f.definedIn];
    OlderCode what;
    what.hasFirstAllocator = obj.compiledFor.toolkit < FirstBeyondBlocks;
    what.lacksFp64Events = inputs.sm() == 100 && inputs.rules.hasFp64Events() &&
                           obj.compiledFor.toolkit < FirstWithFp64Events;
    what.isFinal = !inputs.isRelocatable() && !isDebugLink(inputs);
    std::vector<uint32_t> delays = findChanges(f, &CodeEdit::Change::isDelay);
    std::vector<uint32_t> selfMoves =
        findChanges(f, &CodeEdit::Change::isSelfMove);
    if (!what.hasFirstAllocator && !what.lacksFp64Events && delays.empty() &&
        selfMoves.empty())
      continue;
    const bool isReplayed = !(f.edit && f.edit->hasDelays());
    functions.push_back({&f, what, isReplayed,
                         findRemovedCode(inputs, f).indices,
                         findJumpTables(f, /*isEdited=*/false),
                         findExitsWithBarriers(f), std::move(delays),
                         std::move(selfMoves), copyContents(inputs, *f.text)});
  }
  return functions;
}

DenseSet<const Function *> renewOlderCode(const Inputs &inputs,
                                          Program &program) {
  DenseSet<const Function *> allocated;
  if (!inputs.rules.reallocatesScoreboards() ||
      !inputs.rules.looksBeyondBlocks() || !inputs.isMercury())
    return allocated;
  std::vector<OlderFunction> functions = findOlderFunctions(inputs, program);
  parallelForEach(inputs, functions.size(), [&](size_t i) {
    OlderFunction &f = functions[i];
    if (!f.what.hasFirstAllocator || !hasNewAdditions(inputs) ||
        !renewAdditions(f, inputs.sm()))
      renewScoreboards(f, inputs.sm());
    closeGaps(f, inputs.sm());
  });
  for (OlderFunction &f : functions) {
    if (f.isChanged)
      replaceCode(*f.function, f.code);
    if (f.isAllocated)
      allocated.insert(f.function);
    if (f.mercury.empty())
      continue;
    uint8_t *copy = inputs.memory.allocate(f.mercury.size());
    llvm::copy(f.mercury, copy);
    setOwnContents(*f.function->text->mercury, copy, f.mercury.size());
  }
  return allocated;
}

} // namespace lld::cuda
