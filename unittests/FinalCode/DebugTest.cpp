//===- DebugTest.cpp - Debug sections without dead functions --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which functions stay in line tables, in which order, and what is refused
/// [debug-rebuilt-tables]. How their offsets move is checked in
/// CodeEditTest.cpp.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/Debug.h"
#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/Sass/Code.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::sass;

namespace {

using Bytes = SmallVector<uint8_t, 0>;

void append(Bytes &out, uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i)
    out.push_back(value >> (8 * i));
}

DebugFunction reachable(uint32_t order) { return {true, order, nullptr}; }
DebugFunction dead() { return {}; }

template <typename T> std::string message(Expected<T> result) {
  return result ? "" : toString(result.takeError());
}

/// A unit whose sequences are an address, one byte and the end.
Bytes lineUnit(ArrayRef<uint8_t> marks) {
  const uint8_t header[] = {1, 1, uint8_t(-5), 14, 4, 0, 1, 1};
  Bytes out;
  append(out, 6 + sizeof(header) + marks.size() * 15, 4);
  append(out, 2, 2);
  append(out, sizeof(header), 4);
  out.append(std::begin(header), std::end(header));
  for (uint8_t mark : marks) {
    out.append({0, 9, 2});
    append(out, 0, 8);
    out.append({mark, 0, 1, 1});
  }
  return out;
}
constexpr uint64_t UnitHeader = 18, Sequence = 15;

TEST(LineTable, SequencesFollowTheSymbols) {
  Bytes section = lineUnit({0x11, 0x22, 0x33});
  uint64_t second = section.size();
  Bytes other = lineUnit({0x44}), third = lineUnit({0x55});
  section.append(other.begin(), other.end());
  uint64_t last = section.size();
  section.append(third.begin(), third.end());
  uint64_t first = UnitHeader + 3;
  DebugReference references[] = {{first, reachable(9)},
                                 {first + Sequence, dead()},
                                 {first + 2 * Sequence, reachable(4)},
                                 {second + first, dead()},
                                 {last + first, reachable(5)}};
  auto result = rebuildLineTable(section, references);
  ASSERT_TRUE(bool(result)) << toString(result.takeError());
  Bytes expected = lineUnit({0x33, 0x11}), empty = lineUnit({});
  uint64_t emptyAt = expected.size();
  expected.append(empty.begin(), empty.end());
  expected.append(third.begin(), third.end());
  EXPECT_EQ(result->bytes, expected);
  ASSERT_EQ(result->references.size(), 3u);
  EXPECT_EQ(result->references[0].newOffset, first);
  EXPECT_EQ(result->references[0].index, 2u);
  EXPECT_EQ(result->references[1].newOffset, first + Sequence);
  EXPECT_EQ(result->references[1].index, 0u);
  ASSERT_EQ(result->units.size(), 3u);
  EXPECT_EQ(result->units[1].oldOffset, second);
  EXPECT_EQ(result->units[1].newOffset, emptyAt);
  EXPECT_EQ(result->units[2].newOffset, emptyAt + empty.size());
}

TEST(LineTable, Damaged) {
  Bytes good = lineUnit({0x11});
  for (size_t size = 1; size < good.size(); ++size)
    EXPECT_NE(message(rebuildLineTable(ArrayRef(good).take_front(size), {})),
              "");
  DebugReference reference{UnitHeader + 4, reachable(1)};
  EXPECT_EQ(message(rebuildLineTable(good, reference)),
            "relocation at offset 0x16 sets no address of a line table");
}

Bytes registerRanges(StringRef name, uint32_t start, uint32_t end) {
  Bytes out(name.bytes_begin(), name.bytes_end());
  append(out, 0, 1);
  append(out, 1, 4);
  append(out, 7, 4);
  out.append({'%', 'r', '1', 0});
  append(out, 0x05000001, 4);
  append(out, start, 4);
  append(out, end, 4);
  return out;
}

static std::vector<LocationRange> noRanges(StringRef) { return {}; }

TEST(RegisterRanges, OfDeadFunctionsAreEmpty) {
  Bytes section = registerRanges("a", 0x10, 0x20);
  Bytes second = registerRanges("b", 0x30, 0x40);
  section.append(second.begin(), second.end());
  Bytes expected = registerRanges("a", 0, 0);
  expected.append(second.begin(), second.end());
  Error e = rewriteRegisterRanges(
      section,
      [](StringRef name) { return name == "b" ? reachable(1) : dead(); },
      noRanges);
  EXPECT_FALSE(bool(e));
  EXPECT_EQ(section, expected);
}

TEST(RegisterRanges, OfReplacedDefinitionsAreGiven) {
  Bytes section = registerRanges("a", 0x10, 0x20);
  auto replaced = [](StringRef) {
    DebugFunction function;
    function.isReplaced = true;
    return function;
  };
  auto ranges = [](StringRef name) {
    return std::vector<LocationRange>{{name == "a" ? 0x30 : 0, 0x50}};
  };
  Error e = rewriteRegisterRanges(section, replaced, ranges);
  EXPECT_FALSE(bool(e));
  EXPECT_EQ(section, registerRanges("a", 0x30, 0x50));
  // What no range is given for is cleared.
  e = rewriteRegisterRanges(section, replaced, noRanges);
  EXPECT_FALSE(bool(e));
  EXPECT_EQ(section, registerRanges("a", 0, 0));
}

TEST(RegisterRanges, Damaged) {
  Bytes good = registerRanges("a", 0x10, 0x20);
  for (size_t size = 1; size < good.size(); ++size) {
    Bytes cut(good.begin(), good.begin() + size);
    Error e =
        rewriteRegisterRanges(cut, [](StringRef) { return dead(); }, noRanges);
    EXPECT_TRUE(bool(e)) << size;
    consumeError(std::move(e));
  }
}

/// Code of a kernel: a placeholder, `inst`, and NOPs up to eight instructions.
Bytes kernel(Instruction inst) {
  Bytes code(8 * InstructionSize);
  Instruction placeholder = {0xfffff984, 0};
  for (unsigned i = 0; i < 8; ++i)
    (i == 0   ? placeholder
     : i == 1 ? inst
              : Nop)
        .write(code.data() + i * InstructionSize);
  return code;
}

Bytes capmerc(unsigned instructions) {
  Bytes out;
  append(out, 1, 4);
  append(out, 0xc0000001, 4);
  append(out, 1, 4);
  append(out, 0, 4);
  append(out, instructions << 7 | 0x50, 2);
  return out;
}

TEST(CodeEdit, BranchOutOfTheCode) {
  Instruction branch = {0x7947, 0};
  branch.setDisplacement(6 * 16);
  EXPECT_EQ(*branch.displacement(), 6 * 16);
  EXPECT_EQ(
      message(planCodeEdit(kernel(branch), capmerc(8), {true, false, false})),
      "");
  branch.setDisplacement(7 * 16);
  EXPECT_EQ(
      message(planCodeEdit(kernel(branch), capmerc(8), {true, false, false})),
      "branch at offset 0x10 leaves the code");
  branch.setDisplacement(-3 * 16);
  EXPECT_EQ(*branch.displacement(), -3 * 16);
  EXPECT_NE(
      message(planCodeEdit(kernel(branch), capmerc(8), {true, false, false})),
      "");
}

TEST(CodeEdit, Damaged) {
  EXPECT_EQ(message(planCodeEdit(Bytes(8), {}, {true, false, false})),
            "size 0x8 is not that of a number of instructions");
  EXPECT_NE(
      message(planCodeEdit(kernel(Nop), capmerc(7), {true, false, false})), "");
}

TEST(CodeEdit, CallsAndDeviceFunctionsKeepTheirFences) {
  Instruction call = {0x7943, 0}, other = {0x7810, 0};
  EXPECT_TRUE(planCodeEdit(kernel(call), {}, {true, false, false})->isEmpty());
  EXPECT_TRUE(
      planCodeEdit(kernel(other), {}, {false, false, false})->isEmpty());
  EXPECT_FALSE(
      planCodeEdit(kernel(other), capmerc(8), {true, false, false})->isEmpty());
}

/// DADD without a scoreboard in a loop of one instruction.
Bytes slowCode() {
  Bytes code(8 * InstructionSize);
  Instruction add = {0x7229, 0}, branch = {0x7947, 0};
  add.setWriteScoreboard(NoScoreboard);
  add.setStall(1);
  branch.setDisplacement(-2 * int(InstructionSize));
  for (unsigned i = 0; i < 8; ++i)
    (i == 0   ? add
     : i == 1 ? branch
              : Nop)
        .write(code.data() + i * InstructionSize);
  return code;
}

TEST(CodeEdit, SlowerInstructionsAreWaitedFor) {
  Bytes code = slowCode();
  FinalizerOptions options;
  EXPECT_TRUE(planCodeEdit(code, {}, options)->isEmpty());
  options.isSlower = true;
  auto edit = planCodeEdit(code, {}, options);
  ASSERT_TRUE(bool(edit));
  Bytes out(edit->newSize());
  writeEditedCode(*edit, code, out.data());
  auto at = [&](unsigned i) {
    return Instruction::read(out.data() + i * InstructionSize);
  };
  const unsigned scoreboard = at(0).writeScoreboard();
  EXPECT_LT(scoreboard, 6u);
  EXPECT_GE(at(0).stall(), 2u);
  EXPECT_TRUE(at(1).isNop());
  EXPECT_EQ(at(1).waitMask() >> 52, 1u << scoreboard);
  EXPECT_EQ(*at(2).displacement(), -3 * int(InstructionSize));
  EXPECT_EQ(edit->newOffset(InstructionSize), 2u * InstructionSize);
}

TEST(CodeEdit, WaitsHaveEntriesOfTheirOwn) {
  // DADD stands for itself, a run is the rest.
  Bytes code = slowCode(), section;
  append(section, 1, 4);
  append(section, 0xc0000001, 4);
  append(section, 2, 4);
  append(section, 1, 4);
  append(section, 7 << 7 | 0x50, 2);
  FinalizerOptions options;
  options.isSlower = true;
  auto edit = planCodeEdit(code, section, options);
  ASSERT_TRUE(bool(edit));
  auto edited = editCapmerc(*edit, code, section);
  ASSERT_TRUE(bool(edited)) << toString(edited.takeError());
  Bytes expected;
  append(expected, 1, 4);
  append(expected, 0xc0000001, 4);
  append(expected, 3, 4);
  append(expected, 1, 4);
  append(expected, 1 << 7 | 0x50, 2);
  append(expected, 14 << 7 | 0x50, 2);
  EXPECT_EQ(*edited, expected);
}

TEST(CodeEdit, Offsets) {
  Instruction other = {0x7810, 0};
  auto edit = planCodeEdit(kernel(other), capmerc(8), {true, false, false});
  ASSERT_TRUE(bool(edit));
  EXPECT_EQ(edit->newSize(), 16u * InstructionSize);
  EXPECT_EQ(edit->newOffset(0), 0u);
  EXPECT_EQ(edit->newOffset(0x10), 0u);
  EXPECT_EQ(edit->newOffset(0x24), 0x14u);
  EXPECT_EQ(edit->newOffset(0x80), edit->newSize());
  EXPECT_EQ(edit->newOffset(0x1000), 0x1000u);
}

} // namespace
