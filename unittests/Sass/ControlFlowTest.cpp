//===- ControlFlowTest.cpp - Basic blocks of a function -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Sass/ControlFlow.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::sass;

namespace {

Instruction makeBranch(int64_t instructions, bool isConditional) {
  Instruction inst = {0x7947, 0x0003800000000000};
  if (isConditional)
    inst.setPredicate(0);
  inst.setDisplacement(instructions * int64_t(InstructionSize));
  return inst;
}

TEST(ControlFlow, VisitsTheBranchBeforeTheNextBlock) {
  // 0: @P0 BRA 3; 1: NOP; 2: BRA 4; 3: NOP; 4: EXIT
  const Instruction exit = {0x794d, 0};
  const Instruction move = {0x7802, 0};
  std::vector<Instruction> code = {makeBranch(2, true), move,
                                   makeBranch(1, false), move, exit};
  std::optional<ControlFlow> flow = ControlFlow::build(code);
  ASSERT_TRUE(flow);
  ASSERT_EQ(flow->blocks.size(), 4u);
  EXPECT_EQ(flow->order, (std::vector<uint32_t>{0, 2, 1, 3}));
  EXPECT_TRUE(flow->blocks[3].endsInExit);
  EXPECT_EQ(flow->blocks[3].predecessors.size(), 2u);
}

/// 0: BRX to 1 and 3; 1: BRA 3; 2: NOP; 3: EXIT
TEST(ControlFlow, FollowsTablesWhereTheyAreKnown) {
  const Instruction exit = {0x794d, 0};
  const Instruction move = {0x7802, 0};
  const Instruction jump = {0x7949, 0};
  std::vector<Instruction> code = {jump, makeBranch(1, false), move, exit};
  std::optional<ControlFlow> flow = ControlFlow::build(code);
  ASSERT_TRUE(flow);
  EXPECT_TRUE(flow->blocks[0].endsInTable);
  EXPECT_FALSE(flow->blocks[0].hasKnownTargets);
  EXPECT_TRUE(flow->blocks[0].successors.empty());
  const JumpTable table = {0, {3, 1, 3}};
  flow = ControlFlow::build(code, table);
  ASSERT_TRUE(flow);
  ASSERT_EQ(flow->blocks.size(), 4u);
  EXPECT_TRUE(flow->blocks[0].hasKnownTargets);
  EXPECT_EQ(flow->blocks[0].successors, (SmallVector<uint32_t, 2>{1, 3}));
  EXPECT_EQ(flow->blocks[3].predecessors.size(), 3u);
  EXPECT_FALSE(ControlFlow::build(code, JumpTable{0, {4}}));
}

TEST(ControlFlow, RefusesBranchesOutOfTheCode) {
  std::vector<Instruction> code = {makeBranch(7, true), {0x794d, 0}};
  EXPECT_FALSE(ControlFlow::build(code));
  code[0] = makeBranch(-5, true);
  EXPECT_FALSE(ControlFlow::build(code));
  EXPECT_FALSE(ControlFlow::build({}));
}

} // namespace
