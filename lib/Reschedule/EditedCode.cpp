//===- EditedCode.cpp - What an edit means for the scoreboards ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Answers what a function's code edit means for its scoreboards.
/// Reschedule.cpp and OlderCode.cpp ask before they allocate scoreboards, when
/// a link with --reschedule finalizes a function: which instructions will be
/// removed, which EXITs will get an error barrier, and where jump tables lead
/// after the edit. nvlink's second allocator chooses scoreboards as if the
/// instructions that its finalizer removes weren't there, but the input code
/// still contains them. findRemovedCode() returns an empty list if the edit
/// also inserts barriers or NOPs; Reschedule.cpp then allocates scoreboards in
/// the edited code.
///
//===----------------------------------------------------------------------===//

#include "EditedCode.h"
#include "lld-cuda/Sass/ScoreboardFields.h"

using namespace llvm;

namespace lld::cuda {

RemovedCode findRemovedCode(const CodeEdit *edit, ArrayRef<uint8_t> code,
                            bool looksBeyondBlocks) {
  RemovedCode removed;
  if (!edit || !looksBeyondBlocks)
    return removed;
  for (const CodeEdit::Change &c : edit->allChanges()) {
    if (c.isBarrier || c.nops || c.isFence)
      return {};
    if (!c.removed || c.isDelay)
      continue;
    removed.indices.push_back(c.index);
    const ScoreboardFields fields = readScoreboards(sass::Instruction::read(
        code.data() + uint64_t(c.index) * sass::InstructionSize));
    removed.hasEvents |=
        fields.write != sass::NoScoreboard || fields.read != sass::NoScoreboard;
  }
  return removed;
}

std::vector<uint32_t> findChanges(const CodeEdit *edit,
                                  bool CodeEdit::Change::*isWanted) {
  std::vector<uint32_t> indices;
  if (edit)
    for (const CodeEdit::Change &c : edit->allChanges())
      if (c.*isWanted)
        indices.push_back(c.index);
  return indices;
}

std::vector<uint32_t> findExitsWithBarriers(const CodeEdit *edit) {
  return findChanges(edit, &CodeEdit::Change::isBarrier);
}

std::vector<JumpTable> moveJumpTables(const CodeEdit *edit,
                                      ArrayRef<JumpTable> tables) {
  std::vector<JumpTable> moved = tables.vec();
  auto move = [&](uint32_t &index) {
    index = edit->newStart(uint64_t(index) * sass::InstructionSize) /
            sass::InstructionSize;
  };
  for (JumpTable &table : moved)
    if (edit) {
      move(table.jump);
      for (uint32_t &target : table.targets)
        move(target);
    }
  return moved;
}

} // namespace lld::cuda
