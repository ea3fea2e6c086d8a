//===- CallFrameTest.cpp - Instructions of call frames --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Opcodes and operands as DWARF 3, sections 6.4.2 and 7.23, has them.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/CallFrame.h"
#include "gtest/gtest.h"
#include <string>
#include <vector>

using namespace llvm;
using namespace lld::cuda;

namespace {

using Bytes = std::vector<uint8_t>;

Bytes makeFDE(const Bytes &instructions) {
  Bytes fde(FrameInstructionsOffset);
  fde.insert(fde.end(), instructions.begin(), instructions.end());
  return fde;
}

/// "OPCODE+SIZE" of each instruction, "@ADVANCE" after it, then the error.
std::string read(const Bytes &instructions) {
  const Bytes fde = makeFDE(instructions);
  std::string text;
  uint64_t end = FrameInstructionsOffset;
  Error e = forEachFrameInstruction(fde, [&](const FrameInstruction &inst) {
    EXPECT_EQ(inst.offset, end);
    end += inst.size;
    text += std::to_string(inst.opcode) + "+" + std::to_string(inst.size);
    if (inst.advance)
      text += "@" + std::to_string(*inst.advance);
    text += " ";
    return Error::success();
  });
  return e ? text + toString(std::move(e)) : text;
}

TEST(CallFrame, Advances) {
  EXPECT_EQ(read({0x45, 0x02, 0xfe, 0x03, 0x34, 0x12, 0x04, 1, 0, 1, 0}),
            "69+1@5 2+2@254 3+3@4660 4+5@65537 ");
}

TEST(CallFrame, Operands) {
  // offset, restore, offset_extended and def_cfa with long numbers.
  EXPECT_EQ(read({0x85, 0x81, 0x01, 0xc5, 0x05, 0x84, 0x80, 0x00, 0x83, 0x7f,
                  0x0c, 0x24, 0x80, 0x7f, 0x00}),
            "133+3 197+1 5+6 12+4 0+1 ");
}

TEST(CallFrame, Expressions) {
  EXPECT_EQ(read({0x0f, 0x02, 0xff, 0xff, 0x10, 0x84, 0x00, 0x01, 0xff, 0x00}),
            "15+4 16+5 0+1 ");
}

TEST(CallFrame, Unknown) {
  EXPECT_EQ(read({0x00, 0x1c}), "0+1 call frame instruction 0x1c is unknown");
}

TEST(CallFrame, Cut) {
  const Bytes cut[] = {{0x04, 1, 2, 3}, {0x0c, 0x24}, {0x10, 0x84, 0x02, 0x01}};
  for (const Bytes &instructions : cut)
    EXPECT_NE(read(instructions).find("end"), std::string::npos)
        << read(instructions);
}

TEST(CallFrame, CodeAlignment) {
  // Version 3 and, behind the augmentation, an alignment of 4; then version 4
  // with the sizes of an address and a segment in front of it.
  Bytes cie(20);
  cie.insert(cie.end(), {3, 0, 4, 0x7c});
  EXPECT_EQ(getCodeAlignment(cie), 4u);
  cie.resize(20);
  cie.insert(cie.end(), {4, 0, 8, 0, 0x90, 0x01, 0x7c});
  EXPECT_EQ(getCodeAlignment(cie), 0x90u);
  cie.resize(23);
  EXPECT_EQ(getCodeAlignment(cie), 0u);
}

} // namespace
