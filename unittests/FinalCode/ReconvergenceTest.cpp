//===- ReconvergenceTest.cpp - NOPs where threads meet again --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/Object/Mercury.h"
#include "lld-cuda/Sass/ScoreboardFields.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::sass;

namespace {

constexpr Instruction Sync = {0x7941, 0xfea0003800200}, // .RECONVERGENT B0
    ReliableBreak = {0x27942, 0xfea0003800100},         // B2
    OtherBreak = {0x27942, 0xfea0003800000},            // B2
    Exit = {0x794d, 0xfea0003800000}, Branch = {0x0947, 0xfea0003800000};

constexpr uint32_t Count = 8; ///< Of instructions, with NOPs at the end.

std::vector<uint8_t> makeCode(std::vector<Instruction> instructions) {
  instructions.resize(Count, Nop);
  std::vector<uint8_t> code(Count * InstructionSize);
  for (uint32_t i = 0; i != Count; ++i)
    instructions[i].write(code.data() + i * InstructionSize);
  return code;
}

/// Every instruction stands for itself.
const std::vector<uint8_t> Plain = {1, 0, 0, 0, 1,    0, 0, 0xc0,
                                    8, 0, 0, 0, 0xff, 0, 0, 0};

/// The first two are one, a BSYNC with its NOP.
const std::vector<uint8_t> Joined = {
    1,    0, 0, 0, 1,    0,    0,    0xc0, 7,    0,    0,    0,
    0x7e, 0, 0, 0, 0x51, 0x01, 0x01, 0x09, 0x02, 0x0a, 0xf8, 0,
    1,    0, 0, 0, 0,    0,    0,    0,    0,    0};

/// For code of a compiler that need not have written the NOPs.
CodeEdit plan(ArrayRef<uint8_t> code, ArrayRef<uint8_t> capmerc = Plain) {
  FinalizerOptions options;
  options.padsReconvergence = true;
  options.mayBePadded = false;
  return cantFail(planCodeEdit(code, capmerc, options));
}

} // namespace

// ptxas 13.0.100 writes the NOP, 13.0.88 doesn't, and both call themselves
// 13.0. A NOP that has another reason isn't the one.
// [code-nop-before-bsync]
TEST(Reconvergence, ANopThatBelongsToTheSyncIsEnough) {
  const std::vector<uint8_t> code = makeCode({Nop, Sync, Exit});
  EXPECT_TRUE(plan(code, Joined).isEmpty());
  EXPECT_EQ(plan(code, Plain).newOffset(1 * InstructionSize),
            2u * InstructionSize);
}

// [code-nop-after-break]
TEST(Reconvergence, ABreakThatEndsItsBlockGetsANop) {
  Instruction branch = Branch; // @P0, to the EXIT.
  branch.setDisplacement(InstructionSize);
  const CodeEdit edit = plan(makeCode({branch, ReliableBreak, Exit}));
  // Who branches to the EXIT doesn't come to the NOP.
  EXPECT_EQ(edit.newStart(1 * InstructionSize), 1u * InstructionSize);
  EXPECT_EQ(edit.newStart(2 * InstructionSize), 3u * InstructionSize);
}

TEST(Reconvergence, OtherBreaksGetNone) {
  Instruction branch = Branch;
  branch.setDisplacement(InstructionSize);
  EXPECT_TRUE(plan(makeCode({branch, OtherBreak, Exit})).isEmpty());
  EXPECT_TRUE(plan(makeCode({ReliableBreak, Exit})).isEmpty());
}

// Nobody but a jump table leads to what follows.
TEST(Reconvergence, AJumpTablesTargetBeginsABlock) {
  FinalizerOptions options;
  options.padsReconvergence = true;
  options.mayBePadded = false;
  const std::vector<uint8_t> code = makeCode({ReliableBreak, Exit});
  EXPECT_TRUE(cantFail(planCodeEdit(code, Plain, options)).isEmpty());
  options.jumpTargets = {1};
  EXPECT_EQ(cantFail(planCodeEdit(code, Plain, options))
                .newStart(1 * InstructionSize),
            2u * InstructionSize);
}

// nvlink up to 13.2.78 takes NOPs out that are one with their instruction.
// [code-joined-nops]
TEST(Reconvergence, OlderReleasesTakeJoinedNopsOut) {
  FinalizerOptions options;
  options.dropsPadding = true;
  for (const auto &[first, second] :
       {std::pair(Nop, Sync), std::pair(ReliableBreak, Nop)}) {
    const std::vector<uint8_t> code = makeCode({first, second, Exit});
    EXPECT_TRUE(cantFail(planCodeEdit(code, Plain, options)).isEmpty());
    const CodeEdit edit = cantFail(planCodeEdit(code, Joined, options));
    EXPECT_EQ(edit.newOffset(2 * InstructionSize), 1u * InstructionSize);
    std::vector<uint8_t> out(edit.newSize());
    writeEditedCode(edit, code, out.data());
    EXPECT_EQ(Instruction::read(out.data()).low,
              first.isNop() ? Sync.low : ReliableBreak.low);
    EXPECT_EQ(Instruction::read(out.data() + InstructionSize).low, Exit.low);
    // What is left has no record.
    const auto section = cantFail(editCapmerc(edit, code, Joined));
    EXPECT_TRUE(section[CapmercHeaderSize] & 1);
  }
}

// What a removed DEPBAR waits for, the next instruction that stays does.
TEST(Reconvergence, WaitsOfRemovedInstructionsArePassedOn) {
  constexpr Instruction Fence = {0x7992, 0xfec0000000000},
                        Wait = {0x80000000791a, 0xfc80000000000};
  Instruction fence = Fence;
  writeScoreboards(fence, {NoScoreboard, /*read=*/0, 0});
  std::vector<uint8_t> joined = Joined; // The third and the fourth one.
  joined[12] = 0x7b;
  FinalizerOptions options;
  options.dropsPadding = options.dropsFenceWaits = true;
  const std::vector<uint8_t> code = makeCode({fence, Wait, Nop, Sync, Exit});
  const CodeEdit edit = cantFail(planCodeEdit(code, joined, options));
  std::vector<uint8_t> out(edit.newSize());
  writeEditedCode(edit, code, out.data());
  const auto next = Instruction::read(out.data() + InstructionSize);
  EXPECT_EQ(next.low, Sync.low);
  EXPECT_EQ(readScoreboards(next).waits, 1u);

  options.dropsFenceWaits = false;
  EXPECT_EQ(cantFail(planCodeEdit(code, joined, options))
                .newOffset(2 * InstructionSize),
            2u * InstructionSize);
}
