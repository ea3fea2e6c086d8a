//===- Entries.h - --check: relocations as they were read -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What became of each entry of the inputs' relocation sections is decided once
/// more, from the entry and the symbol that it names. So the output's fields
/// and entries are compared with those of the inputs, not with what a pass left
/// in memory.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CHECK_ENTRIES_H
#define LLD_CUDA_CHECK_ENTRIES_H

#include "Check/Image.h"
#include "Merge/RejectedEntries.h"
#include "Relocations/RelocationFate.h"

namespace lld::cuda {

/// An entry of an input, and what it means in the link.
struct ReadEntry {
  const RelocationGroup *group;
  uint64_t offset; ///< In the input section, and in the part.
  int64_t addend;
  bool isRela; ///< Else the addend is what the field holds.
  Symbol *symbol;
  uint64_t base; ///< Where the input's contribution begins in that section.
  Decision decision;
};

/// The entries that apply to an output section, of either view, in the order in
/// which a link takes them.
class EntryReader {
public:
  EntryReader(const CheckedImage &image, const OutputSection &sec);
  void forEach(llvm::function_ref<void(const ReadEntry &)> visit);

  const RelocationSite &site() const { return place; }
  /// Where what was at an offset of a part is among the output's bytes; code
  /// that the finalizer changes is moved after that.
  uint64_t outputOffset(const ReadEntry &e) const {
    const uint64_t offset = sec.parts[e.group->part].offset + e.offset;
    return moved ? moved->movedOffset(offset) : offset;
  }
  /// An address in the section of a symbol, which may have moved within it.
  uint64_t movedAddress(const Symbol *s, uint64_t address) const {
    return s && s->isSection() && !sec.native ? s->section->movedOffset(address)
                                              : address;
  }

private:
  void readGroup(const RelocationGroup &g,
                 llvm::function_ref<void(const ReadEntry &)> visit);
  bool counts(const RelocationGroup &g, uint64_t offset, uint32_t symbol,
              bool isRela, bool isInLostSection) const;
  Symbol *meant(Symbol *s) const;

  const Inputs &inputs;
  const OutputSection &sec, &native;
  const bool turnsOrder, isText;
  RelocationSite place;
  RejectedEntries rejected;
  const OutputSection *moved = nullptr; ///< Only its moved blocks are written.
  Variable *externShared = nullptr;
};

} // namespace lld::cuda

#endif
