//===- Facts.h - Everything in a cubin as facts -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that make facts (Fact.h) of everything in a cubin: header,
/// segments, sections and the records of each section. cubin-dump calls them to
/// print a cubin, cubin-diff to compare two, and cubin-prune to verify what it
/// wrote. Indices are replaced by labels (Names.h), so that facts of two files
/// can be compared.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DUMP_FACTS_H
#define LLD_CUDA_DUMP_FACTS_H

#include "lld-cuda/Dump/Fact.h"
#include "lld-cuda/Dump/Names.h"
#include "lld-cuda/Object/Cubin.h"
#include "llvm/Support/Error.h"

namespace lld::cuda {

/// Returns a fact with all fields of the ELF header.
Fact headerFact(const CubinFile &file, const Labels &labels);

/// Tells which sections with bytes are in which segment. The file need not
/// outlive it.
class SegmentMap {
public:
  explicit SegmentMap(const CubinFile &file);
  /// Returns all sections with bytes, sorted by file offset.
  llvm::ArrayRef<unsigned> sections() const { return byOffset; }
  /// Returns the sections that begin in the segment: a slice of sections(),
  /// valid as long as this object.
  llvm::ArrayRef<unsigned> sections(const Elf_Phdr &segment) const;

private:
  std::vector<unsigned> byOffset;
  std::vector<uint64_t> offsets;
};

Fact segmentFact(const CubinFile &file, const Labels &labels,
                 const SegmentMap &map, unsigned index);
Fact sectionFact(const CubinFile &file, const Labels &labels, unsigned index);

/// Adds the meaning of a section's sh_info: a section, a symbol (and, in code
/// sections before sm_90, its register count), or a number.
void addSectionInfo(Fact &fact, const CubinFile &file, const Labels &labels,
                    unsigned index);

/// Which part of a dump the records of a section belong to.
enum class RecordGroup : uint8_t {
  Symbols,
  Relocations,
  Info,
  Compat,
  CallGraph,
  Prototypes,
  Notes,
  Capmerc,
};

/// How the records of a section are read.
struct RecordReader {
  RecordGroup group;
  llvm::StringLiteral noun; ///< "symbol"
  /// Calls `visit` for each record, in file order. A fact's subject is the
  /// label of the section, or that of the symbol in a symbol table. On damaged
  /// data it returns an error that names section and offset, after visiting the
  /// records before it.
  llvm::Error (*read)(const CubinFile &file, const Labels &labels,
                      unsigned section, FactVisitor visit);
};

/// Returns null if sections of this type are plain bytes.
const RecordReader *recordReaderFor(const CubinFile &file, unsigned section);

/// Returns the error with the section's name added.
llvm::Error sectionError(const CubinFile &file, unsigned section,
                         llvm::Error error);

} // namespace lld::cuda

#endif
