//===- SerialCodeTest.cpp - Code of sm_100 that isn't optimized -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/Fp64Schedule.h"
#include "lld-cuda/FinalCode/MercuryOffsets.h"
#include "lld-cuda/Sass/ScoreboardFields.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::sass;

namespace {

std::vector<uint8_t> readBytes(StringRef hex) {
  std::string bytes = fromHex(hex);
  return {bytes.begin(), bytes.end()};
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

// DMUL R4, R4, R6; MOV R8, 1; EXIT.
const Instruction Multiply = make(0x604047228, 0, 8);
const Instruction Move = make(0x100087802, 0xf00, 1);
const Instruction Exit = make(0x794d, 0x3800000, 5);

/// Waits for scoreboards 0 and 1, and stalls for as long as possible.
Instruction makeSerial(Instruction inst) {
  inst.addWaits(uint64_t(3) << 52);
  inst.setStall(MaxStall);
  return inst;
}

TEST(SerialCode, WaitsAlready) {
  const Instruction multiply = makeSerial(Multiply), move = makeSerial(Move),
                    exit = makeSerial(Exit);
  auto schedule = scheduleSerialCode(pack({multiply, move, multiply, exit}));
  ASSERT_TRUE(schedule.has_value());
  for (unsigned i : {0, 2}) {
    EXPECT_EQ(schedule->code[i].writeScoreboard(), 0u);
    EXPECT_EQ(readScoreboards(schedule->code[i]).read, 1u);
  }
  EXPECT_EQ(schedule->code[1].writeScoreboard(), NoScoreboard);
  EXPECT_EQ(schedule->delays[0].nops, 0u);
  EXPECT_FALSE(scheduleSerialCode(pack({multiply, Move, exit})));
  EXPECT_FALSE(scheduleSerialCode(pack({multiply})));
}

TEST(MercuryOffsets, UniformAdditionsOfThreeTake32Bytes) {
  // UIADD3 of two and of three; a branch to itself.
  const std::vector<uint8_t> code = pack(
      {make(0x0000000405047290, 0xfffe0ff, 1),
       make(0x0000000706057290, 0xfffe007, 1), make(0x794d, 0x3800000, 5)});
  // Three instructions without records.
  const std::vector<uint8_t> capmerc =
      readBytes("00000000010000c00300000007000000");
  MercuryOffsets offsets(code, capmerc, 16 + 32 + 16);
  ASSERT_TRUE(offsets.isKnown());
  EXPECT_EQ(offsets.instructions()[2].mercury, 48u);
}

} // namespace
