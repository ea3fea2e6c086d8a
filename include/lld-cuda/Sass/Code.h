//===- Code.h - Encoding of SASS instructions -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The encoding of SASS instructions (native GPU code) of sm_100 and later, as
/// far as a linker needs it: which instructions transfer control, where their
/// relative target is, which ones make up a memory fence, and the scheduling
/// fields. lib/FinalCode and lib/Reschedule read and write instructions with it
/// when the linker finalizes functions at the end of a link. All facts were
/// found by comparing what nvlink reads and writes.
///
/// An instruction takes 16 bytes. Bits 0 to 8 are the operation, bits 9 to 11
/// the kinds of its operands, bits 12 to 15 the guarding predicate. Bits 105 to
/// 125 tell the hardware how to schedule it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SASS_CODE_H
#define LLD_CUDA_SASS_CODE_H

#include "llvm/Support/Endian.h"
#include <cstdint>
#include <optional>

namespace lld::cuda::sass {

constexpr unsigned InstructionSize = 16;

/// The opcode, bits 0 to 11, of a MOV from a register.
constexpr unsigned OpcodeMoveRegister = 0x202;

/// Bits 0 to 8 of an instruction.
enum Operation : uint16_t {
  OpMOV = 0x02,
  OpFSETP = 0x0b,
  OpISETP = 0x0c,
  OpIADD3 = 0x10,
  OpLEA = 0x11,
  OpIABS = 0x13,
  OpIMNMX = 0x17,
  OpPLOP3 = 0x1c,
  OpIMAD = 0x24,
  OpIMADWide = 0x25,
  OpIMADHigh = 0x27,
  OpDMUL = 0x28,
  OpDADD = 0x29,
  OpDSETP = 0x2a,
  OpDFMA = 0x2b,
  OpIADD = 0x35,
  OpIMMA = 0x37,
  OpHMMA = 0x3c,
  OpDMMA = 0x3f,
  OpI2FP = 0x45,
  OpFFMA2 = 0x49, ///< Before sm_120.
  OpOMMA = 0x7f,
  OpUMOV = 0x82,
  OpVOTEU = 0x86,
  OpUISETP = 0x8c,
  OpUSHF = 0x99,
  OpR2UR = 0xca,
  OpF2F = 0x110,
  OpF2I = 0x111,
  OpI2F = 0x112,
  OpFRND = 0x113,
  OpNOP = 0x118,
  OpDEPBAR = 0x11a,
  OpBAR = 0x11d,
  OpBSYNC = 0x141,
  OpCALLAbs = 0x143,
  OpCALLRel = 0x144,
  OpBSSY = 0x145,
  OpYIELD = 0x146,
  OpBRA = 0x147,
  OpWARPSYNC = 0x148,
  OpBRX = 0x149,
  OpEXIT = 0x14d,
  OpRET = 0x150,
  OpBPT = 0x15c,
  OpBRXUniform = 0x158,
  OpLDC = 0x182,
  OpMEMBAR = 0x192,
  OpSUSTFormatted = 0x19b,
  OpSUST = 0x19d,
  OpSURED = 0x19f,
  OpCCTL = 0x18f,
  OpERRBAR = 0x1ab,
  OpLDCU = 0x1ac,
  OpLDGSTS = 0x1ae,
};

/// Bits 72 to 79 of a MEMBAR: its kind and scope.
enum MembarKind : uint8_t {
  MembarBeforeExit = 0x50, ///< Begins the error barrier before an EXIT.
  MembarAllCTA = 0x80,     ///< Also found before a fence of wider scope.
};

constexpr unsigned MaxStall = 15, NoScoreboard = 7;

/// An instruction in its encoded form, 16 bytes as two 64-bit words.
struct Instruction {
  uint64_t low;
  uint64_t high;

  static Instruction read(const uint8_t *p) {
    return {llvm::support::endian::read64le(p),
            llvm::support::endian::read64le(p + 8)};
  }
  void write(uint8_t *p) const {
    llvm::support::endian::write64le(p, low);
    llvm::support::endian::write64le(p + 8, high);
  }

  unsigned operation() const { return low & 0x1ff; }
  unsigned opcode() const { return low & 0xfff; }
  /// Bits 0 to 2: the predicate register, 7 is always true; bit 3: negated.
  unsigned predicate() const { return low >> 12 & 0xf; }
  void setPredicate(unsigned p) { low = (low & ~0xf000ull) | p << 12; }

  /// Bits 81 to 83: the predicate that comparisons and some other instructions
  /// set.
  unsigned firstPredicate() const { return high >> 17 & 7; }
  /// Bits 87 to 90 of an EXIT or a branch: a further condition, encoded like
  /// predicate().
  unsigned condition() const { return high >> 23 & 0xf; }

  /// Returns whether the instruction takes a fixed number of cycles on sm_100,
  /// but not on sm_103: FP64 and integer tensor arithmetic (found by linking
  /// code for sm_100 for sm_103).
  bool isSlowerOnSM103() const {
    return isFP64Arithmetic() || operation() == OpIMMA;
  }
  bool isFP64Arithmetic() const {
    switch (operation()) {
    case OpDMUL:
    case OpDADD:
    case OpDSETP:
    case OpDFMA:
      return true;
    default:
      return false;
    }
  }
  /// Returns whether the instruction uses the FP64 unit of sm_103: FP64
  /// arithmetic, and conversions from or to 64 bits.
  bool usesFP64Unit() const {
    constexpr unsigned Wide = 3;
    switch (operation()) {
    case OpF2F:
    case OpF2I:
    case OpI2F:
    case OpFRND:
      // Sizes of the result (bits 75 and 76) and the source (bits 84 and 85).
      return (high >> 11 & 3) == Wide || (high >> 20 & 3) == Wide;
    default:
      return isFP64Arithmetic();
    }
  }
  /// Returns whether ptxas doesn't mark code for sm_100 with this instruction
  /// as fit for sm_103.
  bool isUnfitForSM103() const {
    constexpr unsigned OpcodeFSETPImmediate = 0x80b;
    return isSlowerOnSM103() || operation() == OpDMMA ||
           opcode() == OpcodeFSETPImmediate;
  }
  bool isCall() const {
    return operation() == OpCALLAbs || operation() == OpCALLRel;
  }
  bool writesSurface() const {
    return operation() == OpSUSTFormatted || operation() == OpSUST ||
           operation() == OpSURED;
  }
  /// Returns whether this is a MOV or UMOV of an immediate of 32 bits.
  bool movesImmediate() const { return opcode() == 0x802 || opcode() == 0x882; }
  uint32_t immediate() const { return low >> 32; }
  void setImmediate(uint32_t value) {
    low = (low & 0xffffffff) | uint64_t(value) << 32;
  }
  bool isNop() const { return opcode() == 0x918; }
  /// Bits 72 and 73 of a BSYNC: how threads reconverge. Neither is set at the
  /// end of a collective part.
  unsigned syncMode() const {
    return operation() == OpBSYNC ? high >> 8 & 3 : 0;
  }
  /// Bits 16 to 19 of a BSYNC.
  unsigned syncRegister() const { return low >> 16 & 0xf; }
  bool isExit() const { return operation() == OpEXIT; }
  bool isMembar() const { return opcode() == 0x992; }
  uint8_t membarKind() const { return high >> 8 & 0xff; }
  /// Returns whether this is one of the loads without effect, from shared
  /// memory, that the compiler puts before a fence.
  bool isFencePlaceholder() const { return uint32_t(low) == 0xfffff984; }

  /// Returns the distance in bytes from the end of the instruction to its
  /// branch target, or to the base of its return address; nullopt for
  /// instructions without one.
  std::optional<int64_t> displacement() const;
  /// Requires an instruction that has a displacement().
  void setDisplacement(int64_t bytes);

  /// Bits 110 to 112: the scoreboard that signals that the result is available.
  unsigned writeScoreboard() const { return high >> 46 & NoScoreboard; }
  void setWriteScoreboard(unsigned s) {
    high = (high & ~(uint64_t(NoScoreboard) << 46)) | uint64_t(s) << 46;
  }
  /// Bits 116 to 121: the scoreboards to wait for.
  uint64_t waitMask() const { return high & WaitMask; }
  void addWaits(uint64_t waits) { high |= waits; }
  void addWaitFor(unsigned scoreboard) { high |= 1ull << (52 + scoreboard); }
  void dropWaits(uint64_t waits) { high &= ~(waits & WaitMask); }
  void clearWaits() { dropWaits(WaitMask); }
  /// Bits 105 to 108: cycles until the next instruction may issue.
  unsigned stall() const { return high >> 41 & MaxStall; }
  void setStall(unsigned cycles) {
    high = (high & ~(uint64_t(MaxStall) << 41)) | uint64_t(cycles) << 41;
  }
  /// Bits 105 to 125: all that tells the hardware how to schedule.
  uint32_t scheduling() const { return high >> 41 & SchedulingMask; }
  void setScheduling(uint32_t fields) {
    high = (high & ~(uint64_t(SchedulingMask) << 41)) | uint64_t(fields) << 41;
  }
  /// The scheduling fields of unoptimized code since CUDA 13.3: no stall and no
  /// scoreboards.
  static constexpr uint32_t Unscheduled = 0x7e0;
  bool isUnscheduled() const { return scheduling() == Unscheduled; }
  /// Bits 122 to 125: operands to keep for the next instruction.
  void clearReuse() { high &= ~(0xfull << 58); }
  unsigned reuse() const { return high >> 58 & 0xf; }
  void setReuse(unsigned operands) { high |= uint64_t(operands) << 58; }
  /// Clears bit 109: another warp may issue first.
  void letYield() { high &= ~(1ull << 45); }
  bool yields() const { return !(high >> 45 & 1); }
  void forbidYield() { high |= 1ull << 45; }

private:
  static constexpr uint64_t WaitMask = 0x3full << 52;
  static constexpr uint32_t SchedulingMask = (1u << 21) - 1;
};

/// The NOP with which text sections are padded.
constexpr Instruction Nop = {0x7918, 0xfc00000000000};

} // namespace lld::cuda::sass

#endif
