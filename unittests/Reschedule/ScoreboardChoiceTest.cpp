//===- ScoreboardChoiceTest.cpp - Each rule of the choice by itself -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// choose() is called for made-up situations. What is expected is what the
/// table and the numbered rules of [scoreboards-choice] say; each test names
/// the rule.
///
//===----------------------------------------------------------------------===//

#include "ScoreboardAllocation.h"
#include "gtest/gtest.h"

using namespace lld::cuda;
using namespace lld::cuda::sass;
using namespace lld::cuda::scoreboards;

namespace {

/// A block of instructions that issue every ten cycles, and six scoreboards.
/// Instruction 3 issues at 30.
class Situation {
public:
  Situation() {
    Consumers nobody;
    nobody.result.assign(Size, Nobody);
    nobody.read.assign(Size, Nobody);
    nobody.isNewResult.assign(Size, false);
    times.estimate(0, Size, nobody);
  }

  /// Puts an event on a scoreboard.
  void put(unsigned scoreboard, const Event &e) {
    allocation.add(scoreboard, e, count++);
  }
  unsigned chooseFor(const Event &e) const {
    return choose(allocation, e, times, around);
  }

  Allocation allocation;
  Surroundings around;
  IssueTimes times{kernel, /*rough=*/nullptr, Input};

private:
  static constexpr unsigned Size = 16;
  static std::vector<Instruction> makeCode() {
    Instruction nop = {0x7918, 0};
    nop.setStall(10);
    writeScoreboards(nop, {});
    return std::vector<Instruction>(Size, nop);
  }

  // Before `times`, which refers to it.
  Kernel kernel{makeCode(), /*sm=*/100};
  uint32_t count = 0;
};

/// An event of this block that instruction `consumer` waits for, if any, and
/// that is complete at `completion`.
Event makeEvent(ResultClass kind, bool isRead, int consumer,
                int completion = 0) {
  Operands ops;
  ops.resultClass = kind;
  return Event(ops, /*instruction=*/0, isRead, /*isOwn=*/true,
               {consumer, consumer}, {completion, completion});
}
Event makeResult(int consumer, int completion = 0) {
  return makeEvent(ResultClass::LDS, /*isRead=*/false, consumer, completion);
}
Event makeRead(int consumer, int completion = 0) {
  return makeEvent(ResultClass::STG, /*isRead=*/true, consumer, completion);
}
Event makeGlobal(int consumer, int completion = 0) {
  return makeEvent(ResultClass::LDG, /*isRead=*/false, consumer, completion);
}
Event makeTexture(int consumer, int completion = 0) {
  return makeEvent(ResultClass::TEX, /*isRead=*/false, consumer, completion);
}
/// The same event, but pending since another block.
Event fromOtherBlock(Event e) {
  e.isOwn = false;
  return e;
}

/// Makes scoreboards busy with what nobody else joins: results that different
/// instructions wait for.
void occupy(Situation &s, unsigned first, unsigned last) {
  for (unsigned board = first; board <= last; ++board)
    s.put(board, makeResult(/*consumer=*/8 + int(board), /*completion=*/100));
}

// The table: global results.
TEST(ScoreboardChoice, GlobalResultsThatLeaveAreOn5) {
  Situation s;
  s.around.hasGlobals = true;
  EXPECT_EQ(s.chooseFor(makeGlobal(Leaves)), 5u);
  s.put(5, makeGlobal(3));
  EXPECT_EQ(s.chooseFor(makeGlobal(Leaves)), 5u) << "busy or not";
  // An ATOMG without a destination makes no kernel with global results.
  s.around.hasGlobals = false;
  EXPECT_EQ(s.chooseFor(makeGlobal(Leaves)), 2u);
}

// The table: global results.
TEST(ScoreboardChoice, GlobalResultsBeginAt2) {
  Situation s;
  EXPECT_EQ(s.chooseFor(makeGlobal(3)), 2u);
  occupy(s, 2, 4);
  EXPECT_EQ(s.chooseFor(makeGlobal(3)), 5u);
  // A global result leaves the block, or is pending.
  s.around.hasGlobals = s.around.globalsLeave = true;
  EXPECT_NE(s.chooseFor(makeGlobal(3)), 5u);
}

// The table: others.
TEST(ScoreboardChoice, OthersKeepOff5ForGlobalResults) {
  Situation s;
  EXPECT_EQ(s.chooseFor(makeResult(3)), 0u);
  EXPECT_EQ(s.chooseFor(makeResult(Leaves)), 0u);
  occupy(s, 0, 4);
  EXPECT_EQ(s.chooseFor(makeResult(3)), 5u);
  EXPECT_EQ(s.chooseFor(makeResult(Leaves)), 5u);
  s.around.hasGlobals = true;
  EXPECT_EQ(s.chooseFor(makeResult(3)), 5u) << "no global result leaves";
  EXPECT_NE(s.chooseFor(makeResult(Leaves)), 5u);
  s.around.globalsLeave = true;
  EXPECT_NE(s.chooseFor(makeResult(3)), 5u);
}

// The table: textures [scoreboards-textures].
TEST(ScoreboardChoice, TexturesHave5ForThemselves) {
  Situation s;
  s.around.hasGlobals = true;
  s.around.globalScoreboard = 4;
  EXPECT_EQ(s.chooseFor(makeTexture(3)), 5u);
  EXPECT_EQ(s.chooseFor(makeTexture(Leaves)), 5u);
  EXPECT_EQ(s.chooseFor(makeGlobal(Leaves)), 4u);
  occupy(s, 0, 3);
  EXPECT_EQ(s.chooseFor(makeResult(3)), 4u);
  EXPECT_LT(s.chooseFor(makeResult(Leaves)), 4u);
}

// Scoreboard 0 is that of a DEPBAR [scoreboards-asynchronous].
TEST(ScoreboardChoice, WhatIsCountedHas0ForItself) {
  Situation s;
  s.around.countsFirst = true;
  EXPECT_EQ(s.chooseFor(makeResult(3)), 1u);
  s.put(0, makeRead(Leaves));
  EXPECT_EQ(s.chooseFor(makeRead(Leaves)), 1u);
}

TEST(ScoreboardChoice, Rule1TheConsumerWaitsForItAnyway) {
  Situation s;
  s.put(1, makeResult(4));
  s.put(3, makeResult(3));
  s.put(5, makeResult(3));
  EXPECT_EQ(s.chooseFor(makeResult(3)), 3u) << "the lower one of two";
  EXPECT_EQ(s.chooseFor(makeRead(4)), 1u);
  EXPECT_EQ(s.chooseFor(makeGlobal(4)), 1u) << "needn't be a candidate";
  EXPECT_EQ(s.chooseFor(makeResult(5)), 0u);
}

TEST(ScoreboardChoice, Rule1NotForGlobalResultsOfOtherBlocks) {
  Situation s;
  s.put(3, fromOtherBlock(makeGlobal(3)));
  EXPECT_EQ(s.chooseFor(makeResult(3)), 0u);
  s.put(3, makeGlobal(Leaves));
  EXPECT_EQ(s.chooseFor(makeResult(3)), 0u);
  s.put(3, makeResult(3));
  EXPECT_EQ(s.chooseFor(makeResult(3)), 3u) << "it waits for this one, too";
}

TEST(ScoreboardChoice, Rule1NotForTexturesAndOthers) {
  Situation s;
  s.put(5, makeTexture(3));
  EXPECT_EQ(s.chooseFor(makeResult(3)), 0u);
  EXPECT_EQ(s.chooseFor(makeTexture(3)), 5u);
}

TEST(ScoreboardChoice, Rule2ReadsThatLeaveAreTogether) {
  Situation s;
  s.put(2, makeRead(Leaves));
  s.put(4, makeRead(Leaves));
  EXPECT_EQ(s.chooseFor(makeRead(Leaves)), 2u);
  EXPECT_EQ(s.chooseFor(makeResult(Leaves)), 0u) << "it is no read";
  EXPECT_EQ(s.chooseFor(makeRead(3)), 0u) << "it doesn't leave";
  s.put(2, makeResult(Leaves));
  EXPECT_EQ(s.chooseFor(makeRead(Leaves)), 4u);
  s.put(4, makeRead(3));
  EXPECT_EQ(s.chooseFor(makeRead(Leaves)), 0u);
}

TEST(ScoreboardChoice, Rule2OneOfThemIsOfThisBlock) {
  Situation s;
  s.put(3, fromOtherBlock(makeRead(Leaves)));
  EXPECT_EQ(s.chooseFor(makeRead(Leaves)), 0u);
  s.put(3, makeRead(Leaves));
  EXPECT_EQ(s.chooseFor(makeRead(Leaves)), 3u);
}

TEST(ScoreboardChoice, Rule2NeedsNoCandidate) {
  Situation s;
  s.around.hasGlobals = true;
  s.put(5, makeRead(Leaves));
  EXPECT_EQ(s.chooseFor(makeRead(Leaves)), 5u);
}

TEST(ScoreboardChoice, Rule3TheLowestFreeOne) {
  Situation s;
  occupy(s, 0, 1);
  occupy(s, 3, 3);
  EXPECT_EQ(s.chooseFor(makeResult(3)), 2u);
  EXPECT_EQ(s.chooseFor(makeRead(3)), 2u);
  EXPECT_EQ(s.chooseFor(makeResult(Leaves)), 2u);
}

TEST(ScoreboardChoice, Rule3WhatLeavesAvoidsWhatIsPendingBeside) {
  Situation s;
  s.allocation.avoided = 1 << 0 | 1 << 1 | 1 << 3;
  EXPECT_EQ(s.chooseFor(makeResult(Leaves)), 2u);
  EXPECT_EQ(s.chooseFor(makeResult(3)), 0u) << "it doesn't leave";
  occupy(s, 0, 0);
  occupy(s, 2, 2);
  occupy(s, 4, 5);
  EXPECT_EQ(s.chooseFor(makeResult(Leaves)), 1u) << "no other is free";
}

// The event is complete at 60 and waited for at 50.
TEST(ScoreboardChoice, Rule4TheLowestCost) {
  Situation s;
  s.put(0, makeResult(/*consumer=*/9, /*completion=*/100)); // 100 - 60 = 40
  s.put(1, makeResult(3, 20));                              // 60 - 30 = 30
  s.put(2, makeResult(3, 45));                              // 60 - 45 = 15
  s.put(3, makeResult(9, 75));                              // 75 - 60 = 15
  s.put(4, makeResult(4, 10));                              // 60 - 40 = 20
  s.put(5, makeResult(Leaves, 90));                         // 90 - 60 = 30
  EXPECT_EQ(s.chooseFor(makeResult(5, 60)), 2u) << "the lower one of equals";
  s.allocation.release(1 << 2);
  s.put(2, makeResult(9, 90));
  EXPECT_EQ(s.chooseFor(makeResult(5, 60)), 3u);
}

// The event is complete at 60, and nobody waits for it.
TEST(ScoreboardChoice, Rule4WhatLeavesTakesTheFirstThatCostsNothing) {
  Situation s;
  s.put(0, makeResult(/*consumer=*/3, /*completion=*/20)); // 60 - 30 = 30
  s.put(1, makeResult(6, 0));                              // 60 - 60 = 0
  s.put(2, makeResult(9, 0));                              // 60 - 90 = -30
  s.put(3, makeResult(Leaves, 300)); // Nothing: nobody waits for either.
  s.put(4, makeResult(4, 10));
  s.put(5, makeResult(4, 10));
  EXPECT_EQ(s.chooseFor(makeResult(Leaves, 60)), 1u);
  s.allocation.release(1 << 1 | 1 << 2);
  s.put(1, makeResult(4, 10));
  s.put(2, makeResult(4, 10));
  EXPECT_EQ(s.chooseFor(makeResult(Leaves, 60)), 3u);
}

TEST(ScoreboardChoice, Rule4WhereAllCostsSomethingTheCheapestIsTaken) {
  Situation s;
  for (unsigned board : {0, 1, 2, 4, 5})
    s.put(board, makeResult(/*consumer=*/3)); // 60 - 30 = 30
  s.put(3, makeResult(4));                    // 60 - 40 = 20
  EXPECT_EQ(s.chooseFor(makeResult(Leaves, 60)), 3u);
}

TEST(ScoreboardChoice, Rule4AResultThatLeavesMayShareAnyWithoutGlobalResults) {
  auto makeSituation = [](const Event &on5) {
    Situation s;
    s.around.hasGlobals = true;
    for (unsigned board = 0; board != 5; ++board)
      s.put(board, makeResult(/*consumer=*/3)); // 60 - 30 = 30
    s.put(5, on5);
    return s.chooseFor(makeResult(Leaves, 60));
  };
  EXPECT_EQ(makeSituation(makeResult(Leaves)), 5u);
  EXPECT_EQ(makeSituation(makeGlobal(Leaves)), 0u);
  EXPECT_EQ(makeSituation(makeTexture(Leaves)), 0u);
}

TEST(ScoreboardChoice, Rule4AReadThatLeavesSharesACandidate) {
  Situation s;
  s.around.hasGlobals = true;
  for (unsigned board = 0; board != 5; ++board)
    s.put(board, makeResult(/*consumer=*/3)); // 60 - 30 = 30
  s.put(5, makeResult(Leaves));
  EXPECT_EQ(s.chooseFor(makeRead(Leaves, 60)), 0u);
}

} // namespace
