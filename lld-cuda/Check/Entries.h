//===- Entries.h - Relocation entries for --check ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reader of the inputs' relocation entries for --check (Check.h), at the end
/// of a link. Check/Contents.cpp makes one for each output section. The reader
/// decides again, from each entry and the symbol that it names, what happens to
/// the entry. So the output is compared with the inputs, and not with what a
/// pass left in memory.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CHECK_ENTRIES_H
#define LLD_CUDA_CHECK_ENTRIES_H

#include "Check/Image.h"
#include "Merge/RejectedEntries.h"
#include "Relocations/RelocationFate.h"

namespace lld::cuda {

/// A relocation entry of an input, and what it means in the link.
struct ReadEntry {
  const RelocationGroup *group;
  uint64_t offset; ///< Bytes from the start of the input section and its part.
  int64_t addend;
  bool isRela; ///< If false, the addend is in the relocated field.
  Symbol *symbol;
  uint64_t base; ///< For a section symbol: where the input's part begins.
  Decision decision;
};

/// Reads the entries that apply to an output section, of either view, in the
/// order in which the link applies them. Entries of replaced definitions are
/// skipped. `image` and `sec` must outlive the reader.
class EntryReader {
public:
  EntryReader(const CheckedImage &image, const OutputSection &sec);
  void forEach(llvm::function_ref<void(const ReadEntry &)> visit);

  const RelocationSite &site() const { return place; }
  /// Returns the offset of an entry's field in the output section, before the
  /// finalizer moves code.
  uint64_t outputOffset(const ReadEntry &e) const {
    const uint64_t offset = sec.parts[e.group->part].offset + e.offset;
    return moved ? moved->movedOffset(offset) : offset;
  }
  /// Returns the new address of what was at `address` of the section that `s`
  /// stands for, where blocks of a section may have moved.
  uint64_t movedAddress(const Symbol *s, uint64_t address) const {
    return s && s->isSection() && !sec.native ? s->section->movedOffset(address)
                                              : address;
  }

private:
  void readGroup(const RelocationGroup &g,
                 llvm::function_ref<void(const ReadEntry &)> visit);
  bool counts(const RelocationGroup &g, uint64_t offset, uint32_t symbol,
              bool isRela, bool hasLostRanges) const;
  Symbol *meant(Symbol *s) const;

  const Inputs &inputs;
  const OutputSection &sec, &native;
  const bool turnsOrder, isText;
  RelocationSite place;
  RejectedEntries rejected;
  /// Not null if only the moved blocks of the section are written.
  const OutputSection *moved = nullptr;
  Variable *externShared = nullptr;
};

} // namespace lld::cuda

#endif
