//===- Mercury.h - Parser of .nv.capmerc.text -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parser of the section .nv.capmerc.text.<function>, which says how the
/// instructions of .text.<function> correspond to Mercury code. From sm_100 on
/// a cubin holds its code twice: as native code, which the GPU runs, and in
/// NVIDIA's "Mercury" form, of which nvlink makes the native code anew
/// (docs/reference/mercury.md). The linker's finalizer (lld-cuda/Finalize,
/// lib/FinalCode) reads the section of each function of an image when it
/// changes native code as nvlink does; MercuryRelocator.cpp and
/// LayoutTextures.cpp read it before that, and lib/Dump prints it. The layout
/// (rule [mercury-code-format] there) is:
///
///   u32  section index of .text.<function>
///   u32  0xc0000001
///   u32  number of entries n
///   u32  bitmap[(n + 31) / 32]; bit i set: entry i has no record
///   records of the other entries, a byte stream without alignment
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_MERCURY_H
#define LLD_CUDA_OBJECT_MERCURY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace lld::cuda {

/// The classes of records that the linker tells apart: byte 1 of the record
/// without its run header. They were found with probes for single instructions
/// (corpus replaced-minima, textures-debug); the names are this project's.
enum CapmercClass : uint8_t {
  CapmercMove = 0x00,
  CapmercSpecial = 0x0b,
  CapmercExit = 0x11, ///< EXIT, together with its error barrier.
  /// In native code some operations on barrier objects are plain arithmetic.
  CapmercBarrierObject = 0x1b,
  CapmercLoad = 0x22,
  CapmercAsync = 0x23,
  CapmercStore = 0x38,
  CapmercBarrier = 0x47,
  CapmercFence = 0x49,
  CapmercDependents = 0x62,
  CapmercElection = 0x64, ///< A collective WARPSYNC and the choice of a thread.
};

/// Sizes in bytes: of the words before the bitmap, and of a run header.
constexpr uint32_t CapmercHeaderSize = 12, CapmercRunHeaderSize = 2;

/// An entry: consecutive native instructions, and the record that describes the
/// Mercury code which they correspond to.
struct CapmercEntry {
  uint32_t instruction; ///< Index of the first native instruction it covers.
  uint32_t count;       ///< Number of native instructions; may be 0.
  /// Offset in the section; 0 if the entry has no record.
  uint32_t recordOffset;
  uint32_t recordSize; ///< Bytes of the record, without a run header.
  /// Whether a run header (u16) precedes the record, at recordOffset.
  bool isRun;

  /// Returns the offset in the section at which the record begins, after a run
  /// header.
  uint32_t properOffset() const {
    return recordOffset + (isRun ? CapmercRunHeaderSize : 0);
  }
  /// Returns all bytes of the entry, including a run header.
  llvm::ArrayRef<uint8_t> bytes(llvm::ArrayRef<uint8_t> section) const {
    return section.slice(recordOffset,
                         properOffset() - recordOffset + recordSize);
  }
  /// Returns the record without a run header; empty if there is none.
  llvm::ArrayRef<uint8_t> proper(llvm::ArrayRef<uint8_t> section) const {
    return section.slice(properOffset(), recordSize);
  }
  /// Returns whether the entry has a record of that class.
  bool isOf(CapmercClass wanted, llvm::ArrayRef<uint8_t> section) const {
    return recordSize > 1 && proper(section)[1] == wanted;
  }
};

/// The parsed section.
struct CapmercText {
  uint32_t textSection; ///< Word 0: section index of .text.<function>.
  std::vector<CapmercEntry> entries; ///< In the order of `instruction`.
  uint32_t instructionCount;
};

/// Returns whether the entry belongs to the Mercury instruction that joins two
/// registers, general or uniform ones, into a pair. In native code that is two
/// moves, or one if the other half already is in its place.
bool joinsPair(const CapmercEntry &entry, llvm::ArrayRef<uint8_t> section);

/// The error for a record of unknown size, which a later compiler may write.
/// The section can't be read then, but needn't be damaged.
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

/// Parses the section; `textSize` is the size of .text.<function> in bytes. It
/// is an error if the header, the bitmap or a record is cut off, if bytes
/// follow the last record, or if `textSize` isn't 16 times the number of
/// instructions that the entries cover. UnknownCapmercRecord is among the
/// errors.
llvm::Expected<CapmercText> readCapmercText(llvm::ArrayRef<uint8_t> section,
                                            uint64_t textSize);

} // namespace lld::cuda

#endif
