//===- SectionKinds.h - Table of section kinds ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The table of the kinds of sections that an image can have: for each kind its
/// name, header fields, position in the file, whether it is written, and its
/// twin. From sm_100 on, a cubin holds its code and data twice: natively, and
/// in NVIDIA's Mercury form (docs/reference/mercury.md); the twin is the
/// Mercury section of a native one. The linker sorts input sections into kinds
/// when it merges objects (MergeSections.cpp, OutputSection.cpp), and makes the
/// output's headers by the table; cubin-size and cubin-prune look up what a
/// section is. The data is in SectionKinds.def.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINARYFORMAT_SECTIONKINDS_H
#define LLD_CUDA_BINARYFORMAT_SECTIONKINDS_H

#include "lld-cuda/BinaryFormat/ELF.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>

namespace lld::cuda::elf {

/// The kinds, one for each row of SectionKinds.def.
enum class SectionKind : uint8_t {
#define SECTION_KIND(KIND, ...) KIND,
#include "lld-cuda/BinaryFormat/SectionKinds.def"
  /// An input section of a kind that no row describes.
  Other
};
constexpr size_t SectionKindCount = size_t(SectionKind::Other);

/// The groups in which sections are written, sorted stably (rule
/// [section-buckets] of docs/reference).
enum class SectionBucket : uint8_t {
  Tables,  ///< Names and symbols.
  Debug,   ///< PROGBITS sections that aren't loaded.
  Records, ///< Other sections that aren't loaded: notes, attributes, call
           ///< graph.
  Relocations,
  ReadOnly, ///< Constant banks.
  Text,
  Data,
  NoBits,
  Appended, ///< Not sorted: after all sections of the other buckets.
};

/// Which section a section's sh_link names.
enum class SectionLink : uint8_t {
  None,
  Strings,
  Symbols,
  /// The symbols, but for nvlink 13.5 [unified-table-link].
  UnifiedTable,
  ToolkitNote
};

/// What a section's sh_info names: a section, a symbol, or neither.
enum class SectionInfo : uint8_t {
  None,
  FirstGlobal, ///< Not a section: the first symbol that isn't local.
  Code,        ///< The code of the function that the section belongs to.
  Function,    ///< Not a section: the function's symbol.
  Target,      ///< The section that the relocations apply to.
  Compat,      ///< .nv.compat, if there is one.
};

/// Whether a written section has a section symbol.
enum class SectionSymbol : uint8_t { Never, Always, IfFilled };

/// What decides whether a section is written [section-written].
/// WrittenSections.cpp applies the rules.
enum class SectionWritten : uint8_t {
  Always,       ///< Written if it exists.
  Contributed,  ///< An input or the layout put something into it.
  HasEntries,   ///< A relocation is left.
  HasRecords,   ///< Written if there is something to record.
  LaidOut,      ///< Shared memory: the layout has a use for it.
  WithCode,     ///< Written if its function's code is.
  ManySections, ///< Written if section indices exceed 16 bits.
};

/// Whose bytes a twin has.
enum class TwinBytes : uint8_t {
  None, ///< There is no twin.
  Own,
  Native,         ///< The native section's bytes.
  OwnIfDifferent, ///< Its own, unless they equal the native section's.
};

/// What is known of the sections of one kind. `align`, `entsize` and `flags`
/// are those of the header of a new section.
struct SectionFacts {
  llvm::StringLiteral name;
  uint32_t type;
  SectionBucket bucket;
  SectionLink link;
  SectionInfo info;
  SectionSymbol symbol;
  SectionWritten written;
  uint8_t align;
  uint8_t entsize;
  uint64_t flags;

  bool hasFixedName() const { return name.back() != '*'; }
};

/// What is known of the Mercury twin of a section of one kind.
struct TwinFacts {
  llvm::StringLiteral name = "";
  uint32_t type = 0;
  TwinBytes bytes = TwinBytes::None;
  uint8_t align = 0;
  bool isRenamed = false; ///< nvlink uses another name for it during the merge.
  uint64_t flags = 0;     ///< In addition to SHF_CUDA_MERCURY.

  explicit operator bool() const { return bytes != TwinBytes::None; }
};

extern const std::array<SectionFacts, SectionKindCount + 1> SectionFactsTable;
extern const std::array<TwinFacts, SectionKindCount + 1> TwinFactsTable;

inline const SectionFacts &getSectionFacts(SectionKind kind) {
  return SectionFactsTable[size_t(kind)];
}

/// Returns the facts of the kind's twin; they convert to false if there is
/// none.
inline const TwinFacts &getTwinFacts(SectionKind kind) {
  return TwinFactsTable[size_t(kind)];
}

/// Returns the kind of output section that receives the contents of an input
/// section with this name, type and flags; `Other` if the section has no
/// contents to be merged.
SectionKind getContentKind(llvm::StringRef name, uint32_t type, uint64_t flags);

/// A section for which nvlink uses another name during the merge than in the
/// file.
struct RenamedSection {
  SectionKind kind;
  llvm::StringRef native; ///< Without the function's name, like `merge`.
  llvm::StringRef merge;
};
llvm::ArrayRef<RenamedSection> getRenamedSections();

/// Returns the group in which a section is written whose type or flags aren't
/// those of its kind.
SectionBucket getUnusualBucket(uint32_t type, uint64_t flags);

/// Returns the group in which a section of this kind, type and flags is
/// written.
inline SectionBucket getSectionBucket(SectionKind kind, uint32_t type,
                                      uint64_t flags) {
  constexpr uint64_t AccessFlags = SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR;
  const SectionFacts &facts = getSectionFacts(kind);
  if (kind != SectionKind::Other && !((flags ^ facts.flags) & AccessFlags))
    return facts.bucket;
  return getUnusualBucket(type, flags);
}

} // namespace lld::cuda::elf

#endif
