//===- HeaderFacts.cpp - Facts of headers, segments, symbols --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns a cubin's ELF header, program headers, section headers and symbols
/// into facts, with names instead of numbers. cubin-dump (DumpCubin.cpp) calls
/// these functions for the first lists of a dump; cubin-diff compares segments
/// and symbols by them, and cubin-prune verifies the symbols of its result.
/// Some fields depend on the cubin's age: e_flags has other meanings before
/// CUDA 13, and before 12.4 a section names its function's code in sh_info
/// without the flag that says so.
///
//===----------------------------------------------------------------------===//

#include "RecordReaders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lld::cuda {

/// The bits of e_flags that aren't part of a number.
static std::vector<std::string> flagNames(const CubinFile &file) {
  uint32_t rest = file.header().e_flags;
  std::vector<std::string> names;
  for (StringRef name : elf::takeFileFlagNames(file.hasOldHeader(), rest))
    names.push_back(name.str());
  if (rest)
    names.push_back(hexText(rest));
  return names;
}

static std::string sectionLabel(const Labels &labels, uint32_t index) {
  return index < labels.sections.size() ? labels.sections[index]
                                        : "#" + utostr(index);
}

Fact headerFact(const CubinFile &file, const Labels &labels) {
  const Elf_Ehdr &h = file.header();
  Fact fact;
  fact.name("class", h.getFileClass() == elf::ELFCLASS64 ? "ELF64" : "ELF32")
      .name("data", h.getDataEncoding() == elf::ELFDATA2LSB ? "LSB" : "MSB")
      .decimal("ident_version", h.e_ident[elf::EI_VERSION])
      .name("os_abi", osAbiName(h.e_ident[elf::EI_OSABI]))
      .decimal("abi_version", h.e_ident[elf::EI_ABIVERSION])
      .name("ident_padding",
            toHex(ArrayRef(h.e_ident).drop_front(elf::EI_PAD), true))
      .name("type", fileTypeName(h.e_type))
      .name("machine",
            h.e_machine == elf::EM_CUDA ? "CUDA" : hexText(h.e_machine))
      .decimal("version", h.e_version)
      .hex("entry", h.e_entry)
      .hex("phoff", h.e_phoff)
      .asPosition()
      .hex("shoff", h.e_shoff)
      .asPosition()
      .hex("flags", h.e_flags)
      .name("architecture", "sm_" + utostr(file.smNumber()))
      .names(file.hasOldHeader() ? "features" : "views", flagNames(file));
  if (file.hasOldHeader())
    fact.name("virtual_architecture",
              "compute_" + utostr(elf::EF_CUDA_12_VIRTUAL.get(h.e_flags)));
  else
    fact.name("cuinfo",
              sectionLabel(labels, elf::EF_CUDA_13_CUINFO.get(h.e_flags)));
  fact.decimal("ehsize", h.e_ehsize)
      .decimal("phentsize", h.e_phentsize)
      .decimal("phnum", h.e_phnum)
      .decimal("shentsize", h.e_shentsize)
      .decimal("shnum", h.e_shnum)
      .name("shstrndx", sectionLabel(labels, h.e_shstrndx));
  return fact;
}

SegmentMap::SegmentMap(const CubinFile &file) {
  for (unsigned i = 1; i != file.sections().size(); ++i) {
    const Elf_Shdr &s = file.sections()[i];
    if (s.sh_flags & elf::SHF_ALLOC && !(s.sh_flags & elf::SHF_CUDA_MERCURY) &&
        !file.contents(i).empty())
      byOffset.push_back(i);
  }
  auto offsetOf = [&](unsigned i) { return file.sections()[i].sh_offset; };
  stable_sort(byOffset, [&](unsigned a, unsigned b) {
    return offsetOf(a) < offsetOf(b);
  });
  for (unsigned i : byOffset)
    offsets.push_back(offsetOf(i));
}

ArrayRef<unsigned> SegmentMap::sections(const Elf_Phdr &segment) const {
  size_t first = lower_bound(offsets, segment.p_offset) - offsets.begin();
  // A segment that ends behind the last address maps nothing sensible.
  uint64_t end = SaturatingAdd<uint64_t>(segment.p_offset, segment.p_filesz);
  size_t last = lower_bound(offsets, end) - offsets.begin();
  return ArrayRef(byOffset).slice(first, last - first);
}

Fact segmentFact(const CubinFile &file, const Labels &labels,
                 const SegmentMap &map, unsigned index) {
  const Elf_Phdr &p = file.programHeaders()[index];
  Fact fact(segmentTypeName(p.p_type));
  fact.names("flags", segmentFlagNames(p.p_flags))
      .hex("offset", p.p_offset)
      .asPosition()
      .hex("vaddr", p.p_vaddr)
      .hex("paddr", p.p_paddr)
      .hex("filesz", p.p_filesz)
      .hex("memsz", p.p_memsz)
      .hex("align", p.p_align);
  ArrayRef<unsigned> mapped = map.sections(p);
  if (p.p_offset == file.header().e_phoff)
    fact.name("maps", "program-headers");
  else if (mapped.empty())
    fact.name("maps", "none");
  else
    fact.name("maps", "sections")
        .name("first", labels.sections[mapped.front()])
        .name("last", labels.sections[mapped.back()])
        .decimal("count", mapped.size());
  fact.decimal("index", index).asPosition();
  return fact;
}

/// True if sh_info is a section's index.
static bool infoIsSection(const CubinFile &file, unsigned index) {
  const Elf_Shdr &s = file.sections()[index];
  switch (s.sh_type) {
  case elf::SHT_REL:
  case elf::SHT_RELA:
  case elf::SHT_CUDA_RESOLVED_RELA:
  case elf::SHT_CUDA_MERC_RELA:
    return true;
  case elf::SHT_CUDA_CAPMERC:
    return false;
  default:
    break;
  }
  if (s.sh_flags & elf::SHF_INFO_LINK)
    return true;
  // Before CUDA 12.4 sections of a function name its code without the flag.
  return s.sh_info && s.sh_info < file.sections().size() &&
         file.sectionName(index).starts_with(".nv.") &&
         file.sections()[s.sh_info].sh_flags & elf::SHF_EXECINSTR;
}

void addSectionInfo(Fact &fact, const CubinFile &file, const Labels &labels,
                    unsigned index) {
  const Elf_Shdr &s = file.sections()[index];
  if (infoIsSection(file, index)) {
    fact.name("info", sectionLabel(labels, s.sh_info));
    return;
  }
  bool isCode = s.sh_flags & elf::SHF_EXECINSTR;
  if (!isCode && s.sh_type != elf::SHT_CUDA_CAPMERC) {
    fact.decimal("info", s.sh_info);
    return;
  }
  fact.name("info", labels.symbol(file, index, s.sh_info & 0xffffff));
  // The register count of code below sm_90.
  if (s.sh_info >> 24)
    fact.decimal("registers", s.sh_info >> 24);
}

Fact sectionFact(const CubinFile &file, const Labels &labels, unsigned index) {
  const Elf_Shdr &s = file.sections()[index];
  Fact fact(labels.sections[index]);
  fact.name("type", sectionTypeName(s.sh_type))
      .names("flags", sectionFlagNames(s.sh_flags))
      .hex("addr", s.sh_addr)
      .hex("offset", s.sh_offset)
      .asPosition()
      .hex("size", s.sh_size)
      .name("link", s.sh_link ? sectionLabel(labels, s.sh_link) : "none");
  addSectionInfo(fact, file, labels, index);
  fact.hex("align", s.sh_addralign)
      .hex("entsize", s.sh_entsize)
      .decimal("index", index)
      .asPosition();
  return fact;
}

Error readSymbols(const CubinFile &file, const Labels &labels, unsigned section,
                  FactVisitor visit) {
  bool isMercury = section == file.mercurySymtab().section;
  const CubinSymbolTable &table =
      isMercury ? file.mercurySymtab() : file.symtab();
  const std::vector<std::string> &names =
      isMercury ? labels.mercurySymbols : labels.symbols;
  for (unsigned i = 0; i != table.symbols.size(); ++i) {
    const Elf_Sym &sym = table.symbols[i];
    Fact fact(names[i]);
    fact.name("binding", symbolBindingName(sym.getBinding()))
        .name("type", symbolTypeName(sym.getType()))
        .names("other", symbolOtherNames(sym.st_other, sym.getType()))
        .name("section", labels.sectionOfSymbol(file, table, i))
        .hex("value", sym.st_value)
        .hex("size", sym.st_size)
        .decimal("index", i)
        .asPosition();
    visit(std::move(fact));
  }
  return Error::success();
}

} // namespace lld::cuda
