//===- CollectivesTest.cpp - Places in collective parts of code -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of a kernel for sm_100 with a BAR, as ptxas 13.0.48 compiles it;
/// the places that its object names and those of nvlink 13.0.88
/// [collective-places].
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/Collectives.h"
#include "lld-cuda/FinalCode/CallFrame.h"
#include "lld-cuda/FinalCode/Debug.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/SmallVector.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::sass;

namespace {

// WARPSYNC.COLLECTIVE, SHF, LOP3, BAR, SHF, ENDCOLLECTIVE.
constexpr Instruction Part[] = {
    {0x147948, 0xfea0003c00000},      {0x100d0d7819, 0xfc800000006ff},
    {0xf0d0d7812, 0xfca00078ef80e},   {0xd0000731d, 0x1e40000010000},
    {0x100d0d7819, 0x1fc800000016ff}, {0x791b, 0xfea0003800000}};

SmallVector<uint8_t, 0> getCode() {
  SmallVector<uint8_t, 0> code(sizeof(Part));
  for (size_t i = 0; i != std::size(Part); ++i)
    Part[i].write(code.data() + i * InstructionSize);
  return code;
}

TEST(Collectives, TheOperationIsFoundFromTheBeginning) {
  const SmallVector<uint8_t, 0> code = getCode();
  EXPECT_EQ(findCollectiveOperation(code, 0), 0x30u);
  for (uint64_t other = 0x10; other <= 0x70; other += 0x10)
    EXPECT_EQ(findCollectiveOperation(code, other), other);
  for (uint64_t far : {~uint64_t(0), ~uint64_t(0xf)})
    EXPECT_EQ(findCollectiveOperation(code, far), far);
  // Cut off before the operation.
  EXPECT_EQ(findCollectiveOperation(ArrayRef(code).take_front(0x30), 0), 0u);
}

TEST(Collectives, OtherWarpSynchronizationsStay) {
  // WARPSYNC.ALL, BAR; WARPSYNC R6, REDUX.
  for (auto [sync, next] :
       {std::pair(Instruction{0x7948, 0xfea0003800000},
                  Instruction{0x7b1d, 0xfe20000010000}),
        std::pair(Instruction{0x6007348, 0xfea0003800000},
                  Instruction{0x60473c4, 0xe640000004000})}) {
    SmallVector<uint8_t, 0> code(2 * InstructionSize);
    sync.write(code.data());
    next.write(code.data() + InstructionSize);
    EXPECT_EQ(findCollectiveOperation(code, 0), 0u);
  }
}

TEST(Collectives, FramesNameTheEndOfAnInstruction) {
  const SmallVector<uint8_t, 0> code = getCode();
  // Version 3, no augmentation, code alignment 4.
  SmallVector<uint8_t, 0> cie(CieVersionOffset, 0), fde;
  cie.append({3, 0, 4, 0x7c, 0xff});
  fde.append(FrameInstructionsOffset, 0);
  // DW_CFA_advance_loc4 to 0x10, then to 0x50.
  fde.append({4, 0x10 / 4, 0, 0, 0, 4, 0x40 / 4, 0, 0, 0});
  Error e = moveFrameIntoCollectives(code, cie, fde);
  ASSERT_FALSE(bool(e)) << toString(std::move(e));
  EXPECT_EQ(ArrayRef(fde).drop_front(FrameInstructionsOffset),
            ArrayRef<uint8_t>({4, 0x40 / 4, 0, 0, 0, 4, 0x10 / 4, 0, 0, 0}));
}

} // namespace
