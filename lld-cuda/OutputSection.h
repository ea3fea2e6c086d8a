//===- OutputSection.h - Sections of the output -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A section of the file that is being built: named parts of the inputs, laid
/// end to end, and the relocations that apply to it. Nothing is copied: a part
/// refers to input bytes until a relocation patches it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OUTPUTSECTION_H
#define LLD_CUDA_OUTPUTSECTION_H

#include "lld-cuda/BinaryFormat/ELF.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace lld::cuda {

struct Function;
struct ObjectFile;
struct OutputSection;
struct Symbol;
struct Variable;

/// Bytes at an offset of a section; gaps between parts are zero.
struct SectionPart {
  uint64_t offset = 0;
  llvm::ArrayRef<uint8_t> bytes;
  uint64_t align = 1;
  bool isDropped = false;     ///< Its bytes stand elsewhere in the section.
  uint8_t *patched = nullptr; ///< The private copy, once a relocation made one.

  llvm::ArrayRef<uint8_t> contents() const {
    return patched ? llvm::ArrayRef(patched, bytes.size()) : bytes;
  }
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

/// What else an output section is, beyond its ELF type.
enum class SectionRole : uint8_t {
  Content,
  ShStrTab,
  StrTab,
  SymTab,
  SymTabShndx,
  TkInfo,
  CuInfo,
  NvInfo,
  Compat,
  CallGraph,
  Prototype,
  RelAction,
  Relocations,
  DebugShared,   ///< .nv_debug.shared: module-level shared variables.
  ParameterBank, ///< .nv.constant0.<kernel>, sm_100 and later.
  ImageHeaders,  ///< .nv.constant0.<kernel> with texture slots, sm_100 and
                 ///< later.
  // Twins: the Mercury view's counterpart of a section.
  MercuryText,
  MercuryDebug,
  MercuryInfo,
  MercuryRelocations,
  MercuryConstants, ///< Of one function.
  MercuryData,      ///< Other constants and initialised data.
  MercurySymTab,
  MercurySymTabShndx,
};

/// What few sections have.
struct SectionExtras {
  /// Blocks of bytes that take the place of some of the parts', for large parts
  /// with few relocations. Sorted by offset.
  llvm::SmallVector<SectionPart, 0> patches;
  /// Native line table: where units stood among the parts as read, and where
  /// they stand now; sorted. Empty: nothing moved.
  std::vector<std::pair<uint64_t, uint64_t>> movedUnits;
  /// .nv.constant2 of a device function: where its bytes stand in the sections
  /// of the entries that reach it.
  uint64_t displacement = 0;
  /// Twin of an entry's .nv.constant2: where the literals begin that were
  /// copied there from device functions; sorted.
  llvm::SmallVector<uint64_t, 0> copiedLiterals;
  /// Shared memory: how much of the section's size the finalizer added, sm_100
  /// and later.
  uint64_t reservedSize = 0;
};

struct OutputSection {
  OutputSection(llvm::StringRef name, uint32_t type, uint64_t flags,
                uint64_t align, uint64_t entsize)
      : name(name), type(type), flags(flags), align(align), entsize(entsize) {}

  // What passes over all sections look at comes first, in two cache lines.
  llvm::StringRef name;
  uint64_t size = 0;
  uint64_t fileOffset = 0;
  uint32_t type;
  uint32_t index = 0; ///< In the section header table.
  SectionRole role = SectionRole::Content;
  bool live = true;
  bool emitted = false;     ///< Gets a header in the output.
  bool orphan = false;      ///< .nv.constant2 of a rejected definition only.
  bool contributed = false; ///< Shared memory: some input had symbols for it.
  /// Twin: has no bytes of its own but stands for the native section's.
  bool isAlias = false;
  uint8_t registers = 0;     ///< .text: byte 3 of sh_info below sm_90.
  Function *owner = nullptr; ///< The function it belongs to and dies with.
  Symbol *symbol = nullptr;  ///< Its section symbol.

  uint64_t flags;
  uint64_t align;
  uint64_t entsize;
  uint32_t nameOffset = 0;
  /// Number among all live sections, written or not; shows in .symtab_shndx.
  uint32_t creationIndex = 0;
  OutputSection *target = nullptr;  ///< Relocations: where they apply.
  OutputSection *mercury = nullptr; ///< Its twin in the Mercury view.
  OutputSection *native = nullptr;  ///< Of a twin: what it is the twin of.
  OutputSection *rel = nullptr, *rela = nullptr; ///< Its relocation sections.
  OutputSection *resolvedRela = nullptr;         ///< With --preserve-relocs.

  llvm::SmallVector<SectionPart, 1> parts;
  llvm::SmallVector<RelocationGroup, 0>
      relocations;                           ///< That apply to it, as read.
  llvm::SmallVector<KeptRelocation, 0> kept; ///< Of a relocation section.
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
  bool isNoBits() const { return elf::isNoBits(type, flags); }
  View view() const { return native ? View::Mercury : View::Native; }
  bool isText() const { return flags & elf::SHF_EXECINSTR; }
  unsigned bank() const { return type - elf::SHT_CUDA_CONSTANT0; }

  /// Appends a whole input section at the next offset that `partAlign` allows.
  /// Returns the index of the new part.
  unsigned append(llvm::ArrayRef<uint8_t> bytes, uint64_t partSize,
                  uint64_t partAlign);
  /// Makes `bytes` the whole contents.
  void setContents(llvm::ArrayRef<uint8_t> bytes);
};

/// The rank of a section's kind in the output; sections are sorted by it,
/// stably, in creation order (spec: ELF output, section 2.1).
unsigned getSectionBucket(const OutputSection &sec);

} // namespace lld::cuda

#endif
