//===- Segments.cpp - Program headers without offsets ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Describes the segments (program headers) of a cubin as texts that can be
/// compared. Meaning.cpp calls segmentTexts() for each of the two cubins that
/// cubin-diff compares. A text has the fields of a segment's header except its
/// offset, and a hash of the names of the sections that it maps, whatever their
/// order is. Sizes count only where they don't follow from the sections: a
/// segment that ends with its last section and has the usual padding has
/// another size when sections have another order, and means the same.
///
//===----------------------------------------------------------------------===//

#include "Segments.h"
#include "lld-cuda/Dump/Facts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace lld::cuda {

/// Whether a segment's sizes follow from its sections' sizes: then they depend
/// on the padding, and so on the order, but say nothing else.
static bool hasSizeOfSections(const Side &side, const Elf_Phdr &segment,
                              ArrayRef<unsigned> mapped) {
  // Cubins have five segments at most.
  constexpr unsigned MaxSegments = 8;
  if (side.file.programHeaders().size() > MaxSegments ||
      (mapped.empty() && segment.p_filesz))
    return false;
  uint64_t end = segment.p_offset, memory = 0, largestAlign = 1;
  for (unsigned i : mapped)
    end = std::max<uint64_t>(end, side.section(i).sh_offset +
                                      side.section(i).sh_size);
  const uint64_t segmentEnd = segment.p_offset + segment.p_filesz;
  // Uninitialised sections there may be another segment's.
  const bool isFollowed =
      any_of(side.file.programHeaders(), [&](const Elf_Phdr &other) {
        return &other != &segment && other.p_type == segment.p_type &&
               other.p_offset == segmentEnd && other.p_memsz > other.p_filesz;
      });
  for (unsigned i = 1; !isFollowed && i < side.sectionCount(); ++i) {
    const Elf_Shdr &s = side.section(i);
    if (s.sh_type != elf::SHT_NOBITS || !(s.sh_flags & elf::SHF_ALLOC) ||
        s.sh_offset < end || s.sh_offset > segmentEnd)
      continue;
    const uint64_t align = std::max<uint64_t>(s.sh_addralign, 1);
    memory = alignTo(memory, align) + s.sh_size;
    largestAlign = std::max(largestAlign, align);
  }
  return segmentEnd >= end && segmentEnd <= alignTo(end, largestAlign) &&
         segment.p_memsz == segment.p_filesz + memory;
}

std::vector<SegmentText> segmentTexts(const Side &side) {
  SegmentMap map(side.file);
  // Sums of the names' hashes: what a segment maps, in any order.
  std::vector<uint64_t> sums{0};
  for (unsigned section : map.sections())
    sums.push_back(sums.back() + xxh3_64bits(side.sectionNames[section]));
  std::vector<SegmentText> out;
  for (unsigned i = 0; i != side.file.programHeaders().size(); ++i) {
    Fact fact = segmentFact(side.file, side.labels, map, i);
    erase_if(fact.fields, [](const Field &f) { return f.position; });
    SegmentText segment;
    segment.text = fact.subject + " " + fact.fieldText();
    // The mapped sections count, not their order.
    const Elf_Phdr &header = side.file.programHeaders()[i];
    ArrayRef<unsigned> mapped = map.sections(header);
    const bool isFitted = hasSizeOfSections(side, header, mapped);
    erase_if(fact.fields, [&](const Field &f) {
      return f.key == "first" || f.key == "last" ||
             (isFitted && (f.key == "filesz" || f.key == "memsz"));
    });
    size_t begin = mapped.data() - map.sections().data();
    uint64_t names = sums[begin + mapped.size()] - sums[begin];
    segment.key = fact.subject + " " + fact.fieldText() + utohexstr(names);
    out.push_back(std::move(segment));
  }
  return out;
}

} // namespace lld::cuda
