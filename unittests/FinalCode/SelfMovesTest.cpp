//===- SelfMovesTest.cpp - Moves of a register to itself ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/Sass/Code.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::sass;

namespace {

constexpr uint32_t MovingCount = 8; ///< Of instructions, with NOPs at the end.

constexpr Instruction ExitAfterMoves = {0x794d, 0xfea0003800000};

constexpr Instruction moveTo(uint64_t destination, uint64_t source) {
  return {0x7202 | destination << 16 | source << 32, 0xfe40000000f00};
}

std::vector<uint8_t> makeMovingCode(std::vector<Instruction> instructions) {
  instructions.resize(MovingCount, Nop);
  std::vector<uint8_t> code(MovingCount * InstructionSize);
  for (uint32_t i = 0; i != MovingCount; ++i)
    instructions[i].write(code.data() + i * InstructionSize);
  return code;
}

const std::vector<uint8_t> JoinRecord = {0x01, 0x00, 0x0a, 0x0a, 0xf8, 0,
                                         0x41, 0,    0,    0,    0x03, 0x02,
                                         0x00, 0x02, 0x40, 0x03};

/// The first two are one, the join of a pair; others stand for themselves.
std::vector<uint8_t> joinedRecord() {
  std::vector<uint8_t> section = {1, 0, 0, 0,    1, 0, 0, 0xc0, 7,
                                  0, 0, 0, 0x7e, 0, 0, 0, 0x51, 0x01};
  section.insert(section.end(), JoinRecord.begin(), JoinRecord.end());
  return section;
}

CodeEdit planMoves(ArrayRef<uint8_t> code, ArrayRef<uint8_t> capmerc) {
  FinalizerOptions options;
  options.dropsSelfMoves = true;
  return cantFail(planCodeEdit(code, capmerc, options));
}

} // namespace

// [code-self-moves]
TEST(SelfMoves, GoWhereAPairIsJoined) {
  const std::vector<uint8_t> code =
      makeMovingCode({moveTo(8, 8), moveTo(9, 13), ExitAfterMoves});
  const CodeEdit edit = planMoves(code, joinedRecord());
  EXPECT_EQ(edit.newOffset(1 * InstructionSize), 0u);
  EXPECT_EQ(edit.newOffset(2 * InstructionSize), 1u * InstructionSize);
  // Then the entry is no run any more.
  const auto section = cantFail(editCapmerc(edit, code, joinedRecord()));
  EXPECT_EQ(ArrayRef(section).take_back(JoinRecord.size()),
            ArrayRef(JoinRecord));
  EXPECT_NE(section[section.size() - JoinRecord.size() - 2], 0x51);
}

TEST(SelfMoves, TheOtherHalfCanBeTheOne) {
  const std::vector<uint8_t> code =
      makeMovingCode({moveTo(8, 12), moveTo(9, 9), ExitAfterMoves});
  EXPECT_EQ(planMoves(code, joinedRecord()).newOffset(2 * InstructionSize),
            1u * InstructionSize);
}

TEST(SelfMoves, OthersStay) {
  EXPECT_TRUE(planMoves(makeMovingCode({moveTo(8, 12), moveTo(9, 13),
                                        moveTo(4, 4), ExitAfterMoves}),
                        joinedRecord())
                  .isEmpty());
  const std::vector<uint8_t> plain = {1, 0, 0, 0, 1,    0, 0, 0xc0,
                                      8, 0, 0, 0, 0xff, 0, 0, 0};
  EXPECT_TRUE(
      planMoves(makeMovingCode({moveTo(8, 8), moveTo(9, 13), ExitAfterMoves}),
                plain)
          .isEmpty());
}

TEST(SelfMoves, StayUnlessAskedFor) {
  const std::vector<uint8_t> code =
      makeMovingCode({moveTo(8, 8), moveTo(9, 13), ExitAfterMoves});
  EXPECT_TRUE(cantFail(planCodeEdit(code, joinedRecord(), FinalizerOptions()))
                  .isEmpty());
}
