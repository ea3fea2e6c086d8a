//===- AdditionRecords.cpp - Mercury records for two-operand sums ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// CodeRenewal (OlderCode.cpp) gives code of ptxas 13.0 the instruction for
/// sums of two numbers [code-additions], and calls addAdditionRecords() just
/// before that, when a link with --reschedule finalizes a function. That
/// instruction has a record in .nv.capmerc.text, and the three-operand form
/// that it replaces may have none. So the section is written anew: an
/// instruction that has no record and becomes a sum of two gets a short one of
/// four bytes, which depends on its second operand and on whether it takes a
/// carry. All other entries stay as they are.
///
//===----------------------------------------------------------------------===//

#include "AdditionSchedule.h"
#include "lld-cuda/FinalCode/CapmercWriter.h"
#include "lld-cuda/Object/Mercury.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

/// The short record of an IADD, by the form of its second operand.
static ArrayRef<uint8_t> getAdditionRecord(const Instruction &inst) {
  constexpr unsigned FormBit = 9, Immediate = 4, Uniform = 6;
  static const uint8_t records[3][2][4] = {
      // Without and with a carry that it takes.
      {{0x41, 0x0c, 0x40, 0x04}, {0x42, 0x0c, 0x30, 0x14}}, // A register.
      {{0x42, 0x0c, 0x42, 0x06}, {0x42, 0x0c, 0x32, 0x06}}, // A constant.
      {{0x41, 0x0c, 0x44, 0x04}, {0x42, 0x0c, 0x34, 0x14}}, // Uniform.
  };
  const unsigned form = inst.opcode() >> FormBit;
  return records[form == Immediate ? 1
                 : form == Uniform ? 2
                                   : 0][takesCarry(inst)];
}

Expected<SmallVector<uint8_t, 0>>
addAdditionRecords(ArrayRef<uint8_t> code, ArrayRef<uint8_t> section) {
  Expected<CapmercText> text = readCapmercText(section, code.size());
  if (!text)
    return text.takeError();
  CapmercWriter writer(section.take_front(CapmercHeaderSize));
  for (const CapmercEntry &entry : text->entries) {
    if (entry.recordOffset) {
      writer.addCopy(entry.bytes(section));
      continue;
    }
    const auto inst = Instruction::read(
        code.data() + uint64_t(InstructionSize) * entry.instruction);
    if (isAddition(inst))
      writer.addCopy(getAdditionRecord(inst));
    else
      writer.addPlain();
  }
  return writer.finish();
}

} // namespace lld::cuda
