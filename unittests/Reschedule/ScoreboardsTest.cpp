//===- ScoreboardsTest.cpp - New scoreboards against nvlink's -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Inputs/Scoreboards/kernels.txt holds kernels that ptxas compiled and what
/// nvlink 13.0.88 made of them, as `scripts/measure-scoreboards --record`
/// writes them: a line each, with the number of the architecture and the code
/// before and after, in hexadecimal. beyond-blocks.txt is the same by ptxas and
/// nvlink 13.5.37, additions.txt and older.txt by ptxas 13.0.88 and nvlink
/// 13.1.115.
///
//===----------------------------------------------------------------------===//

#include "Scoreboards.h"
#include "AdditionSchedule.h"
#include "lld-cuda/Sass/ControlFlow.h"
#include "lld-cuda/Sass/Operands.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::sass;

namespace {

struct Recorded {
  unsigned sm;
  std::vector<uint8_t> before, after;
};

std::vector<Recorded> readRecorded(StringRef name = "kernels.txt") {
  auto buffer = MemoryBuffer::getFile(
      LLDCUDA_UNITTEST_INPUTS "/Scoreboards/" + name, /*IsText=*/true);
  EXPECT_TRUE(bool(buffer));
  std::vector<Recorded> kernels;
  if (!buffer)
    return kernels;
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    SmallVector<StringRef> words;
    line.split(words, ' ');
    Recorded &k = kernels.emplace_back();
    EXPECT_EQ(words.size(), 3u);
    EXPECT_FALSE(words[0].getAsInteger(10, k.sm));
    std::string before = fromHex(words[1]), after = fromHex(words[2]);
    k.before.assign(before.begin(), before.end());
    k.after.assign(after.begin(), after.end());
  }
  return kernels;
}

std::vector<Instruction> readCode(ArrayRef<uint8_t> bytes) {
  std::vector<Instruction> code;
  for (size_t at = 0; at < bytes.size(); at += InstructionSize)
    code.push_back(Instruction::read(bytes.data() + at));
  return code;
}

std::vector<ScoreboardFields> readFields(ArrayRef<Instruction> code) {
  std::vector<ScoreboardFields> fields;
  for (const Instruction &inst : code)
    fields.push_back(readScoreboards(inst));
  return fields;
}

/// The example of docs/reference/scoreboards.md: a kernel by ptxas 13.0.88, and
/// the fields that nvlink 13.0.88 gives it. Rules are those of
/// [scoreboards-choice].
struct ExampleRow {
  const char *text;
  Instruction given;
  ScoreboardFields nvlinks;
};

const ExampleRow Example[] = {
    {"LDC R1, c[0][0x37c]",
     {0xdf00ff017b82, 0xe220000000800},
     {NoScoreboard, NoScoreboard, 0}},
    {"S2R R7, SR_TID.X", {0x77919, 0xe620000002100}, {0, NoScoreboard, 0}},
    {"LDCU UR4, c[0][0x390]",
     {0x7200ff0477ac, 0xe640008000800},
     {0, NoScoreboard, 0}},
    {"ISETP.GE P0, R7, UR4",
     {0x407007c0c, 0x2fda000bf06070},
     {NoScoreboard, NoScoreboard, 1 << 0}},
    {"@P0 EXIT", {0x94d, 0xfea0003800000}, {NoScoreboard, NoScoreboard, 0}},
    {"LDC.64 R2, c[0][0x380]",
     {0xe000ff027b82, 0xe620000000a00},
     {0, NoScoreboard, 0}},
    {"LDCU.64 UR4, c[0][0x358]",
     {0x6b00ff0477ac, 0xeae0008000a00},
     {1, NoScoreboard, 0}},
    {"LDC.64 R4, c[0][0x388]",
     {0xe200ff047b82, 0xee20000000a00},
     {2, NoScoreboard, 0}},
    {"IMAD.WIDE R2, R7, 4, R2",
     {0x407027825, 0x2fcc00078e0002},
     {NoScoreboard, NoScoreboard, 1 << 0}},
    {"LDG R3, [R2.64], UR4",
     {0x402037981, 0x4ea2000c1e1900},
     {3, NoScoreboard, 1 << 1}},
    {"IMAD.WIDE R4, R7, 4, R4",
     {0x407047825, 0x8fca00078e0004},
     {NoScoreboard, NoScoreboard, 1 << 2}},
    {"STG [R4.64], R3, UR4",
     {0x304007986, 0x4fe2000c101904},
     {NoScoreboard, NoScoreboard, 1 << 3}},
    {"EXIT", {0x794d, 0xfea0003800000}, {NoScoreboard, NoScoreboard, 0}},
    {"BRA",
     {0xfffffffc00fc7947, 0xfc0000383ffff},
     {NoScoreboard, NoScoreboard, 0}},
};

TEST(Scoreboards, TheExampleOfTheBook) {
  std::vector<uint8_t> code(std::size(Example) * InstructionSize);
  for (size_t i = 0; i != std::size(Example); ++i)
    Example[i].given.write(code.data() + i * InstructionSize);
  ASSERT_EQ(allocateScoreboards(code, /*sm=*/100), Rescheduling::Done);
  for (size_t i = 0; i != std::size(Example); ++i) {
    const ScoreboardFields ours =
        readScoreboards(Instruction::read(code.data() + i * InstructionSize));
    EXPECT_EQ(unsigned(ours.write), unsigned(Example[i].nvlinks.write))
        << Example[i].text;
    EXPECT_EQ(unsigned(ours.read), unsigned(Example[i].nvlinks.read))
        << Example[i].text;
    EXPECT_EQ(unsigned(ours.waits), unsigned(Example[i].nvlinks.waits))
        << Example[i].text;
  }
}

// The kernels hold together [scoreboards-choice], [scoreboards-dependences],
// [scoreboards-block-end] and [scoreboards-times]; those with TXQ and TXD
// [scoreboards-textures], and that these don't count as global results, with
// CCTL [scoreboards-fences], and those for sm_120 with WARPSYNC
// [scoreboards-parts].
TEST(Scoreboards, AreAllocatedAsByNvlink) {
  std::vector<Recorded> kernels = readRecorded();
  EXPECT_GE(kernels.size(), 10u);
  for (const Recorded &k : kernels) {
    std::vector<uint8_t> code = k.before;
    EXPECT_EQ(allocateScoreboards(code, k.sm), Rescheduling::Done);
    EXPECT_EQ(toHex(code), toHex(k.after));
  }
}

/// Each of these kernels comes out otherwise by the rules of 13.0, or not at
/// all. [scoreboards-beyond-blocks]
TEST(Scoreboards, AreAllocatedAsByLaterReleases) {
  std::vector<Recorded> kernels = readRecorded("beyond-blocks.txt");
  EXPECT_GE(kernels.size(), 10u);
  for (const Recorded &k : kernels) {
    std::vector<uint8_t> code = k.before;
    EXPECT_EQ(
        allocateScoreboards(code, k.sm, ScoreboardAllocator::BeyondBlocks),
        Rescheduling::Done);
    EXPECT_EQ(toHex(code), toHex(k.after));
    code = k.before;
    allocateScoreboards(code, k.sm, ScoreboardAllocator::WithinBlocks);
    EXPECT_NE(toHex(code), toHex(k.after));
  }
}

/// Functions, and kernels that call nothing, of ptxas 13.0.88, linked by nvlink
/// 13.1.115. [scoreboards-older-code]
TEST(Scoreboards, OfOlderCodeAreAllocatedByTheNewerRules) {
  std::vector<Recorded> functions = readRecorded("older.txt");
  EXPECT_GE(functions.size(), 10u);
  for (const Recorded &f : functions) {
    std::vector<uint8_t> code = f.before;
    OlderCode older;
    older.hasFirstAllocator = older.isFinal = true;
    EXPECT_EQ(allocateOlder(code, f.sm, older), Rescheduling::Done);
    EXPECT_EQ(toHex(code), toHex(f.after));
  }
}

// [scoreboards-reallocated]
TEST(Scoreboards, AreAllocatedOnlyOnce) {
  for (Recorded &k : readRecorded()) {
    EXPECT_TRUE(needsScoreboards(k.before));
    EXPECT_FALSE(needsScoreboards(k.after));
    std::vector<uint8_t> code = k.after;
    EXPECT_EQ(allocateScoreboards(code, k.sm), Rescheduling::NotNeeded);
    EXPECT_EQ(code, k.after);
  }
}

// [scoreboards-reallocated]
TEST(Scoreboards, OfCodeThatCallsStay) {
  Recorded k = readRecorded().front();
  Instruction call = Instruction::read(k.before.data() + InstructionSize);
  call.low = (call.low & ~0xfffull) | 0x800 | OpCALLAbs;
  call.write(k.before.data() + InstructionSize);
  EXPECT_FALSE(needsScoreboards(k.before));
}

TEST(Scoreboards, OfUnknownInstructionsStay) {
  constexpr unsigned Unknown = 0x1ff;
  Recorded k = readRecorded().front();
  Instruction inst = Instruction::read(k.before.data() + 2 * InstructionSize);
  inst.low = (inst.low & ~0xfffull) | Unknown;
  inst.write(k.before.data() + 2 * InstructionSize);
  std::vector<uint8_t> code = k.before;
  EXPECT_EQ(allocateScoreboards(code, k.sm), Rescheduling::Unknown);
  EXPECT_EQ(code, k.before);
}

TEST(Scoreboards, BrokenCodeIsRefused) {
  Recorded k = readRecorded().front();
  EXPECT_FALSE(needsScoreboards({}));
  EXPECT_FALSE(needsScoreboards(ArrayRef(k.before).drop_back(1)));
  // Any part of it, with any byte wrong.
  for (size_t i = 0; i != k.before.size(); ++i) {
    std::vector<uint8_t> code = k.before;
    code[i] ^= 0xff;
    code.resize(alignTo(i + 1, InstructionSize));
    allocateScoreboards(code, k.sm);
  }
}

TEST(Scoreboards, NvlinksAreSafe) {
  for (const Recorded &k : readRecorded()) {
    std::vector<Instruction> code = readCode(k.before);
    EXPECT_TRUE(areScoreboardsSafe(code, readFields(code)));
    EXPECT_TRUE(areScoreboardsSafe(code, readFields(readCode(k.after))));
  }
}

/// Every wait of a result that the waiting instruction itself reads is needed.
TEST(Scoreboards, AreNotSafeWithoutAWait) {
  unsigned removed = 0;
  for (const Recorded &k : readRecorded()) {
    std::vector<Instruction> code = readCode(k.before);
    std::vector<ScoreboardFields> fields = readFields(code);
    for (size_t i = 1; i != code.size(); ++i) {
      const ScoreboardFields &from = fields[i - 1];
      if (from.write == NoScoreboard || !(fields[i].waits >> from.write & 1) ||
          !overlap(decodeOperands(code[i - 1]).defs,
                   decodeOperands(code[i]).uses))
        continue;
      std::vector<ScoreboardFields> without = fields;
      without[i].waits &= ~(1 << from.write);
      EXPECT_FALSE(areScoreboardsSafe(code, without));
      ++removed;
    }
  }
  EXPECT_GT(removed, 0u);
}

/// All but the scoreboards, which are nvlink's here. [code-additions]
TEST(AdditionSchedule, IsNvlinks) {
  std::vector<Recorded> kernels = readRecorded("additions.txt");
  EXPECT_GE(kernels.size(), 10u);
  unsigned additions = 0;
  for (const Recorded &k : kernels) {
    std::vector<Instruction> before = readCode(k.before);
    std::vector<Instruction> after = readCode(k.after);
    additions += llvm::count_if(before, isAddition);
    EXPECT_EQ(llvm::count_if(after, isAddition), 0);
    std::optional<std::vector<Instruction>> code =
        scheduleAdditions(before, readFields(after));
    ASSERT_TRUE(code.has_value());
    for (size_t i = 0; i != after.size(); ++i) {
      EXPECT_EQ((*code)[i].low, after[i].low) << i;
      EXPECT_EQ((*code)[i].high, after[i].high) << i;
    }
  }
  EXPECT_GE(additions, 50u);
}

TEST(AdditionSchedule, OfUnknownInstructionsIsNone) {
  constexpr unsigned Unknown = 0x1ff;
  std::vector<Instruction> code =
      readCode(readRecorded("additions.txt").front().before);
  code[2].low = (code[2].low & ~0xfffull) | Unknown;
  EXPECT_FALSE(scheduleAdditions(code, readFields(code)).has_value());
}

/// A move that waits for scoreboard 0, between two loads and a call.
/// [scoreboards-waits-at-calls]
TEST(Scoreboards, CallsWaitForWhatIsNotNeededBefore) {
  auto makeCode = [](unsigned moved, bool isSerial) {
    Instruction load = {0x0000df0000007b82, 0x00000800};
    load.low |= uint64_t(2) << 16;
    load.setStall(isSerial ? 15 : 1);
    Instruction move = {0x7202 | uint64_t(20) << 16 | uint64_t(moved) << 32,
                        0x00000f00};
    Instruction call = {0x7943, 0x03c00000};
    move.setStall(1);
    call.setStall(5);
    writeScoreboards(load, {0, NoScoreboard, uint8_t(isSerial ? 3 : 0)});
    writeScoreboards(move, {NoScoreboard, NoScoreboard, 1});
    writeScoreboards(call, {NoScoreboard, NoScoreboard, 2});
    std::vector<uint8_t> code(3 * InstructionSize);
    load.write(&code[0]);
    move.write(&code[InstructionSize]);
    call.write(&code[2 * InstructionSize]);
    return code;
  };
  auto waitsOf = [](ArrayRef<uint8_t> code, size_t i) {
    return unsigned(readScoreboards(readInstructions(code)[i]).waits);
  };
  std::vector<uint8_t> other = makeCode(/*moved=*/4, false);
  EXPECT_TRUE(moveWaitsToCalls(other));
  EXPECT_EQ(waitsOf(other, 1), 0u);
  EXPECT_EQ(waitsOf(other, 2), 3u);
  std::vector<uint8_t> needed = makeCode(/*moved=*/2, false);
  EXPECT_FALSE(moveWaitsToCalls(needed));
  EXPECT_EQ(waitsOf(needed, 1), 1u);
  std::vector<uint8_t> serial = makeCode(/*moved=*/4, true);
  EXPECT_FALSE(moveWaitsToCalls(serial));
}

/// 0: BRX to 1; 1: a move that waits for scoreboard 0, set by the load before
/// the jump. Nothing may be pending where it isn't known where a jump goes.
TEST(Scoreboards, AreCheckedAtTheTargetsOfTables) {
  Instruction load = {0x0000df0000007b82, 0x00000800};
  load.low |= uint64_t(2) << 16;
  const Instruction jump = {0x7949, 0};
  Instruction move = {0x7202 | uint64_t(4) << 16 | uint64_t(2) << 32,
                      0x00000f00};
  const Instruction exit = {0x794d, 0};
  std::vector<Instruction> code = {load, jump, move, exit};
  for (Instruction &inst : code)
    writeScoreboards(inst, {});
  std::vector<ScoreboardFields> later = readFields(code);
  writeScoreboards(code[0], {0, NoScoreboard, 0});
  writeScoreboards(code[1], {NoScoreboard, NoScoreboard, 1});
  later[0].write = 0;
  later[2].waits = 1;
  const JumpTable table = {1, {2}};
  EXPECT_FALSE(areScoreboardsSafe(code, later));
  EXPECT_TRUE(areScoreboardsSafe(code, later, table));
  later[2].waits = 0;
  EXPECT_FALSE(areScoreboardsSafe(code, later, table));
}

/// SHFL R7, R7; MOV R4, R7; MOV R7, R2: whoever has waited for the result may
/// overwrite the source, whatever the read is on.
TEST(Scoreboards, AResultTellsThatTheSourcesHaveBeenRead) {
  auto makeMove = [](uint64_t to, uint64_t from) {
    return Instruction{0x7202 | to << 16 | from << 32, 0x00000f00};
  };
  std::vector<Instruction> code = {{0x083c1f0007077f89, 0x000e0000},
                                   makeMove(4, 7),
                                   makeMove(7, 2),
                                   {0x794d, 0}};
  ASSERT_TRUE(decodeOperands(code[0]).writes(7));
  for (Instruction &inst : code)
    writeScoreboards(inst, {});
  writeScoreboards(code[0], {0, 0, 0});
  writeScoreboards(code[1], {NoScoreboard, NoScoreboard, 1});
  std::vector<ScoreboardFields> fields = readFields(code);
  fields[0].read = 3;
  EXPECT_TRUE(areScoreboardsSafe(code, fields));
  fields[1].waits = 1 << 3;
  EXPECT_FALSE(areScoreboardsSafe(code, fields));
}

} // namespace
