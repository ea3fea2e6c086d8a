//===- MercuryOffsets.h - Offsets of Mercury instructions -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From sm_100 on, a function's Mercury instructions have other sizes than the
/// native ones that they stand for, and so other offsets. nvlink translates
/// offsets of debug information from one to the other, also where a definition
/// replaced another: what is told about the old code's Mercury offsets then
/// gets native offsets of the new code.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_MERCURYOFFSETS_H
#define LLD_CUDA_FINALCODE_MERCURYOFFSETS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace lld::cuda {

struct CapmercEntry;

namespace sass {
struct Instruction;
}

class MercuryOffsets {
public:
  /// A Mercury instruction and the native ones that it stands for.
  struct Pair {
    uint64_t mercury, native;
    uint64_t end;   ///< After the last native one that is counted to it.
    bool endsBlock; ///< A basic block begins there.
    uint64_t run;   ///< Where the run begins, with what is counted to others.
    uint64_t lineBegin; ///< Where its line begins.
    uint64_t line;      ///< The Mercury offset whose line it has.
  };

  MercuryOffsets() = default;
  /// `code` and `capmerc` as they were read. `size` is that of the Mercury
  /// code; if the instructions' sizes don't add up to it, nothing is known.
  MercuryOffsets(llvm::ArrayRef<uint8_t> code, llvm::ArrayRef<uint8_t> capmerc,
                 uint64_t size);

  bool isKnown() const { return !pairs.empty(); }
  /// One for each Mercury instruction, in order.
  llvm::ArrayRef<Pair> instructions() const { return pairs; }
  /// The Mercury instruction that begins at an offset, or null.
  const Pair *find(uint64_t mercury) const;
  /// The one that an offset is inside of, or null behind the end.
  const Pair *findContaining(uint64_t mercury) const;
  /// Where the Mercury instruction ends.
  uint64_t endOf(const Pair &pair) const;
  /// The native offset of the instruction that begins at a Mercury offset, or
  /// that of the end if it is the end.
  std::optional<uint64_t> toNative(uint64_t mercury) const;

private:
  uint64_t findFirstLine(llvm::ArrayRef<sass::Instruction> code) const;
  void findLines(llvm::ArrayRef<sass::Instruction> code,
                 const llvm::BitVector &isMadeAnew);
  void addRun(const CapmercEntry &entry, llvm::ArrayRef<sass::Instruction> run,
              uint8_t recordClass, uint64_t offset, bool beginsBlock);

  std::vector<Pair> pairs;
  uint64_t mercurySize = 0;
};

} // namespace lld::cuda

#endif
