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
/// until a relocation patches it, so inputs must outlive it. The Program owns
/// all sections. Sizes and offsets are in bytes.
///
/// From sm_100 on a cubin holds its code and the tables about code twice: in
/// the native view, and in the Mercury view, from which NVIDIA's tools make
/// native code anew (docs/reference/mercury.md). A section that is in both
/// views is two OutputSections: the native one, and its twin (Twins.h).
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

/// Bytes at an offset of a section, usually those of one input section. Gaps
/// between parts are filled with zeros.
struct SectionPart {
  uint64_t offset = 0;
  llvm::ArrayRef<uint8_t> bytes; ///< As read from the input.
  uint64_t align = 1;
  /// The part was merged with an equal one, and isn't written.
  bool isDropped = false;

  /// Returns the bytes with all changes so far. Later passes may change more.
  llvm::ArrayRef<uint8_t> contents() const {
    return copy ? llvm::ArrayRef(copy, bytes.size()) : bytes;
  }
  /// Returns the bytes of a private copy, for changing them. The first call
  /// makes the copy, in the memory of the link.
  llvm::MutableArrayRef<uint8_t> writable(const Inputs &inputs) {
    if (!copy)
      copyBytes(inputs);
    return {copy, bytes.size()};
  }
  bool isCopied() const { return copy; }
  /// Makes `changed` the private copy. It must have the size of `bytes` and
  /// live as long as the link.
  void setCopy(uint8_t *changed) { copy = changed; }

private:
  void copyBytes(const Inputs &inputs);

  uint8_t *copy = nullptr;
};

/// The two views of a cubin's code and data. Only cubins for sm_100 and later
/// have a Mercury view.
enum class View : uint8_t { Native, Mercury };

/// The relocations of one input section, by reference: they stay in the input.
struct RelocationGroup {
  ObjectFile *file;
  uint32_t inputSection; ///< The index of a REL or RELA section of either view.
  uint32_t part; ///< The index of the target section's part they apply to.
  /// The number of groups that were read before it, in the whole link.
  uint32_t sequence;
};

/// An entry of an output relocation section.
struct KeptRelocation {
  uint64_t offset;
  uint32_t type;
  Symbol *symbol; ///< Null means symbol 0.
  int64_t addend; ///< Ignored in a section of type SHT_REL.
};

/// Bytes of a section whose offset a pass has changed since they were merged.
struct MovedBlock {
  uint64_t before; ///< The offset at which the merge put them.
  uint64_t now;
  uint64_t size;
};

/// Fields that only few sections have, kept apart to keep the others small.
struct SectionExtras {
  /// Changed blocks of bytes that are written instead of those of `parts`, so
  /// that a large part with few relocations needn't be copied as a whole.
  /// Sorted by offset.
  llvm::SmallVector<SectionPart, 0> patches;
  /// Where the units of a native line table are that was encoded anew
  /// (DebugTables.cpp), or the variables of a constant bank that were placed
  /// anew (see `writesMoved`). Sorted by `before`. Empty if nothing moved.
  std::vector<MovedBlock> moved;
  /// Set for a constant bank of which only the variables in use are written:
  /// `parts` still have the offsets that the merge gave them, and of their
  /// bytes only the blocks in `moved` are written.
  bool writesMoved = false;
  /// Set for .nv.constant2 of a device function: the offset of its bytes in
  /// .nv.constant2 of each kernel that reaches the function.
  uint64_t displacement = 0;
  /// Set for the twin of a kernel's .nv.constant2: the offsets of the literals
  /// that were copied into it from device functions. Sorted.
  llvm::SmallVector<uint64_t, 0> copiedLiterals;
  /// Set for shared memory, from sm_100 on: how many bytes of the section's
  /// size NVIDIA's finalizer reserves for the system.
  uint64_t reservedSize = 0;
};

/// The section that is behind another one in the order of creation, and that
/// few links need (Companions.h).
enum class Companion : uint8_t {
  None,
  Noted,   ///< There is no OutputSection of it; only its name counts.
  Created, ///< It was made later, and isn't in Creations::sections yet.
};

/// A section, native or a twin. createSection() makes native ones, getTwin()
/// twins.
struct OutputSection {
  /// Makes a section whose header is as SectionKinds.def says for its kind.
  OutputSection(elf::SectionKind kind, llvm::StringRef name)
      : OutputSection(kind, name, elf::getSectionFacts(kind)) {}

  // The fields that passes over all sections read come first, in two cache
  // lines.
  llvm::StringRef name;
  uint64_t size = 0;
  uint64_t fileOffset = 0;
  uint32_t type;
  uint32_t index = 0;    ///< The index in the section header table.
  elf::SectionKind kind; ///< A twin has the kind of its native section.
  /// False if the section is removed: its function isn't reachable, or it holds
  /// literals that were copied into kernels' sections.
  bool reachable = true;
  /// Whether the output has the section. Set by decideWrittenSections().
  bool written = false;
  /// The only definitions that had this constant bank were rejected.
  bool orphan = false;
  /// An input or the layout has put something into it. Set for sections without
  /// contents, such as shared memory.
  bool contributed = false;
  bool laidOut = false; ///< The layout uses this section of shared memory.
  /// NVIDIA's finalizer adds the section, after all others of the native view.
  bool isAppended = false;
  /// NVIDIA's finalizer adds the section, after all others of both views.
  bool isLast = false;
  /// Set for a twin whose header refers to the native section's bytes.
  bool isSharedCopy = false;
  /// The register count of code: the highest byte of sh_info, below sm_90.
  uint8_t registers = 0;
  Companion companion = Companion::None;
  /// No other section that is so marked has the same name
  /// (Output/OutputStrings.h). Its symbol is marked, too.
  bool hasUniqueName = false;
  /// StringTable::hashOf(name), for the string tables, unless hasUniqueName.
  uint32_t nameHash = 0;
  /// The function with which the section is removed; null if there is none.
  Function *owner = nullptr;
  Symbol *symbol = nullptr; ///< The section symbol; null before it is made.

  uint64_t flags;
  uint64_t align;
  uint64_t entsize;
  uint32_t nameOffset = 0; ///< The offset of the name in .shstrtab.
  /// The number in the order of creation, by which nvlink decides whether
  /// symbols need .symtab_shndx. Sections that aren't written have one, too.
  uint32_t creationIndex = 0;
  OutputSection *target = nullptr;  ///< The section that relocations apply to.
  OutputSection *mercury = nullptr; ///< The twin in the Mercury view, or null.
  OutputSection *native = nullptr;  ///< The native section of a twin, or null.
  OutputSection *rel = nullptr, *rela = nullptr; ///< Its relocation sections.
  /// The section that lists resolved relocations, with --preserve-relocs.
  OutputSection *resolvedRela = nullptr;

  llvm::SmallVector<SectionPart, 1> parts;
  ArenaVector<RelocationGroup> relocations; ///< Those that apply to it.
  /// The entries, if the section is one of relocations. They are in
  /// LinkMemory::shared.
  ArenaVector<KeptRelocation> kept;
  std::unique_ptr<SectionExtras> extras; ///< Null if all fields are empty.

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
  /// Returns the present offset of the byte that the merge put at `offset`.
  uint64_t movedOffset(uint64_t offset) const;
  /// Returns SectionExtras::writesMoved.
  bool writesMoved() const { return extras && extras->writesMoved; }
  /// Returns, if writesMoved(), whether the byte that the merge put at `offset`
  /// is written.
  bool hasMoved(uint64_t offset) const;
  const elf::SectionFacts &facts() const { return elf::getSectionFacts(kind); }
  /// Returns the group by which sections are sorted in the output. Must be
  /// asked of the native section, not of a twin.
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

  /// Appends an input section at the next offset that is a multiple of
  /// `partAlign`. `bytes` may be fewer than `partSize` (memory without
  /// contents). Returns the index of the new part.
  unsigned append(llvm::ArrayRef<uint8_t> bytes, uint64_t partSize,
                  uint64_t partAlign);
  /// Makes `bytes` the whole contents. They must live as long as the link.
  void setContents(llvm::ArrayRef<uint8_t> bytes);
  /// Replaces fields of the header, usually by those of an input's section.
  void setHeader(uint32_t newType, uint64_t newFlags, uint64_t newAlign,
                 uint64_t newEntsize);

private:
  OutputSection(elf::SectionKind kind, llvm::StringRef name,
                const elf::SectionFacts &facts)
      : name(name), type(facts.type), kind(kind), flags(facts.flags),
        align(facts.align), entsize(facts.entsize) {}
};

/// Returns the size of a section if it is written, or 0. `sec` may be null.
inline uint64_t writtenSize(const OutputSection *sec) {
  return sec && sec->written ? sec->size : 0;
}

} // namespace lld::cuda

#endif
