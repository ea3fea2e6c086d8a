//===- Facts.h - What a cubin says ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes facts of everything that a cubin holds. Indices are replaced by
/// labels, so the facts of two files can be compared.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DUMP_FACTS_H
#define LLD_CUDA_DUMP_FACTS_H

#include "lld-cuda/Dump/Fact.h"
#include "lld-cuda/Dump/Names.h"
#include "lld-cuda/Object/Cubin.h"
#include "llvm/Support/Error.h"

namespace lld::cuda {

/// All fields of the ELF header.
Fact headerFact(const CubinFile &file, const Labels &labels);

/// Which sections with bytes lie in which segment.
class SegmentMap {
public:
  explicit SegmentMap(const CubinFile &file);
  /// All of them, by file offset.
  llvm::ArrayRef<unsigned> sections() const { return byOffset; }
  /// Those that begin in the segment: a part of sections().
  llvm::ArrayRef<unsigned> sections(const Elf_Phdr &segment) const;

private:
  std::vector<unsigned> byOffset;
  std::vector<uint64_t> offsets;
};

Fact segmentFact(const CubinFile &file, const Labels &labels,
                 const SegmentMap &map, unsigned index);
Fact sectionFact(const CubinFile &file, const Labels &labels, unsigned index);

/// What sh_info of a section means: a section, a symbol (and, in code sections
/// before sm_90, its register count), or a number.
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
  /// Calls `visit` for each record, in file order. The facts' subjects are the
  /// section's label, for symbols the symbol's. An error names section and
  /// offset; the records before it have been visited.
  llvm::Error (*read)(const CubinFile &file, const Labels &labels,
                      unsigned section, FactVisitor visit);
};

/// Null if sections of that type are plain bytes.
const RecordReader *recordReaderFor(const CubinFile &file, unsigned section);

/// An error that says in which section it is.
llvm::Error sectionError(const CubinFile &file, unsigned section,
                         llvm::Error error);

} // namespace lld::cuda

#endif
