//===- CallFrame.cpp - Reading call frame instructions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the instructions of a call frame (FDE) of .debug_frame, which is a
/// small program: "advance by 4 units, then this rule holds". When the linker
/// finalizes functions of sm_100 and later, Debug.cpp calls
/// forEachFrameInstruction() to correct the advances where code has moved, and
/// the linker's FrameRows.cpp to add rules. The instructions have no length
/// field, so getFrameOperands() must know the operands of each; the reader
/// can't skip one that it doesn't know, and fails.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/CallFrame.h"
#include "lld-cuda/Support/LlvmCompat.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;

namespace lld::cuda {

/// The bits of an opcode of the kind that holds its operand in the others.
constexpr uint8_t Primary = 0xc0;

namespace {

/// What follows an instruction's opcode.
struct FrameOperands {
  unsigned advanceSize = 0; ///< Bytes of a distance.
  unsigned numbers = 0;     ///< ULEB128 or SLEB128.
  bool hasBlock = false;    ///< A ULEB128 size, and as many bytes.
};

} // namespace

static std::optional<FrameOperands> getFrameOperands(uint8_t opcode) {
  switch (opcode & Primary) {
  case dwarf::DW_CFA_advance_loc:
  case dwarf::DW_CFA_restore:
    return FrameOperands{};
  case dwarf::DW_CFA_offset:
    return FrameOperands{0, 1};
  }
  switch (opcode) {
  case dwarf::DW_CFA_nop:
  case dwarf::DW_CFA_remember_state:
  case dwarf::DW_CFA_restore_state:
    return FrameOperands{};
  case dwarf::DW_CFA_advance_loc1:
    return FrameOperands{1};
  case dwarf::DW_CFA_advance_loc2:
    return FrameOperands{2};
  case dwarf::DW_CFA_advance_loc4:
    return FrameOperands{4};
  case dwarf::DW_CFA_restore_extended:
  case dwarf::DW_CFA_undefined:
  case dwarf::DW_CFA_same_value:
  case dwarf::DW_CFA_def_cfa_register:
  case dwarf::DW_CFA_def_cfa_offset:
  case dwarf::DW_CFA_def_cfa_offset_sf:
    return FrameOperands{0, 1};
  case dwarf::DW_CFA_offset_extended:
  case dwarf::DW_CFA_register:
  case dwarf::DW_CFA_def_cfa:
  case dwarf::DW_CFA_offset_extended_sf:
  case dwarf::DW_CFA_def_cfa_sf:
  case dwarf::DW_CFA_val_offset:
  case dwarf::DW_CFA_val_offset_sf:
    return FrameOperands{0, 2};
  case dwarf::DW_CFA_def_cfa_expression:
    return FrameOperands{0, 0, true};
  case dwarf::DW_CFA_expression:
  case dwarf::DW_CFA_val_expression:
    return FrameOperands{0, 1, true};
  default:
    return std::nullopt;
  }
}

uint64_t getCodeAlignment(ArrayRef<uint8_t> cie) {
  DataExtractor data = extractData(cie);
  DataExtractor::Cursor cursor(CieVersionOffset);
  uint8_t version = data.getU8(cursor);
  data.getCStrRef(cursor); // Augmentation.
  if (version >= 4)
    data.getU16(cursor); // Sizes of addresses and segments.
  uint64_t alignment = data.getULEB128(cursor);
  if (Error e = cursor.takeError()) {
    consumeError(std::move(e));
    return 0;
  }
  return alignment;
}

Error forEachFrameInstruction(
    ArrayRef<uint8_t> fde,
    function_ref<Error(const FrameInstruction &)> visit) {
  DataExtractor data = extractData(fde);
  DataExtractor::Cursor cursor(FrameInstructionsOffset);
  while (cursor.tell() < fde.size()) {
    FrameInstruction inst;
    inst.offset = cursor.tell();
    inst.opcode = data.getU8(cursor);
    const std::optional<FrameOperands> operands = getFrameOperands(inst.opcode);
    if (!operands) {
      consumeError(cursor.takeError());
      return createStringError("call frame instruction 0x%x is unknown",
                               inst.opcode);
    }
    if ((inst.opcode & Primary) == dwarf::DW_CFA_advance_loc)
      inst.advance = inst.opcode & ~Primary;
    else if (operands->advanceSize)
      inst.advance = data.getUnsigned(cursor, operands->advanceSize);
    for (unsigned i = 0; i != operands->numbers; ++i)
      data.getULEB128(cursor);
    if (operands->hasBlock)
      data.skip(cursor, data.getULEB128(cursor));
    if (!cursor)
      return cursor.takeError();
    inst.size = cursor.tell() - inst.offset;
    if (Error e = visit(inst))
      return e;
  }
  return cursor.takeError();
}

} // namespace lld::cuda
