//===- FrameRows.cpp - Rules of call frames and their places --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// readFrame() splits the call frame description of a function (an FDE of
/// .debug_frame) into rules, each with the code offset from which on it holds,
/// and addRows() puts further rules between them. DebugFrame.cpp uses both when
/// it makes .debug_frame anew, in links for sm_100 and later, where nvlink adds
/// rules that the input's FDE lacks. An FDE says "advance by n" between rules,
/// so a rule that is added in the middle splits an advance: "advance 8" becomes
/// "advance 4, rule, advance 4". A rule that already is at its offset isn't
/// added again. addRows() leaves an FDE whose instructions can't be read
/// unchanged; readFrame() returns the rules before the mistake and doesn't
/// report it.
///
//===----------------------------------------------------------------------===//

#include "Finalize/FrameRows.h"
#include "lld-cuda/FinalCode/CallFrame.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace lld::cuda {

FrameRows readFrame(ArrayRef<uint8_t> fde) {
  FrameRows result;
  bool endsInAdvance = false;
  uint32_t address = 0; // In kernels the last advance goes back a little.
  consumeError(forEachFrameInstruction(fde, [&](const FrameInstruction &inst) {
    address += inst.advance.value_or(0);
    if (inst.opcode == dwarf::DW_CFA_nop)
      return Error::success();
    endsInAdvance = inst.advance.has_value();
    if (!endsInAdvance)
      result.push_back({address, fde.slice(inst.offset, inst.size)});
    return Error::success();
  }));
  if (!result.empty() && endsInAdvance)
    result.push_back({address, {}});
  return result;
}

FrameRows readPlainFrame(ArrayRef<uint8_t> fde) {
  FrameRows result = readFrame(fde);
  // A rule's offset is its last operand.
  const bool isPlain = all_of(result, [](const FrameRow &row) {
    return row.rule.empty() ||
           (row.rule.front() == dwarf::DW_CFA_def_cfa && !row.rule.back());
  });
  return isPlain ? result : FrameRows();
}

void sortByPlace(FrameRows &rows) {
  stable_sort(rows, [](const FrameRow &a, const FrameRow &b) {
    return a.place < b.place;
  });
}

namespace {

/// Writes a frame's instructions with the rules that are put between them.
class FrameMerger {
public:
  explicit FrameMerger(ArrayRef<FrameRow> rows) : rows(rows) {}

  void add(const FrameInstruction &inst, ArrayRef<uint8_t> bytes) {
    if (inst.advance) {
      const uint64_t target = address + *inst.advance;
      addRows(target);
      advanceTo(target);
    } else if (inst.opcode != dwarf::DW_CFA_nop) {
      addRule(bytes);
    }
  }
  ArrayRef<char> finish() {
    addRows(UINT64_MAX);
    return program;
  }

private:
  void advanceTo(uint64_t target) {
    char delta[4];
    support::endian::write32le(delta, target - address);
    program.push_back(dwarf::DW_CFA_advance_loc4);
    program.append(std::begin(delta), std::end(delta));
    address = target;
    rules.clear();
  }
  void addRule(ArrayRef<uint8_t> rule) {
    program.append(rule.begin(), rule.end());
    rules.push_back(rule);
  }
  /// Adds the further rules whose place is before `limit`.
  void addRows(uint64_t limit) {
    for (; !rows.empty() && rows.front().place < limit;
         rows = rows.drop_front()) {
      const FrameRow &r = rows.front();
      if (r.place > address)
        advanceTo(r.place);
      if (!r.rule.empty() && !is_contained(rules, r.rule))
        addRule(r.rule);
    }
  }

  ArrayRef<FrameRow> rows;
  SmallVector<char, 0> program;
  SmallVector<ArrayRef<uint8_t>, 4> rules; ///< At the address.
  uint64_t address = 0;
};

} // namespace

void addRows(ArrayRef<FrameRow> rows, uint64_t fdeOffset,
             SmallVectorImpl<char> &out) {
  FrameMerger merger(rows);
  ArrayRef<uint8_t> fde(reinterpret_cast<uint8_t *>(out.data()) + fdeOffset,
                        out.size() - fdeOffset);
  if (Error e = forEachFrameInstruction(fde, [&](const FrameInstruction &inst) {
        merger.add(inst, fde.slice(inst.offset, inst.size));
        return Error::success();
      }))
    return consumeError(std::move(e));
  const ArrayRef<char> program = merger.finish();
  constexpr uint64_t Align = 8;
  out.truncate(fdeOffset + FrameInstructionsOffset);
  out.append(program.begin(), program.end());
  out.append(offsetToAlignment(out.size() - fdeOffset, llvm::Align(Align)), 0);
  support::endian::write64le(out.data() + fdeOffset + LengthOffset,
                             out.size() - fdeOffset - UnitHeaderSize);
}

} // namespace lld::cuda
