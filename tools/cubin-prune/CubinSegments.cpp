//===- CubinSegments.cpp - Program headers of cubins ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// CubinCopy.cpp writes a cubin with fewer sections, whose program headers must
/// be made anew. makeSegments() makes a PT_LOAD segment of each run of sections
/// with equal rights, between the headers about the table itself. Before that,
/// checkSegments() makes the segments of the original in the same way and
/// compares: if the result isn't what the file has, its linker has other rules,
/// and cubin-prune refuses the file instead of guessing.
///
//===----------------------------------------------------------------------===//

#include "CubinSegments.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

/// Sections of equal rights in a row.
struct SectionRun {
  uint32_t rights;
  std::vector<const PlacedSection *> sections;
};

} // namespace

static std::vector<SectionRun> collectRuns(const CubinFile &file,
                                           ArrayRef<PlacedSection> sections) {
  // Where the table's own segment is the first loaded one, as ptxas has it from
  // sm_90 on and nvlink from sm_100 on, constants are not executable.
  ArrayRef<Elf_Phdr> old = file.programHeaders();
  const bool hasTableFirst =
      old.size() > 1 && old[1].p_offset == file.header().e_phoff;
  std::vector<SectionRun> runs;
  for (const PlacedSection &section : sections) {
    const uint64_t flags = section.header->sh_flags;
    if (!(flags & SHF_ALLOC) || flags & SHF_CUDA_MERCURY)
      continue;
    const uint32_t rights = flags & SHF_WRITE ? PF_R | PF_W
                            : !hasTableFirst || flags & SHF_EXECINSTR
                                ? PF_R | PF_X
                                : PF_R;
    if (runs.empty() || runs.back().rights != rights)
      runs.push_back({rights, {}});
    runs.back().sections.push_back(&section);
  }
  return runs;
}

/// p_filesz counts the padding in front of sections without bytes, and p_memsz
/// lays these out from 0.
static Elf_Phdr makeSegment(const SectionRun &run) {
  const uint64_t start = run.sections.front()->offset;
  uint64_t cursor = start, memory = 0;
  for (const PlacedSection *section : run.sections) {
    const uint64_t align = std::max<uint64_t>(section->header->sh_addralign, 1);
    cursor = alignTo(cursor, align);
    if (isNoBits(section->header->sh_type, section->header->sh_flags))
      memory = alignTo(memory, align) + section->size;
    else
      cursor += section->size;
  }
  Elf_Phdr out;
  std::memset(&out, 0, sizeof(out));
  out.p_type = PT_LOAD;
  out.p_flags = run.rights;
  out.p_offset = start;
  out.p_filesz = cursor - start;
  out.p_memsz = cursor - start + memory;
  out.p_align = 8;
  return out;
}

std::vector<Elf_Phdr> makeSegments(const CubinFile &file,
                                   ArrayRef<PlacedSection> sections,
                                   uint64_t table) {
  std::vector<Elf_Phdr> segments;
  ArrayRef<Elf_Phdr> old = file.programHeaders();
  if (old.empty())
    return segments;
  std::vector<Elf_Phdr> runs;
  for (const SectionRun &run : collectRuns(file, sections))
    runs.push_back(makeSegment(run));
  // Headers about the table itself precede and follow the others.
  const uint64_t size = (runs.size() + 2) * sizeof(Elf_Phdr);
  bool hasRuns = false;
  for (Elf_Phdr header : old) {
    if (header.p_offset != file.header().e_phoff) {
      if (!hasRuns)
        segments.insert(segments.end(), runs.begin(), runs.end());
      hasRuns = true;
      continue;
    }
    header.p_offset = table;
    header.p_filesz = size;
    header.p_memsz = size;
    segments.push_back(header);
  }
  return segments;
}

Error checkSegments(const CubinFile &file) {
  std::vector<PlacedSection> sections;
  for (const Elf_Shdr &section : file.sections())
    sections.push_back({&section, section.sh_offset, section.sh_size});
  const std::vector<Elf_Phdr> made =
      makeSegments(file, sections, file.header().e_phoff);
  ArrayRef<Elf_Phdr> old = file.programHeaders();
  if (made.size() != old.size() ||
      (!made.empty() && std::memcmp(made.data(), old.data(),
                                    made.size() * sizeof(Elf_Phdr)) != 0))
    return createStringError("its segments aren't those that a linker writes");
  return Error::success();
}

} // namespace lld::cuda
