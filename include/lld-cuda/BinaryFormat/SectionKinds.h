//===- SectionKinds.h - The kinds of sections of an output ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What is known of a section by its kind: where it stands, its header, what
/// decides whether it is written, its twin in the Mercury view. The facts stand
/// in SectionKinds.def.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINARYFORMAT_SECTIONKINDS_H
#define LLD_CUDA_BINARYFORMAT_SECTIONKINDS_H

#include "lld-cuda/BinaryFormat/ELF.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>

namespace lld::cuda::elf {

enum class SectionKind : uint8_t {
#define SECTION_KIND(KIND, ...) KIND,
#include "lld-cuda/BinaryFormat/SectionKinds.def"
  /// A kind of an input's that no row describes.
  Other
};
constexpr size_t SectionKindCount = size_t(SectionKind::Other);

/// Sections are sorted by it, stably [section-buckets].
enum class SectionBucket : uint8_t {
  Tables,  ///< Names and symbols.
  Debug,   ///< PROGBITS that isn't loaded.
  Records, ///< All else that isn't loaded: notes, attributes, call graph.
  Relocations,
  ReadOnly, ///< Constant banks.
  Text,
  Data,
  NoBits,
  Appended, ///< Not sorted: stands after all sections of the other buckets.
};

/// Which section a section's sh_link names.
enum class SectionLink : uint8_t { None, Strings, Symbols, ToolkitNote };

/// What a section's sh_info names: a section, a symbol, or neither.
enum class SectionInfo : uint8_t {
  None,
  FirstGlobal, ///< Not a section: the first symbol that isn't local.
  Code,        ///< The code of the function that the section belongs to.
  Function,    ///< Not a section: the function's symbol.
  Target,      ///< What the relocations apply to.
  Compat,      ///< .nv.compat, where there is one.
};

/// Whether a written section has a section symbol.
enum class SectionSymbol : uint8_t { Never, Always, IfFilled };

/// What decides whether a section is written [section-written]. The rules stand
/// in WrittenSections.cpp.
enum class SectionWritten : uint8_t {
  Always,       ///< Since it exists.
  Contributed,  ///< An input or the layout put something into it.
  HasEntries,   ///< A relocation is left.
  HasRecords,   ///< There is something to record.
  LaidOut,      ///< Shared memory: the layout has a use for it.
  WithCode,     ///< The code of its function is.
  ManySections, ///< There are too many sections for the symbols' 16 bits.
};

/// Whose bytes a twin stands for.
enum class TwinBytes : uint8_t {
  None, ///< There is no twin.
  Own,
  Native,         ///< Those of the native section.
  OwnIfDifferent, ///< Its own, unless the native section has the same.
};

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

struct TwinFacts {
  llvm::StringLiteral name = "";
  uint32_t type = 0;
  TwinBytes bytes = TwinBytes::None;
  uint8_t align = 0;
  bool isRenamed = false; ///< Has another name in nvlink's merge.
  uint64_t flags = 0;     ///< Beside SHF_CUDA_MERCURY.

  explicit operator bool() const { return bytes != TwinBytes::None; }
};

extern const std::array<SectionFacts, SectionKindCount + 1> SectionFactsTable;
extern const std::array<TwinFacts, SectionKindCount + 1> TwinFactsTable;

inline const SectionFacts &getSectionFacts(SectionKind kind) {
  return SectionFactsTable[size_t(kind)];
}

/// False: sections of that kind have no twin.
inline const TwinFacts &getTwinFacts(SectionKind kind) {
  return TwinFactsTable[size_t(kind)];
}

/// What kind of section an input's contents of that name, type and flags go to.
/// `Other` for sections that have no contents of their own to be merged.
SectionKind getContentKind(llvm::StringRef name, uint32_t type, uint64_t flags);

/// A section that nvlink's merge knows by another name than the one in the
/// file.
struct RenamedSection {
  SectionKind kind;
  llvm::StringRef native; ///< Both up to a function's name.
  llvm::StringRef merge;
};
llvm::ArrayRef<RenamedSection> getRenamedSections();

/// Where a section of such a kind and flags stands.
SectionBucket getSectionBucket(SectionKind kind, uint32_t type, uint64_t flags);

} // namespace lld::cuda::elf

#endif
