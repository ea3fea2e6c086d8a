//===- MercuryOffsets.h - Offsets of Mercury instructions -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A translation table between the offsets of a function's native code and
/// those of its code in NVIDIA's "Mercury" form, both of which a cubin holds
/// from sm_100 on (docs/reference/mercury.md). Mercury instructions have other
/// sizes than the native ones that they stand for. The linker makes a table
/// (getMercuryOffsets() of Finalizer.cpp) when it finalizes functions and debug
/// information has Mercury offsets that need native ones: in call frames, line
/// tables and register ranges. This includes debug information about a
/// definition that another one replaced: its Mercury offsets are then
/// translated to native offsets of the new code.
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
  /// A Mercury instruction and the native ones that it stands for. All offsets
  /// are in bytes from the function's start.
  struct Pair {
    uint64_t mercury, native;
    uint64_t end;   ///< End of the last native instruction that belongs to it.
    bool endsBlock; ///< A basic block begins at `end`.
    uint64_t run; ///< Start of the run, including instructions of other pairs.
    /// The native offset from which on the native line table has its line.
    uint64_t lineBegin;
    /// The Mercury offset whose line in the Mercury line table it has: mostly
    /// its own (rule [debug-lines-of-minima] of docs/reference).
    uint64_t line;
  };

  MercuryOffsets() = default;
  /// `code` and `capmerc` (its .nv.capmerc.text section) are the input's,
  /// before edits; neither is kept. `size` is the size of the Mercury code. If
  /// the instructions' sizes don't add up to it, isKnown() is false.
  MercuryOffsets(llvm::ArrayRef<uint8_t> code, llvm::ArrayRef<uint8_t> capmerc,
                 uint64_t size);

  bool isKnown() const { return !pairs.empty(); }
  /// Returns the Mercury instructions, in order.
  llvm::ArrayRef<Pair> instructions() const { return pairs; }
  /// Returns the Mercury instruction that begins at the offset, or null.
  const Pair *find(uint64_t mercury) const;
  /// Returns the Mercury instruction that contains the offset, or null after
  /// the end.
  const Pair *findContaining(uint64_t mercury) const;
  /// Returns the Mercury offset at which the instruction ends.
  uint64_t endOf(const Pair &pair) const;
  /// Returns the native offset of the instruction that begins at the Mercury
  /// offset, or the end of the native code for the end; nullopt for other
  /// offsets.
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
