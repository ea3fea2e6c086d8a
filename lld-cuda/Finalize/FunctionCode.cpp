//===- FunctionCode.cpp - The code of a function --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Finalize/FunctionCode.h"
#include "Program.h"
#include "lld-cuda/Finalize/CodeEdit.h"
#include "lld-cuda/Sass/Scoreboards.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;
using namespace lld::cuda::elf;

namespace lld::cuda {

bool hasCode(const Function &f) {
  return f.reachable && f.text && f.text->mercury && !f.text->parts.empty() &&
         !f.text->mercury->parts.empty();
}

bool isDebugLink(const Inputs &inputs) {
  return inputs.config.debug && !inputs.config.suppressDebugInfo;
}

void setOwnContents(OutputSection &sec, uint8_t *bytes, size_t size) {
  sec.setContents({bytes, size});
  sec.parts[0].setCopy(bytes);
}

MutableArrayRef<uint8_t> copyContents(const Inputs &inputs,
                                      OutputSection &sec) {
  ArrayRef<uint8_t> bytes = sec.parts[0].contents();
  uint8_t *copy = inputs.memory.allocate(bytes.size());
  llvm::copy(bytes, copy);
  for (const SectionPart &patch : sec.patches())
    llvm::copy(patch.bytes, copy + patch.offset);
  return {copy, bytes.size()};
}

void replaceCode(Function &f, MutableArrayRef<uint8_t> code) {
  f.text->parts[0].setCopy(code.data());
  if (auto &extras = f.text->extras)
    extras->patches.clear();
}

RemovedCode findRemovedCode(const Inputs &inputs, const Function &f) {
  RemovedCode removed;
  if (!f.edit || !inputs.rules.looksBeyondBlocks())
    return removed;
  const ArrayRef<uint8_t> code = f.text->parts[0].contents();
  for (const CodeEdit::Change &c : f.edit->allChanges()) {
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

std::vector<JumpTable> findJumpTables(const Function &f, bool isEdited) {
  constexpr size_t HeaderSize = 12, CountAt = 8;
  auto indexOf = [&](const uint8_t *offset) {
    const uint64_t at = read32le(offset);
    return uint32_t((isEdited && f.edit ? f.edit->newStart(at) : at) /
                    sass::InstructionSize);
  };
  const uint32_t count = f.text->parts[0].bytes.size() / sass::InstructionSize;
  std::vector<JumpTable> tables;
  for (const InfoRecord &r : f.infoRecords[unsigned(View::Native)]) {
    if (r.record.code != EIATTR_INDIRECT_BRANCH_TARGETS)
      continue;
    ArrayRef<uint8_t> payload = r.record.payload;
    while (payload.size() >= HeaderSize) {
      JumpTable &table = tables.emplace_back();
      table.jump = indexOf(payload.data());
      const uint64_t size = read32le(payload.data() + CountAt);
      payload = payload.drop_front(HeaderSize);
      if (size > payload.size() / 4)
        return {};
      for (uint64_t i = 0; i != size; ++i) {
        const uint8_t *target = payload.data() + 4 * i;
        table.targets.push_back(indexOf(target));
        if (read32le(target) % sass::InstructionSize ||
            table.targets.back() >= count)
          return {};
      }
      payload = payload.drop_front(4 * size);
    }
  }
  return tables;
}

std::vector<uint32_t> findChanges(const Function &f,
                                  bool CodeEdit::Change::*isWanted) {
  std::vector<uint32_t> indices;
  if (f.edit)
    for (const CodeEdit::Change &c : f.edit->allChanges())
      if (c.*isWanted)
        indices.push_back(c.index);
  return indices;
}

std::vector<uint32_t> findExitsWithBarriers(const Function &f) {
  return findChanges(f, &CodeEdit::Change::isBarrier);
}

} // namespace lld::cuda
