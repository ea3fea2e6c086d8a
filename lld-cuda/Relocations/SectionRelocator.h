//===- SectionRelocator.h - Carrying out what was decided -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Goes over the relocations of one output section and carries out what
/// RelocationFate.h says of each. How a field is written differs between the
/// views: NativeRelocator.cpp, MercuryRelocator.cpp.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RELOCATIONS_SECTIONRELOCATOR_H
#define LLD_CUDA_RELOCATIONS_SECTIONRELOCATOR_H

#include "Merge/RejectedEntries.h"
#include "Relocations/PartPatcher.h"
#include "Relocations/RelocationFate.h"
#include "llvm/Support/Compiler.h"
#include <mutex>
#include <optional>

namespace lld::cuda {

/// One entry of an input relocation section.
struct RelocationEntry {
  uint64_t offset; ///< In the input section.
  uint32_t type;
  uint32_t symbolIndex;
  int64_t addend;
  bool isRela; ///< Else the addend is what the field holds.
};

/// The first error in the order in which nvlink walks its list. Thread-safe.
struct FirstRelocationError {
  std::mutex mutex;
  std::optional<Diagnostic> message;
  std::pair<uint32_t, size_t> position{0, 0};

  void set(std::pair<uint32_t, size_t> at, Diagnostic d);
};

class SectionRelocator {
public:
  virtual ~SectionRelocator() = default;
  void run();

protected:
  SectionRelocator(const Inputs &inputs, const Program &program,
                   OutputSection &sec, FirstRelocationError &error);

  /// The group's entries have smaller offsets.
  virtual uint64_t endOfOffsets() const;
  /// Puts a value into the field of an entry that names `s`. `implicit`: what
  /// the field holds is added.
  virtual void writeField(const RelocationEntry &e,
                          const elf::RelocationInfo &info, const Symbol *s,
                          RelocationValue value, bool implicit) = 0;
  /// Where `offset` in the section of that symbol is now.
  virtual int64_t movedOffset(const Symbol &sectionSymbol,
                              int64_t offset) const;

  void fatal(DiagId id, MessageParts parts) {
    error.set({group->sequence, entryIndex}, Diagnostic(id, parts));
  }

  const Inputs &inputs;
  const Program &program;
  OutputSection &sec;
  PartPatcher patcher;
  const RelocationGroup *group = nullptr;
  size_t entryIndex = 0; ///< The current entry's number in its input section.

private:
  size_t inOrder(size_t i, size_t count) const;
  void orderByLiteral(size_t from);
  void beginGroup(const RelocationGroup &g);
  void processGroup();
  bool isRejected(const RelocationEntry &e) const;
  /// Where the entry's field is in the output.
  uint64_t offsetOf(const RelocationEntry &e) const;
  Symbol *standIn(Symbol *s) const;
  LLVM_ATTRIBUTE_ALWAYS_INLINE void process(const RelocationEntry &e);
  void clear(const RelocationEntry &e, const elf::RelocationInfo &info);
  inline void keep(const RelocationEntry &e, const Decision &d, Symbol *s,
                   uint64_t base);
  int64_t keptAddend(const RelocationEntry &e, const Decision &d, bool asRela,
                     uint64_t base);
  void resolve(const RelocationEntry &e, const Decision &d, Symbol *s,
               uint64_t base);
  void list(const RelocationEntry &e, const Decision &d, Symbol *s,
            uint64_t base);

  FirstRelocationError &error;
  const RelocationSite site;
  RejectedEntries rejected;
  const bool turnsOrder; ///< Last read, first written.
  // What is left of the current group, and where it lies.
  size_t entriesLeft = 0;
  uint64_t partBase = 0, offsetEnd = 0;
  /// The section whose moved blocks alone are written, or null.
  const OutputSection *moved = nullptr;
  bool hasLostRanges = false;
  bool mayReject = false; ///< Some entries may count as never read.
  Variable *externSharedInstance =
      nullptr; ///< The kernel's, if the section is its code.
};

void relocateNative(const Inputs &inputs, const Program &program,
                    OutputSection &sec, FirstRelocationError &error);
void relocateMercury(const Inputs &inputs, const Program &program,
                     OutputSection &twin, FirstRelocationError &error);

} // namespace lld::cuda

#endif
