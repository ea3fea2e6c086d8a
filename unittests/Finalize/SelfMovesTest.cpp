//===- SelfMovesTest.cpp - Moves of a register to itself ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Finalize/CodeEdit.h"
#include "lld-cuda/Sass/Code.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::sass;

namespace {

constexpr uint32_t Count = 8; ///< Of instructions, with NOPs at the end.

constexpr Instruction Exit = {0x794d, 0xfea0003800000};

constexpr Instruction moveTo(uint64_t destination, uint64_t source) {
  return {0x7202 | destination << 16 | source << 32, 0xfe40000000f00};
}

std::vector<uint8_t> makeCode(std::vector<Instruction> instructions) {
  instructions.resize(Count, Nop);
  std::vector<uint8_t> code(Count * InstructionSize);
  for (uint32_t i = 0; i != Count; ++i)
    instructions[i].write(code.data() + i * InstructionSize);
  return code;
}

const std::vector<uint8_t> Record = {0x01, 0x00, 0x0a, 0x0a, 0xf8, 0,
                                     0x41, 0,    0,    0,    0x03, 0x02,
                                     0x00, 0x02, 0x40, 0x03};

/// The first two are one, the join of a pair; others stand for themselves.
std::vector<uint8_t> joined() {
  std::vector<uint8_t> section = {1, 0, 0, 0, 1,    0, 0, 0xc0,
                                  7, 0, 0, 0, 0x7e, 0, 0, 0, 0x51, 0x01};
  section.insert(section.end(), Record.begin(), Record.end());
  return section;
}

CodeEdit plan(ArrayRef<uint8_t> code, ArrayRef<uint8_t> capmerc) {
  FinalizerOptions options;
  options.dropsSelfMoves = true;
  return cantFail(planCodeEdit(code, capmerc, options));
}

} // namespace

TEST(SelfMoves, GoWhereAPairIsJoined) {
  const std::vector<uint8_t> code = makeCode({moveTo(8, 8), moveTo(9, 13), Exit});
  const CodeEdit edit = plan(code, joined());
  EXPECT_EQ(edit.newOffset(1 * InstructionSize), 0u);
  EXPECT_EQ(edit.newOffset(2 * InstructionSize), 1u * InstructionSize);
  // Then the entry is no run any more.
  const auto section = cantFail(editCapmerc(edit, code, joined()));
  EXPECT_EQ(ArrayRef(section).take_back(Record.size()), ArrayRef(Record));
  EXPECT_NE(section[section.size() - Record.size() - 2], 0x51);
}

TEST(SelfMoves, TheOtherHalfCanBeTheOne) {
  const std::vector<uint8_t> code = makeCode({moveTo(8, 12), moveTo(9, 9), Exit});
  EXPECT_EQ(plan(code, joined()).newOffset(2 * InstructionSize),
            1u * InstructionSize);
}

TEST(SelfMoves, OthersStay) {
  EXPECT_TRUE(
      plan(makeCode({moveTo(8, 12), moveTo(9, 13), moveTo(4, 4), Exit}), joined())
          .isEmpty());
  const std::vector<uint8_t> plain = {1, 0, 0, 0, 1,    0, 0, 0xc0,
                                      8, 0, 0, 0, 0xff, 0, 0, 0};
  EXPECT_TRUE(plan(makeCode({moveTo(8, 8), moveTo(9, 13), Exit}), plain).isEmpty());
}

TEST(SelfMoves, StayUnlessAskedFor) {
  const std::vector<uint8_t> code = makeCode({moveTo(8, 8), moveTo(9, 13), Exit});
  EXPECT_TRUE(cantFail(planCodeEdit(code, joined(), FinalizerOptions()))
                  .isEmpty());
}
