//===- Fp64ScheduleTest.cpp - FP64 code of sm_100 on sm_103 ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Inputs/Fp64Schedule/functions.txt holds functions that ptxas compiled for
/// sm_100 and what nvlink 13.0.88 made of them for sm_103: a line each, with
/// "kernel" or "function" and the code before and after, in hexadecimal. They
/// are of generated programs with FP64 literals, with the target of their PTX
/// set to sm_100.
///
//===----------------------------------------------------------------------===//

#include "Fp64Schedule.h"
#include "lld-cuda/Sass/ScoreboardFields.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::sass;

namespace {

std::vector<uint8_t> readBytes(StringRef hex) {
  std::string bytes = fromHex(hex);
  return {bytes.begin(), bytes.end()};
}

/// The code with the NOPs.
std::vector<Instruction> expand(const Fp64Schedule &schedule) {
  std::vector<Instruction> code;
  for (auto [inst, delay] : zip(schedule.code, schedule.delays)) {
    code.push_back(inst);
    for (uint32_t i = 1; i <= delay.nops; ++i) {
      code.push_back(Nop);
      code.back().setStall(i == delay.nops ? delay.lastStall : MaxStall);
    }
  }
  return code;
}

// [scoreboards-fp64]
TEST(Fp64Schedule, IsScheduledAsByNvlink) {
  auto buffer = MemoryBuffer::getFile(
      LLDCUDA_UNITTEST_INPUTS "/Fp64Schedule/functions.txt", /*IsText=*/true);
  ASSERT_TRUE(bool(buffer));
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  ASSERT_GT(lines.size(), 30u);
  for (auto [number, line] : enumerate(lines)) {
    SCOPED_TRACE(number);
    SmallVector<StringRef> words;
    line.split(words, ' ');
    ASSERT_EQ(words.size(), 3u);
    Fp64Rules rules;
    rules.mayDropStackPointer = words[0] == "kernel";
    std::optional<Fp64Schedule> schedule =
        scheduleFp64Code(readBytes(words[1]), rules);
    ASSERT_TRUE(schedule.has_value());
    const std::vector<Instruction> ours = expand(*schedule);
    const std::vector<Instruction> nvlinks =
        readInstructions(readBytes(words[2]));
    ASSERT_EQ(ours.size(), nvlinks.size());
    for (auto [i, pair] : enumerate(zip(ours, nvlinks))) {
      const auto &[own, expected] = pair;
      EXPECT_EQ(own.opcode(), expected.opcode()) << i;
      EXPECT_EQ(own.scheduling(), expected.scheduling()) << i;
    }
  }
}

Instruction make(uint64_t low, uint64_t high, unsigned stall) {
  Instruction inst = {low, high | 7ull << 46 | 7ull << 49}; // No scoreboards.
  inst.setStall(stall);
  return inst;
}

std::vector<uint8_t> pack(ArrayRef<Instruction> code) {
  std::vector<uint8_t> bytes(code.size() * InstructionSize);
  for (auto [i, inst] : enumerate(code))
    inst.write(bytes.data() + i * InstructionSize);
  return bytes;
}

// DMUL R4, R4, R6; MOV R8, 1; EXIT; BRA to the next instruction.
const Instruction Multiply = make(0x604047228, 0, 8);
const Instruction Move = make(0x100087802, 0xf00, 1);
const Instruction Exit = make(0x794d, 0x3800000, 5);
const Instruction Branch = make(0x7947, 0x3800000, 5);

TEST(Fp64Schedule, InstructionsOfABlockAre64CyclesApart) {
  auto schedule = scheduleFp64Code(pack({Multiply, Move, Multiply, Exit}), {});
  ASSERT_TRUE(schedule.has_value());
  EXPECT_EQ(schedule->delays[0].nops, 0u);
  EXPECT_EQ(schedule->code[1].stall(), MaxStall);
  const unsigned first = schedule->code[0].stall();
  EXPECT_EQ(first + MaxStall + (schedule->delays[1].nops - 1) * MaxStall +
                schedule->delays[1].lastStall,
            64u);
  EXPECT_TRUE(schedule->code[2].waitMask() >> 52 &
              1 << schedule->code[0].writeScoreboard());
  // Nobody needs the last result.
  EXPECT_EQ(schedule->code[2].writeScoreboard(), NoScoreboard);
}

TEST(Fp64Schedule, ResultsThatLeaveABlockAreNotTold) {
  EXPECT_FALSE(scheduleFp64Code(pack({Multiply, Branch, Multiply, Exit}), {}));
}

TEST(Fp64Schedule, TensorInstructionsAreNotTold) {
  const Instruction tensor = make(0x604047237, 0, 8); // IMMA
  EXPECT_FALSE(scheduleFp64Code(pack({Multiply, tensor, Exit}), {}));
}

} // namespace
