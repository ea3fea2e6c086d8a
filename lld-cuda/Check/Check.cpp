//===- Check.cpp - The parts of --check, in order -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// checkImage() runs the parts of --check over an output that has been written
/// but isn't in its place yet; the writer calls it through readerOf() in
/// Link.cpp. The order matters: the number of sections comes first, then
/// headers and symbol tables. Other parts find sections by their types and
/// symbols by their numbers, so they follow only if headers and symbol tables
/// are right. Sections are compared by several threads in large links; each has
/// a list of findings of its own, and the lists are joined in the sections'
/// order.
///
//===----------------------------------------------------------------------===//

#include "Check/Check.h"
#include "Check/Image.h"
#include "Inputs.h"
#include "Numbered.h"
#include "Parallel.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// Sections whose bytes are made of the inputs'. All others are tables that a
/// part of --check reads by what they say.
static bool holdsInput(const OutputSection &sec) {
  switch (sec.facts().bucket) {
  case SectionBucket::Tables:
  case SectionBucket::Relocations:
    return false;
  case SectionBucket::Records:
    return sec.kind == SectionKind::OtherNote ||
           sec.kind == SectionKind::RelocationAction;
  default:
    break;
  }
  // The bytes that nvlink writes there mean nothing
  // [mercury-reserved-shared-bytes].
  return !(sec.native && sec.kind == SectionKind::ReservedShared);
}

/// Contents, and the entries that they have in relocation sections.
static void checkBytes(const CheckedImage &image, Findings &findings) {
  SmallVector<const OutputSection *, 0> sections, relocations;
  DenseSet<const OutputSection *> isMade;
  for (const OutputSection *sec : image.meaning.numbered.finalSections) {
    if (sec->isRelocations()) {
      relocations.push_back(sec);
    } else if (holdsInput(*sec)) {
      sections.push_back(sec);
      if (!sec->relocations.empty())
        for (const OutputSection *to : {sec->rel, sec->rela, sec->resolvedRela})
          isMade.insert(to);
    }
  }
  erase_if(relocations,
           [&](const OutputSection *sec) { return isMade.contains(sec); });
  const size_t count = sections.size() + relocations.size();
  std::vector<Findings> own(count);
  parallelForEach(image.inputs(), count, count, [&](size_t i) {
    if (i < sections.size())
      checkContents(image, *sections[i], own[i]);
    else
      checkEntries(image, *relocations[i - sections.size()], own[i]);
  });
  for (Findings &f : own)
    findings.append(std::move(f));
}

/// A file with other sections than were meant can't be compared section by
/// section.
static void compare(const Meaning &meaning, const CubinFile &file,
                    Findings &findings) {
  const CheckedImage image{meaning, file};
  const size_t sections = meaning.numbered.finalSections.size() + 1;
  findings.number({}, "number of sections", sections, file.sections().size());
  if (findings.count())
    return;
  checkFileHeader(image, findings);
  checkSectionTable(image, findings);
  checkPlaces(image, findings);
  checkSegments(image, findings);
  checkSymbolTables(image, findings);
  // The parts below find sections by their types and symbols by their numbers.
  if (findings.count())
    return;
  checkDefinitions(image, findings);
  checkMemory(image, findings);
  checkBytes(image, findings);
  checkRecords(image, findings);
  checkCallGraph(image, findings);
  checkNoteSections(image, findings);
  checkCompat(image, findings);
  checkUnifiedTables(image, findings);
}

/// nvlink takes alignments of shared memory as they come, such as 48, and no
/// reader does. They are compared here, and are 1 in what is read then. Empty:
/// there are none.
static std::vector<char> replaceOddAlignments(const Meaning &meaning,
                                              StringRef image,
                                              Findings &findings) {
  std::vector<char> copy;
  for (const OutputSection *sec : meaning.numbered.finalSections) {
    if (!hasOddAlignment(*sec) || image.size() < sizeof(Elf_Ehdr))
      continue;
    if (copy.empty())
      copy.assign(image.begin(), image.end());
    const uint64_t table =
        reinterpret_cast<const Elf_Ehdr *>(copy.data())->e_shoff;
    const uint64_t end = (sec->index + 1) * sizeof(Elf_Shdr);
    if (table > copy.size() || end > copy.size() - table)
      continue;
    auto *header = reinterpret_cast<Elf_Shdr *>(copy.data() + table + end) - 1;
    findings.number({sec->name, {}, {}}, "sh_addralign", sec->align,
                    header->sh_addralign);
    header->sh_addralign = 1;
  }
  return copy;
}

Findings compareImage(const Meaning &meaning, StringRef image) {
  Findings findings;
  const std::vector<char> readable =
      replaceOddAlignments(meaning, image, findings);
  if (!readable.empty())
    image = {readable.data(), readable.size()};
  if (Expected<CubinFile> file =
          CubinFile::create(MemoryBufferRef(image, "output")))
    compare(meaning, *file, findings);
  else
    findings.add({}, "the file", "a readable cubin",
                 toString(file.takeError()));
  return findings;
}

void checkImage(const Meaning &meaning, StringRef image) {
  compareImage(meaning, image).report(meaning.inputs.diag);
}

} // namespace lld::cuda
