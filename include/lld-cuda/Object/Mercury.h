//===- Mercury.h - Sections of the Mercury view -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The payload of .nv.capmerc.text.<function> (sm_100 and later): how the
/// instructions of .text.<function> map to Mercury code [mercury-code-format].
///
///   u32  section index of .text.<function>
///   u32  0xc0000001
///   u32  number of entries n
///   u32  bitmap[(n + 31) / 32]; bit i set: entry i has no record
///   records of the other entries, an unaligned byte stream
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_MERCURY_H
#define LLD_CUDA_OBJECT_MERCURY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace lld::cuda {

/// Classes of records, byte 1 of a record proper, that the linker tells apart.
/// Found with probes for single instructions (corpus replaced-minima,
/// textures-debug); the names are ours.
enum CapmercClass : uint8_t {
  CapmercMove = 0x00,
  CapmercSpecial = 0x0b,
  CapmercExit = 0x11, ///< With its error barrier.
  /// Some operations on barrier objects are plain arithmetic natively.
  CapmercBarrierObject = 0x1b,
  CapmercLoad = 0x22,
  CapmercAsync = 0x23,
  CapmercStore = 0x38,
  CapmercBarrier = 0x47,
  CapmercFence = 0x49,
  CapmercDependents = 0x62,
  CapmercElection = 0x64, ///< A collective WARPSYNC and the choice of a thread.
};

/// In bytes: the words in front of the bitmap, and the header of a run.
constexpr uint32_t CapmercHeaderSize = 12, CapmercRunHeaderSize = 2;

struct CapmercEntry {
  uint32_t instruction;  ///< Index of the first SASS instruction it covers.
  uint32_t count;        ///< Number of SASS instructions; may be 0.
  uint32_t recordOffset; ///< In the section; 0: the entry has no record.
  uint32_t recordSize;   ///< Size of the record proper, behind a run header.
  bool isRun;            ///< Begins with a u16 run header at recordOffset.

  /// Where the record proper begins, in the section.
  uint32_t properOffset() const {
    return recordOffset + (isRun ? CapmercRunHeaderSize : 0);
  }
  /// All of its bytes, a run header included.
  llvm::ArrayRef<uint8_t> bytes(llvm::ArrayRef<uint8_t> section) const {
    return section.slice(recordOffset,
                         properOffset() - recordOffset + recordSize);
  }
  /// The record proper; empty if there is none.
  llvm::ArrayRef<uint8_t> proper(llvm::ArrayRef<uint8_t> section) const {
    return section.slice(properOffset(), recordSize);
  }
  /// Whether there is a record of that class.
  bool isOf(CapmercClass wanted, llvm::ArrayRef<uint8_t> section) const {
    return recordSize > 1 && proper(section)[1] == wanted;
  }
};

struct CapmercText {
  uint32_t textSection;              ///< Word 0.
  std::vector<CapmercEntry> entries; ///< In order of `instruction`.
  uint32_t instructionCount;
};

/// Whether the entry is that of the Mercury instruction that joins two
/// registers into a pair, general or uniform ones. Native code has it as two
/// moves, or as one if the other half is in its place.
bool joinsPair(const CapmercEntry &entry, llvm::ArrayRef<uint8_t> section);

/// A record whose size isn't known: what a later compiler may write. The
/// section can't be read, which doesn't mean that it is damaged.
class UnknownCapmercRecord : public llvm::ErrorInfo<UnknownCapmercRecord> {
public:
  static char ID;
  UnknownCapmercRecord(size_t offset, uint8_t firstByte)
      : offset(offset), firstByte(firstByte) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  const size_t offset;
  const uint8_t firstByte;
};

/// Errors: a cut header, bitmap or record; bytes left behind the last record;
/// `textSize` not 16 times the number of instructions; UnknownCapmercRecord.
llvm::Expected<CapmercText> readCapmercText(llvm::ArrayRef<uint8_t> section,
                                            uint64_t textSize);

} // namespace lld::cuda

#endif
