//===- WriteRelocations.cpp - Relocation sections of the output -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// writeRelocations() writes the relocations that a link has kept for the
/// driver or the next link, with the final numbers of their symbols.
/// writeTables() in Link.cpp calls it when each symbol and section has its
/// number. The entries are written over the list that they are made from, since
/// none is larger than what it is made of, so this needs no further memory;
/// with --check, which looks at the list later, they get memory of their own.
/// An entry whose symbol isn't in the output is an internal error: some pass
/// has dropped what another one needs.
///
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "Merge/NativeCallees.h"
#include "Numbered.h"
#include "Output/SectionHeaders.h"
#include "Parallel.h"
#include "Passes.h"
#include "Symbols.h"
#include "Twins.h"
#include "llvm/Support/Endian.h"
#include <atomic>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// Turns a section's kept relocations into its contents, in place: no entry is
/// larger than what it is made of. What is to be checked stays. False: one
/// names a symbol that isn't among the first `symbolCount`.
static bool writeEntries(const Inputs &inputs, OutputSection &sec,
                         size_t symbolCount) {
  static_assert(sizeof(KeptRelocation) >= sizeof(Elf_Rela));
  auto *buffer = inputs.config.check
                     ? inputs.memory.allocate(sec.kept.size() * sec.entsize)
                     : reinterpret_cast<uint8_t *>(sec.kept.elements().data());
  uint8_t *p = buffer;
  for (size_t i = 0; i != sec.kept.size(); ++i) {
    const KeptRelocation r = sec.kept[i];
    const bool needsIndex =
        r.symbol && (r.symbol->isVariable() || isNativeCallee(*r.symbol));
    if ((needsIndex && !r.symbol->index) ||
        (r.symbol && r.symbol->index > symbolCount))
      return false;
    uint64_t info = uint64_t(r.symbol ? r.symbol->index : 0) << 32 | r.type;
    support::endian::write64le(p, r.offset);
    support::endian::write64le(p + 8, info);
    if (sec.entsize == sizeof(Elf_Rela))
      support::endian::write64le(p + 16, r.addend);
    p += sec.entsize;
  }
  sec.setContents({buffer, size_t(p - buffer)});
  return true;
}

/// Entries with final symbol numbers. Needs them all assigned.
void writeRelocations(const Inputs &inputs, const Program &program,
                      const Numbered &numbered) {
  SmallVector<OutputSection *, 16> sections;
  for (OutputSection *sec : numbered.finalSections)
    if (sec->isRelocations())
      sections.push_back(sec);
  for (const OutputSection *sec : sections)
    if (!getHeaderLinks(inputs, program, numbered, *sec).second)
      return inputs.diag.report(
          DiagId::InternalError,
          {"Internal error: ", diag::section(sec->name).bare(),
           " applies to a section that isn't in the output"});
  const size_t nativeCount = numbered.finalSymbols.size();
  const size_t mercuryCount = getMercurySymbolCount(numbered);
  std::atomic<bool> complete{true};
  parallelForEach(inputs, sections.size(), sections.size(), [&](size_t i) {
    const bool isMercury = sections[i]->view() == View::Mercury;
    if (!writeEntries(inputs, *sections[i],
                      isMercury ? mercuryCount : nativeCount))
      complete = false;
  });
  if (!complete)
    inputs.diag.report(DiagId::InternalError,
                       {"Internal error: reference to deleted symbol"});
}

} // namespace lld::cuda
