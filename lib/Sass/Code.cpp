//===- Code.cpp - Branch targets in instructions --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads and writes the target of a branch in native code (SASS) of sm_100 and
/// later. ControlFlow.cpp calls displacement() to find basic blocks when the
/// linker finalizes a function; CodeEdit.cpp writes it with setDisplacement()
/// when instructions have come or gone in between. A branch stores how far its
/// target is from its own end, in units of 4 bytes. Most instructions have that
/// number in two pieces, its lowest 8 bits at bit 16 and the other 48 from bit
/// 34 on, across both halves of the instruction; BSSY has 30 bits in one piece.
/// Calls and returns to absolute addresses have no displacement.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Sass/Code.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lld::cuda::sass {

/// How an instruction stores its displacement, which counts units of 4 bytes.
enum class DisplacementField {
  None,
  Split, ///< 8 low bits at bit 16, 48 high bits at bit 34.
  Short, ///< 30 bits at bit 34.
};

constexpr unsigned Unit = 4, FieldBit = 34, LowBit = 16, LowWidth = 8,
                   ShortWidth = 30, HighWidth = 48;
/// The part of the 48 bits that stands in the low half of the instruction.
constexpr unsigned HighWidthInLow = 64 - FieldBit;

static DisplacementField getDisplacementField(const Instruction &inst) {
  switch (inst.operation()) {
  case OpBRA:
  case OpBRX:
  case OpBRXUniform:
    return DisplacementField::Split;
  // Calls inside a section; with relocations only outside of it.
  case OpCALLRel:
    return DisplacementField::Split;
  case OpRET: {
    // Return addresses are absolute, or count from a place in the section.
    constexpr uint64_t Absolute = 1ull << (85 - 64);
    return inst.high & Absolute ? DisplacementField::None
                                : DisplacementField::Split;
  }
  case OpBSSY:
    return DisplacementField::Short;
  case OpWARPSYNC: {
    // Only the collective form names a place to continue at.
    constexpr uint64_t Collective = 1ull << (86 - 64);
    return inst.high & Collective ? DisplacementField::Split
                                  : DisplacementField::None;
  }
  default:
    return DisplacementField::None;
  }
}

std::optional<int64_t> Instruction::displacement() const {
  switch (getDisplacementField(*this)) {
  case DisplacementField::None:
    return std::nullopt;
  case DisplacementField::Short:
    return SignExtend64<ShortWidth>(low >> FieldBit) * Unit;
  case DisplacementField::Split: {
    uint64_t value = low >> FieldBit | high << HighWidthInLow;
    value = value << LowWidth |
            (low >> LowBit & maskTrailingOnes<uint64_t>(LowWidth));
    return SignExtend64<HighWidth + LowWidth>(value) * Unit;
  }
  }
  llvm_unreachable("unknown field");
}

void Instruction::setDisplacement(int64_t bytes) {
  uint64_t value = bytes / int64_t(Unit);
  constexpr uint64_t InLow = ~0ull << FieldBit;
  switch (getDisplacementField(*this)) {
  case DisplacementField::None:
    llvm_unreachable("instruction without a target");
  case DisplacementField::Short:
    low = (low & ~InLow) | value << FieldBit;
    return;
  case DisplacementField::Split: {
    const uint64_t LowMask = maskTrailingOnes<uint64_t>(LowWidth) << LowBit;
    const uint64_t HighMask =
        maskTrailingOnes<uint64_t>(HighWidth - HighWidthInLow);
    low = (low & ~LowMask) | (value << LowBit & LowMask);
    value >>= LowWidth;
    low = (low & ~InLow) | value << FieldBit;
    high = (high & ~HighMask) | (value >> HighWidthInLow & HighMask);
    return;
  }
  }
}

} // namespace lld::cuda::sass
