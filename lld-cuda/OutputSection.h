//===- OutputSection.h - Sections of the output -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A section of the output: parts of the inputs, laid end to end, and the
/// relocations that apply to it. The merge creates sections (createSection() of
/// Program.h), later passes lay them out, relocate and number them, and
/// Writer.cpp writes them. Nothing is copied: a part refers to input bytes
/// until a relocation patches it, so inputs must outlive it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OUTPUTSECTION_H
#define LLD_CUDA_OUTPUTSECTION_H

#include "ArenaVector.h"
#include "lld-cuda/BinaryFormat/SectionKinds.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace lld::cuda {

struct Inputs;
struct Function;
struct ObjectFile;
struct OutputSection;
struct Symbol;
struct Variable;

/// Bytes at an offset of a section; gaps between parts are zero.
struct SectionPart {
  uint64_t offset = 0;
  llvm::ArrayRef<uint8_t> bytes; ///< As read.
  uint64_t align = 1;
  bool isDropped = false; ///< Its bytes stand elsewhere in the section.

  /// The bytes as they are now; later passes may still change them.
  llvm::ArrayRef<uint8_t> contents() const {
    return copy ? llvm::ArrayRef(copy, bytes.size()) : bytes;
  }
  /// To be changed: a private copy, which is made when first asked for.
  llvm::MutableArrayRef<uint8_t> writable(const Inputs &inputs) {
    if (!copy)
      copyBytes(inputs);
    return {copy, bytes.size()};
  }
  bool isCopied() const { return copy; }
  /// Takes a copy that somebody else made and changed, of the same size.
  void setCopy(uint8_t *changed) { copy = changed; }

private:
  void copyBytes(const Inputs &inputs);

  uint8_t *copy = nullptr;
};

/// The two views of a cubin's code and data. Only objects for sm_100 and later
/// have a Mercury view.
enum class View : uint8_t { Native, Mercury };

/// The relocations of one input section, as read: a reference to the input.
struct RelocationGroup {
  ObjectFile *file;
  uint32_t inputSection; ///< The REL or RELA section, of either view.
  uint32_t part;         ///< The part of the target section they apply to.
  uint32_t sequence;     ///< Reading order over the whole link.
};

/// An entry of an output relocation section.
struct KeptRelocation {
  uint64_t offset;
  uint32_t type;
  Symbol *symbol; ///< Null: symbol 0.
  int64_t addend; ///< Not used with SHT_REL.
};

/// Bytes of a section that stand elsewhere than where they were read.
struct MovedBlock {
  uint64_t before; ///< Offset among the parts as read.
  uint64_t now;
  uint64_t size;
};

/// Fields that only few sections have, kept apart to keep the others small.
struct SectionExtras {
  /// Blocks of bytes that take the place of some of the parts', for large parts
  /// with few relocations. Sorted by offset.
  llvm::SmallVector<SectionPart, 0> patches;
  /// Units of a native line table, whose parts were made anew, or variables of
  /// a constant bank, see `writesMoved`; sorted by where they were. Empty:
  /// nothing moved.
  std::vector<MovedBlock> moved;
  /// Parts are as read; the moved blocks are written and nothing else of them.
  bool writesMoved = false;
  /// .nv.constant2 of a device function: where its bytes stand in the sections
  /// of the kernels that reach it.
  uint64_t displacement = 0;
  /// Twin of a kernel's .nv.constant2: where the literals begin that were
  /// copied there from device functions; sorted.
  llvm::SmallVector<uint64_t, 0> copiedLiterals;
  /// Shared memory: how much of the section's size the finalizer added, sm_100
  /// and later.
  uint64_t reservedSize = 0;
};

struct OutputSection {
  /// With the header that SectionKinds.def tells.
  OutputSection(elf::SectionKind kind, llvm::StringRef name)
      : OutputSection(kind, name, elf::getSectionFacts(kind)) {}

  // What passes over all sections look at comes first, in two cache lines.
  llvm::StringRef name;
  uint64_t size = 0;
  uint64_t fileOffset = 0;
  uint32_t type;
  uint32_t index = 0;    ///< In the section header table.
  elf::SectionKind kind; ///< A twin has the native section's.
  /// Belongs to no function, or to a reachable one. Else it goes, as do
  /// literals that were copied elsewhere.
  bool reachable = true;
  /// Gets a header in the output. decideWrittenSections() alone sets it.
  bool written = false;
  bool orphan = false; ///< .nv.constant2 of a rejected definition only.
  /// Memory without contents: some input has a symbol for it.
  bool contributed = false;
  bool laidOut = false; ///< Shared memory: the layout has a use for it.
  /// Made by the finalizer: stands after all others of the native view.
  bool isAppended = false;
  /// Made by the finalizer: follows all other sections, the Mercury view's too.
  bool isLast = false;
  /// Twin: has no bytes of its own but stands for the native section's.
  bool isSharedCopy = false;
  uint8_t registers = 0;     ///< .text: byte 3 of sh_info below sm_90.
  Function *owner = nullptr; ///< The function it belongs to and dies with.
  Symbol *symbol = nullptr;  ///< Its section symbol.

  uint64_t flags;
  uint64_t align;
  uint64_t entsize;
  uint32_t nameOffset = 0;
  /// Number among all reachable sections, written or not; shows in
  /// .symtab_shndx.
  uint32_t creationIndex = 0;
  OutputSection *target = nullptr;  ///< Relocations: where they apply.
  OutputSection *mercury = nullptr; ///< Its twin in the Mercury view.
  OutputSection *native = nullptr;  ///< The section whose twin this is.
  OutputSection *rel = nullptr, *rela = nullptr; ///< Its relocation sections.
  OutputSection *resolvedRela = nullptr;         ///< With --preserve-relocs.

  llvm::SmallVector<SectionPart, 1> parts;
  ArenaVector<RelocationGroup> relocations;  ///< That apply to it, as read.
  llvm::SmallVector<KeptRelocation, 0> kept; ///< If it is one of relocations.
  std::unique_ptr<SectionExtras> extras;     ///< Null: all empty.

  SectionExtras &makeExtras() {
    if (!extras)
      extras = std::make_unique<SectionExtras>();
    return *extras;
  }
  llvm::ArrayRef<SectionPart> patches() const {
    return extras ? llvm::ArrayRef(extras->patches)
                  : llvm::ArrayRef<SectionPart>();
  }
  llvm::ArrayRef<uint64_t> copiedLiterals() const {
    return extras ? llvm::ArrayRef(extras->copiedLiterals)
                  : llvm::ArrayRef<uint64_t>();
  }
  uint64_t displacement() const { return extras ? extras->displacement : 0; }
  uint64_t reservedSize() const { return extras ? extras->reservedSize : 0; }
  /// Where something at an offset of the parts as read is now.
  uint64_t movedOffset(uint64_t offset) const;
  /// Only blocks that were moved are written.
  bool writesMoved() const { return extras && extras->writesMoved; }
  /// With writesMoved(): whether what is at that offset is written.
  bool hasMoved(uint64_t offset) const;
  const elf::SectionFacts &facts() const { return elf::getSectionFacts(kind); }
  /// Where it stands among sections of its view; a twin's native section says.
  elf::SectionBucket bucket() const {
    return isAppended ? elf::SectionBucket::Appended
                      : elf::getSectionBucket(kind, type, flags);
  }
  bool isRelocations() const {
    return facts().bucket == elf::SectionBucket::Relocations;
  }
  bool isNoBits() const { return elf::isNoBits(type, flags); }
  View view() const { return native ? View::Mercury : View::Native; }
  bool isText() const { return flags & elf::SHF_EXECINSTR; }
  bool isMercuryText() const { return native && native->isText(); }
  unsigned bank() const { return type - elf::SHT_CUDA_CONSTANT_B0; }

  /// Appends a whole input section at the next offset that `partAlign` allows.
  /// Returns the index of the new part.
  unsigned append(llvm::ArrayRef<uint8_t> bytes, uint64_t partSize,
                  uint64_t partAlign);
  /// Makes `bytes` the whole contents.
  void setContents(llvm::ArrayRef<uint8_t> bytes);
  /// Takes the header of an input's section instead of the usual one.
  void setHeader(uint32_t newType, uint64_t newFlags, uint64_t newAlign,
                 uint64_t newEntsize);

private:
  OutputSection(elf::SectionKind kind, llvm::StringRef name,
                const elf::SectionFacts &facts)
      : name(name), type(facts.type), kind(kind), flags(facts.flags),
        align(facts.align), entsize(facts.entsize) {}
};

/// What a section takes of the output; null and sections that aren't written
/// take nothing.
inline uint64_t writtenSize(const OutputSection *sec) {
  return sec && sec->written ? sec->size : 0;
}

} // namespace lld::cuda

#endif
