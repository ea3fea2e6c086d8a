//===- RegisterRules.cpp - Call frame rules for moved registers -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the rules for .debug_frame that say where the values are that
/// registers had when a function was entered. The linker's DebugFrame.cpp calls
/// findRegisterRules() when it rewrites the frames of objects from compilers
/// before 13.4, which lack the rules. `MOV R4, R8` overwrites the value that R4
/// had; a DWARF rule for the code after each such move says where that value is
/// now: DW_CFA_register names the register that still holds the value,
/// DW_CFA_same_value says that the value is in its original register, and
/// DW_CFA_undefined that it is lost. If several registers hold it, the one with
/// the smallest number counts.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/RegisterRules.h"
#include "lld-cuda/Object/Mercury.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/LEB128.h"
#include <array>
#include <utility>

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

namespace {

/// Which value each register has: that of which register at the entry. Only
/// such moves count; what other instructions write isn't followed.
class MovedValues {
public:
  MovedValues() {
    for (unsigned i = 0; i != holds.size(); ++i)
      holds[i] = i;
  }
  /// The value that is overwritten, or nothing if it is the same again.
  std::optional<unsigned> move(uint8_t destination, uint8_t source) {
    const uint16_t old = holds[destination];
    holds[destination] = holds[source];
    if (old == holds[source] || old == Unknown)
      return std::nullopt;
    return old;
  }
  /// Notes that a register gets a new value. Returns the value that is
  /// overwritten, or nothing if it isn't one from the function's entry.
  std::optional<unsigned> overwrite(uint8_t destination) {
    const uint16_t old = std::exchange(holds[destination], Unknown);
    if (old == Unknown)
      return std::nullopt;
    return old;
  }
  /// Returns the register that holds the value, with the smallest number if
  /// there are several.
  std::optional<unsigned> find(uint8_t value) const {
    for (unsigned i = 0; i != holds.size(); ++i)
      if (holds[i] == value)
        return i;
    return std::nullopt;
  }

private:
  static constexpr uint16_t Unknown = 256;
  std::array<uint16_t, 256> holds;
};

} // namespace

/// Appends a register by DWARF's number of it.
static void appendRegister(SmallVectorImpl<uint8_t> &out, unsigned number) {
  constexpr unsigned FirstRegister = 0x5000000;
  uint8_t bytes[8];
  const unsigned size = encodeULEB128(FirstRegister + number, bytes);
  out.append(bytes, bytes + size);
}

static SmallVector<uint8_t, 16> makeRule(unsigned value,
                                         std::optional<unsigned> place) {
  const uint8_t opcode = !place            ? dwarf::DW_CFA_undefined
                         : *place == value ? dwarf::DW_CFA_same_value
                                           : dwarf::DW_CFA_register;
  SmallVector<uint8_t, 16> rule = {opcode};
  appendRegister(rule, value);
  if (opcode == dwarf::DW_CFA_register)
    appendRegister(rule, *place);
  return rule;
}

/// A collective WARPSYNC, the election of a thread, and the end of both. MOVs
/// in other runs don't count.
static bool isElection(const CapmercEntry &entry, ArrayRef<uint8_t> capmerc) {
  return entry.isRun && entry.isOf(CapmercElection, capmerc);
}

Expected<std::vector<RegisterRule>>
findRegisterRules(ArrayRef<uint8_t> code, ArrayRef<uint8_t> capmerc) {
  Expected<CapmercText> text = readCapmercText(capmerc, code.size());
  if (!text)
    return text.takeError();
  std::vector<RegisterRule> rules;
  MovedValues values;
  for (const CapmercEntry &entry : text->entries) {
    if (!joinsPair(entry, capmerc) && !isElection(entry, capmerc))
      continue;
    for (uint32_t i = 0; i != entry.count; ++i) {
      const uint64_t offset = uint64_t(entry.instruction + i) * InstructionSize;
      const Instruction inst = Instruction::read(code.data() + offset);
      if (inst.operation() != OpMOV)
        continue;
      const uint8_t destination = inst.low >> 16, source = inst.low >> 32;
      const std::optional<unsigned> value =
          inst.opcode() == OpcodeMoveRegister ? values.move(destination, source)
                                              : values.overwrite(destination);
      if (value)
        rules.push_back({offset, makeRule(*value, values.find(*value))});
    }
  }
  return rules;
}

} // namespace lld::cuda
