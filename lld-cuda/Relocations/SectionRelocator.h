//===- SectionRelocator.h - Relocates one output section --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The class that applies the relocations of one output section.
/// ProcessRelocations.cpp runs it for each section, in several threads, when
/// addresses are settled and before numbers are assigned. For each entry it
/// carries out what RelocationFate.h decides: it writes a field, or keeps the
/// entry for the output, or drops it. From sm_100 on a cubin has a native view
/// and a Mercury view of its code (docs/reference/mercury.md), whose fields are
/// written by NativeRelocator.cpp and MercuryRelocator.cpp.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RELOCATIONS_SECTIONRELOCATOR_H
#define LLD_CUDA_RELOCATIONS_SECTIONRELOCATOR_H

#include "Merge/RejectedEntries.h"
#include "Messages/Diagnostics.h"
#include "Relocations/PartPatcher.h"
#include "Relocations/RelocationFate.h"
#include "llvm/Support/Compiler.h"
#include <mutex>
#include <optional>

namespace lld::cuda {

/// One entry of an input relocation section.
struct RelocationEntry {
  uint64_t offset; ///< Offset of the field in the input section, in bytes.
  uint32_t type;
  uint32_t symbolIndex;
  int64_t addend;
  bool isRela; ///< If false, the addend is the value in the field.
};

/// Keeps one of the fatal errors of all sections: the one that nvlink, which
/// stops at it, would report. Thread-safe.
struct FirstRelocationError {
  std::mutex mutex;
  std::optional<Diagnostic> message;
  std::pair<uint32_t, size_t> position{0, 0};

  void set(std::pair<uint32_t, size_t> at, Diagnostic d);
};

/// Relocates one section. Subclasses know how fields of their view are written.
class SectionRelocator {
public:
  virtual ~SectionRelocator() = default;
  /// Applies all relocations of the section. Sections may be relocated in
  /// parallel.
  void run();

protected:
  /// `link` is what makeRelocationSite() returns.
  SectionRelocator(const Inputs &inputs, const Program &program,
                   const RelocationSite &link, OutputSection &sec,
                   FirstRelocationError &error);

  /// Returns the offset below which the entries of the current group must be.
  virtual uint64_t endOfOffsets() const;
  /// Writes a value to the field of an entry that refers to `s`. With
  /// `implicit` the value in the field is the addend.
  virtual void writeField(const RelocationEntry &e,
                          const elf::RelocationInfo &info, const Symbol *s,
                          RelocationValue value, bool implicit) = 0;
  /// Returns the offset to which something that was read at `offset` of the
  /// section of that symbol has been moved.
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
  size_t entryIndex = 0; ///< The current entry's index in its input section.

private:
  size_t inOrder(size_t i, size_t count) const;
  void orderByLiteral(size_t from);
  void beginGroup(const RelocationGroup &g);
  void processGroup();
  template <typename Rel> void processEntries(llvm::ArrayRef<Rel> entries);
  bool keepReference(const Elf_Rela &r, Symbol *s);
  inline void addKept(OutputSection &out, const KeptRelocation &entry);
  bool isRejected(const RelocationEntry &e) const;
  /// Returns the offset of the entry's field in the output section.
  uint64_t offsetOf(const RelocationEntry &e) const;
  Symbol *standIn(Symbol *s) const;
  LLVM_ATTRIBUTE_ALWAYS_INLINE void process(const RelocationEntry &e, Symbol *s,
                                            uint64_t base);
  void clear(const RelocationEntry &e, const elf::RelocationInfo &info);
  LLVM_ATTRIBUTE_ALWAYS_INLINE void
  keep(const RelocationEntry &e, const Decision &d, Symbol *s, uint64_t base);
  int64_t keptAddend(const RelocationEntry &e, const Decision &d, bool asRela,
                     uint64_t base);
  void resolve(const RelocationEntry &e, const Decision &d, Symbol *s,
               uint64_t base);
  void list(const RelocationEntry &e, const Decision &d, Symbol *s,
            uint64_t base);

  FirstRelocationError &error;
  const RelocationSite site;
  RejectedEntries rejected;
  /// Kept entries are in the reverse of the order in which they were read.
  const bool turnsOrder;
  // The number of entries of the current group that aren't processed, the
  // offset of its part in the section, and endOfOffsets().
  size_t entriesLeft = 0;
  uint64_t partBase = 0, offsetEnd = 0;
  /// The section whose moved blocks alone are written, or null.
  const OutputSection *moved = nullptr;
  bool hasLostRanges = false;
  bool mayReject = false; ///< isRejected() may be true for some entries.
  /// Function::externSharedInstance of the kernel whose code the section is.
  Variable *externSharedInstance = nullptr;
};

/// Relocate a native section and a section of the Mercury view. `link` is what
/// makeRelocationSite() returns. The first fatal error is stored in `error`.
void relocateNative(const Inputs &inputs, const Program &program,
                    const RelocationSite &link, OutputSection &sec,
                    FirstRelocationError &error);
void relocateMercury(const Inputs &inputs, const Program &program,
                     const RelocationSite &link, OutputSection &twin,
                     FirstRelocationError &error);

} // namespace lld::cuda

#endif
