//===- FileHeader.cpp - --check: the ELF header and the segments ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// checkFileHeader() and checkSegments() compare the ELF header and the program
/// headers of an output with what the link was for. A driver chooses among
/// images by e_flags, whose layout differs between CUDA 12 and 13
/// [file-header], [cuda12-file]. A segment is a run of neighbouring sections
/// with equal rights, so compare() in Check.cpp calls checkSegments() only
/// after it has compared the section headers. The table of program headers
/// itself has two segments more, PT_PHDR and one that loads it. A relocatable
/// output has no segments.
///
//===----------------------------------------------------------------------===//

#include "Check/Image.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Numbered.h"
#include "Program.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

uint16_t getOldestVirtualArch(const CheckedImage &image) {
  uint16_t oldest = image.inputs().sm();
  for (const ObjectFile &obj : image.program().objects)
    oldest = std::min<uint16_t>(oldest, obj.compiledFor.virtualArch);
  return oldest;
}

/// e_flags: what a driver chooses an image by [file-header], [cuda12-file].
static uint32_t flagsOf(const CheckedImage &image) {
  const Inputs &inputs = image.inputs();
  const bool isAccelerated =
      inputs.config.arch.suffix == Architecture::Accelerated;
  if (inputs.writesOldHeader())
    return EF_CUDA_12_ARCHITECTURE.put(inputs.sm()) |
           EF_CUDA_12_VIRTUAL.put(getOldestVirtualArch(image)) |
           EF_CUDA_12_64BIT_ADDRESS | EF_CUDA_12_TEXMODE_UNIFIED |
           (isAccelerated ? uint32_t(EF_CUDA_12_ACCELERATED) : 0);
  const uint32_t note = image.program().cuinfo->index;
  const bool tellsSuffix = inputs.rules.writesOldFiles() && isAccelerated;
  return note << 24 | EF_CUDA_13_ARCHITECTURE.put(inputs.sm()) |
         (inputs.isMercury() ? EF_CUDA_13_MERCURY : EF_CUDA_13_SASS) |
         (tellsSuffix ? uint32_t(EF_CUDA_13_ACCELERATED) : 0);
}

void checkFileHeader(const CheckedImage &image, Findings &findings) {
  const Inputs &inputs = image.inputs();
  const Elf_Ehdr &h = image.file.header();
  const CheckedPlace at;
  const bool isOld = inputs.writesOldHeader();
  const size_t sections = image.file.sections().size();
  findings.number(at, "EI_OSABI", isOld ? ELFOSABI_CUDA_12 : ELFOSABI_CUDA_13,
                  h.e_ident[EI_OSABI]);
  findings.number(at, "EI_ABIVERSION",
                  isOld ? ABIVERSION_CUDA_12 : ABIVERSION_CUDA_13,
                  h.e_ident[EI_ABIVERSION]);
  findings.number(at, "e_type", inputs.isRelocatable() ? ET_REL : ET_EXEC,
                  h.e_type);
  findings.number(at, "e_version",
                  isOld ? inputs.rules.release().toolkit : unsigned(EV_CURRENT),
                  h.e_version);
  findings.number(at, "e_entry", 0, h.e_entry);
  findings.number(at, "e_flags", flagsOf(image), h.e_flags);
  findings.number(at, "e_ehsize", sizeof(Elf_Ehdr), h.e_ehsize);
  findings.number(at, "e_shentsize", sizeof(Elf_Shdr), h.e_shentsize);
  findings.number(at, "e_shnum", sections > SHN_LORESERVE ? 0 : sections,
                  h.e_shnum);
  findings.text(at, "the section that e_shstrndx names",
                getSectionFacts(SectionKind::SectionNames).name,
                h.e_shstrndx < sections ? image.file.sectionName(h.e_shstrndx)
                                        : StringRef());
  if (inputs.isRelocatable()) {
    findings.number(at, "e_phentsize",
                    inputs.isMercury() ? 0 : sizeof(Elf_Phdr), h.e_phentsize);
    findings.number(at, "e_phnum", 0, h.e_phnum);
    findings.number(at, "e_phoff", 0, h.e_phoff);
    return;
  }
  findings.number(at, "e_phoff", h.e_shoff + sections * sizeof(Elf_Shdr),
                  h.e_phoff);
  findings.number(at, "e_phentsize", sizeof(Elf_Phdr), h.e_phentsize);
}

namespace {
/// The file and memory range of a run of sections with equal rights.
struct SegmentRun {
  uint32_t rights;
  uint64_t begin, end; ///< In the file.
  uint64_t memory = 0; ///< Of the sections at its end that have no bytes.
};
} // namespace

/// A segment holds neighbours of equal rights: code, constants and data; what
/// has no bytes follows [segments].
static std::vector<SegmentRun> findRuns(const CheckedImage &image) {
  const bool isMercury = image.inputs().isMercury();
  std::vector<SegmentRun> runs;
  for (const OutputSection *sec : image.meaning.numbered.finalSections) {
    const Elf_Shdr &h = image.header(*sec);
    if (!(h.sh_flags & SHF_ALLOC) || h.sh_flags & SHF_CUDA_MERCURY)
      continue;
    uint32_t rights = PF_R;
    if (h.sh_flags & SHF_WRITE)
      rights |= PF_W;
    else if (!isMercury || h.sh_flags & SHF_EXECINSTR)
      rights |= PF_X;
    if (runs.empty() || runs.back().rights != rights)
      runs.push_back({rights, h.sh_offset, h.sh_offset});
    SegmentRun &run = runs.back();
    const uint64_t align = std::max<uint64_t>(sec->align, 1);
    run.end = alignTo(run.end, align);
    if (isNoBits(h.sh_type, h.sh_flags))
      run.memory = alignTo(run.memory, align) + h.sh_size;
    else
      run.end += h.sh_size;
  }
  return runs;
}

static void checkSegment(const Elf_Phdr &expected, const Elf_Phdr &found,
                         unsigned number, Findings &findings) {
  const std::string name = "program header " + std::to_string(number);
  const CheckedPlace at;
  auto compare = [&](StringRef field, uint64_t a, uint64_t b) {
    if (a != b)
      findings.number(at, name + ": " + field.str(), a, b);
  };
  compare("p_type", expected.p_type, found.p_type);
  compare("p_flags", expected.p_flags, found.p_flags);
  compare("p_offset", expected.p_offset, found.p_offset);
  compare("p_vaddr", expected.p_vaddr, found.p_vaddr);
  compare("p_paddr", expected.p_paddr, found.p_paddr);
  compare("p_filesz", expected.p_filesz, found.p_filesz);
  compare("p_memsz", expected.p_memsz, found.p_memsz);
  compare("p_align", expected.p_align, found.p_align);
}

/// The table itself, a segment that loads it, and one for each run.
void checkSegments(const CheckedImage &image, Findings &findings) {
  if (image.inputs().isRelocatable())
    return;
  const bool isMercury = image.inputs().isMercury();
  ArrayRef<Elf_Phdr> found = image.file.programHeaders();
  const std::vector<SegmentRun> runs = findRuns(image);
  findings.number({}, "number of program headers", runs.size() + 2,
                  found.size());
  if (found.size() != runs.size() + 2)
    return;
  std::vector<Elf_Phdr> expected(1);
  Elf_Phdr &own = expected.front();
  own = {};
  own.p_type = PT_PHDR;
  own.p_flags = isMercury ? PF_R : PF_R | PF_X;
  own.p_offset = image.file.header().e_phoff;
  own.p_filesz = found.size() * sizeof(Elf_Phdr);
  own.p_memsz = found.size() * sizeof(Elf_Phdr);
  own.p_align = 8;
  for (const SegmentRun &run : runs) {
    Elf_Phdr segment = {};
    segment.p_type = PT_LOAD;
    segment.p_flags = run.rights;
    segment.p_offset = run.begin;
    segment.p_filesz = run.end - run.begin;
    segment.p_memsz = run.end - run.begin + run.memory;
    segment.p_align = 8;
    expected.push_back(segment);
  }
  Elf_Phdr loaded = expected.front();
  loaded.p_type = PT_LOAD;
  expected.insert(isMercury ? expected.begin() + 1 : expected.end(), loaded);
  for (size_t i = 0; i != expected.size(); ++i)
    checkSegment(expected[i], found[i], i, findings);
}

} // namespace lld::cuda
