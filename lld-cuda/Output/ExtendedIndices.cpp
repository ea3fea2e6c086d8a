//===- ExtendedIndices.cpp - More sections than a symbol can name ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A symbol has 16 bits for its section's number. Larger numbers are in a table
/// beside the symbol table: .symtab_shndx, and .nv.merc.symtab_shndx for the
/// second symbol table that cubins have from sm_100 on, that of the Mercury
/// view [extended-indices]. getSymbolSection() gives a symbol's values for both
/// places, and writeExtendedIndices() writes the table. The writers of symbol
/// tables call them at the end of a link, when sections have their numbers:
/// Writer.cpp for .symtab, and Finalize/Mercury.cpp for the Mercury view.
///
//===----------------------------------------------------------------------===//

#include "Finalize/Mercury.h"
#include "Inputs.h"
#include "Numbered.h"
#include "Parallel.h"
#include "Symbols.h"
#include "Twins.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

std::pair<uint16_t, uint32_t> getSymbolSection(const Inputs &inputs,
                                               const Symbol &s, View view) {
  const OutputSection *sec = s.section;
  if (!sec || !sec->written)
    return {0, 0};
  if (view == View::Mercury && sec->mercury && sec->mercury->written)
    sec = sec->mercury;
  // nvlink's merge takes 0xfff2 for SHN_COMMON, and its finalizer writes the
  // first reserved number as it is.
  const bool fits =
      sec->index < SHN_LORESERVE ||
      sec->index == (inputs.isMercury() ? SHN_LORESERVE : SHN_COMMON);
  if (fits)
    return {sec->index, sec->creationIndex};
  return {SHN_XINDEX, sec->index};
}

/// The finalizer of sm_100 and later leaves entries that aren't needed zero;
/// others have the creation number of the symbol's section.
void writeExtendedIndices(const Inputs &inputs, const Numbered &numbered,
                          OutputSection &table, View view) {
  const size_t count = numbered.finalSymbols.size() + 1;
  uint8_t *buffer = inputs.memory.allocate(count * 4);
  std::memset(buffer, 0, count * 4);
  const size_t limit =
      view == View::Native ? count : getMercurySymbolCount(numbered) + 1;
  parallelForPieces(inputs, limit - 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i != end; ++i) {
      auto [index, extended] =
          getSymbolSection(inputs, *numbered.finalSymbols[i], view);
      if (index == SHN_XINDEX || !inputs.isMercury())
        support::endian::write32le(buffer + 4 * (i + 1), extended);
    }
  });
  table.setContents({buffer, count * 4});
}

} // namespace lld::cuda
