//===- SectionTable.cpp - --check: section headers and file offsets -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// checkSectionTable() compares each section header of an output with the
/// section that was meant: name, type, flags, size, alignment, sh_link and
/// sh_info. checkPlaces() sees that no two sections overlap in the file, that
/// each is aligned, and that the bytes between them are zero. compare() in
/// Check.cpp calls both before it looks at contents, since what follows finds
/// sections by these headers. A header differs by the kind of link: in an image
/// a native bank of constants is PROGBITS, with -r it keeps a type of its own
/// [section-types-in-images].
///
//===----------------------------------------------------------------------===//

#include "Check/Image.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Numbered.h"
#include "Program.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// The number of a native section, or of its twin.
static uint32_t numberOf(const OutputSection *sec, View view) {
  if (sec && view == View::Mercury)
    sec = sec->mercury;
  return sec ? sec->index : 0;
}

/// An image has ordinary types for data [section-types-in-images].
static uint32_t typeOf(const CheckedImage &image, const OutputSection &sec) {
  if (sec.view() == View::Mercury || image.inputs().isRelocatable())
    return sec.type;
  if (sec.isNoBits())
    return SHT_NOBITS;
  const bool isData =
      isConstantBank(sec.type) || sec.type == SHT_CUDA_GLOBAL_INIT;
  return isData ? uint32_t(SHT_PROGBITS) : sec.type;
}

static uint32_t linkOf(const CheckedImage &image, const OutputSection &sec) {
  const Program &program = image.program();
  switch (sec.facts().link) {
  case SectionLink::None:
    return 0;
  case SectionLink::Strings:
    return numberOf(program.strtab, View::Native);
  case SectionLink::Symbols:
    return numberOf(program.symtab, sec.view());
  case SectionLink::UnifiedTable:
    // Any section is right where nvlink 13.5 is followed.
    if (image.inputs().mislinksUnifiedTables())
      return image.header(sec).sh_link;
    return numberOf(program.symtab, sec.view());
  case SectionLink::ToolkitNote:
    return numberOf(program.tkinfo, View::Native);
  }
  llvm_unreachable("all cases return");
}

/// What sh_info of a symbol table says: how many symbols at its beginning are
/// local or, below 13.4, weak. A parameter bank's own symbols, at the end of
/// the native table, make all of them count [symbol-order].
static uint32_t countFirstSymbols(const CheckedImage &image, View view) {
  ArrayRef<Symbol *> all = image.meaning.numbered.finalSymbols;
  while (!all.empty() && all.back()->kind == Symbol::Kind::NativeCallee)
    all = all.drop_back();
  if (view == View::Native && !all.empty() && all.back()->isSection())
    return all.size() + 1;
  return image.meaning.numbered.firstGlobalSymbol;
}

static uint32_t infoOf(const CheckedImage &image, const OutputSection &sec) {
  const OutputSection &native = sec.native ? *sec.native : sec;
  switch (sec.facts().info) {
  case SectionInfo::None:
    return 0;
  case SectionInfo::FirstGlobal:
    return countFirstSymbols(image, sec.view());
  case SectionInfo::Code:
    return sec.owner ? numberOf(sec.owner->text, sec.view()) : 0;
  case SectionInfo::Function: {
    const uint32_t registers =
        image.inputs().sm() < FirstCompatSM ? sec.registers : 0;
    return sec.owner->index | registers << 24;
  }
  case SectionInfo::Target:
    return numberOf(native.target, sec.view());
  case SectionInfo::Compat:
    return numberOf(image.program().compat, View::Native);
  }
  llvm_unreachable("all cases return");
}

static void compareHeader(const CheckedImage &image, const OutputSection &sec,
                          Findings &findings) {
  const Elf_Shdr &h = image.header(sec);
  const CheckedPlace at{sec.name, {}, {}};
  const uint32_t info = infoOf(image, sec);
  const bool linksInfo = sec.kind == SectionKind::CubinNote && info;
  findings.text(at, "name", sec.name, image.file.sectionName(sec.index));
  findings.number(at, "sh_type", typeOf(image, sec), h.sh_type);
  findings.number(at, "sh_flags",
                  sec.flags | (linksInfo ? uint64_t(SHF_INFO_LINK) : 0),
                  h.sh_flags);
  findings.number(at, "sh_addr", 0, h.sh_addr);
  findings.number(at, "sh_size", sec.size, h.sh_size);
  if (!hasOddAlignment(sec)) // Compared before.
    findings.number(at, "sh_addralign", sec.align, h.sh_addralign);
  findings.number(at, "sh_entsize", sec.entsize, h.sh_entsize);
  findings.number(at, "sh_link", linkOf(image, sec), h.sh_link);
  findings.number(at, "sh_info", info, h.sh_info);
}

void checkSectionTable(const CheckedImage &image, Findings &findings) {
  const Elf_Shdr &null = image.file.sections()[0];
  const size_t count = image.file.sections().size();
  findings.number({}, "sh_size of section header 0",
                  count > SHN_LORESERVE ? count : 0, null.sh_size);
  for (const OutputSection *sec : image.meaning.numbered.finalSections)
    compareHeader(image, *sec, findings);
}

namespace {
/// Bytes of the file that belong to something.
struct Extent {
  uint64_t begin, end;
  StringRef name;
};
} // namespace

/// A twin may stand for its native section's bytes.
static bool hasBytesOfItsOwn(const CheckedImage &image,
                             const OutputSection &sec) {
  if (sec.isSharedCopy || sec.isNoBits())
    return false;
  const bool isHollow = sec.native && sec.kind == SectionKind::ReservedShared &&
                        image.inputs().rules.finalizerWritesFile();
  return !isHollow;
}

void checkZero(ArrayRef<uint8_t> bytes, uint64_t begin, uint64_t end,
               StringRef section, Findings &findings) {
  end = std::min<uint64_t>(end, bytes.size());
  if (begin >= end)
    return;
  // Bytes are all zero if the first is, and each equals the next one.
  const uint8_t *p = bytes.data() + begin;
  if (!*p && std::memcmp(p, p + 1, end - begin - 1) == 0)
    return;
  while (!bytes[begin])
    ++begin;
  findings.number({section, {}, begin}, "padding", 0, bytes[begin]);
}

/// Checks that no sections overlap in the file, that each is aligned, and that
/// the bytes between them are zero.
void checkPlaces(const CheckedImage &image, Findings &findings) {
  const Elf_Ehdr &h = image.file.header();
  std::vector<Extent> extents = {{0, sizeof(Elf_Ehdr), "ELF header"}};
  auto add = [&](uint64_t begin, uint64_t size, StringRef name) {
    if (size)
      extents.push_back({begin, begin + size, name});
  };
  for (const OutputSection *sec : image.meaning.numbered.finalSections) {
    const Elf_Shdr &shdr = image.header(*sec);
    const uint64_t align = std::max<uint64_t>(sec->align, 1);
    if (sec->isSharedCopy) {
      findings.number({sec->name, {}, {}}, "sh_offset",
                      image.header(*sec->native).sh_offset, shdr.sh_offset);
      continue;
    }
    if (shdr.sh_offset % align)
      findings.add({sec->name, {}, {}}, "sh_offset",
                   ("a multiple of " + Twine(align)).str(),
                   showNumber(shdr.sh_offset));
    if (hasBytesOfItsOwn(image, *sec))
      add(shdr.sh_offset, shdr.sh_size, sec->name);
  }
  add(h.e_shoff, image.file.sections().size() * sizeof(Elf_Shdr),
      "section headers");
  add(h.e_phoff, image.file.programHeaders().size() * sizeof(Elf_Phdr),
      "program headers");
  auto before = [](const Extent &a, const Extent &b) {
    return a.begin < b.begin;
  };
  if (!llvm::is_sorted(extents, before))
    llvm::stable_sort(extents, before);
  for (size_t i = 1; i < extents.size(); ++i) {
    const Extent &last = extents[i - 1], &next = extents[i];
    if (next.begin < last.end) {
      findings.add({next.name, {}, next.begin}, "start of the contents",
                   ("0x" + Twine::utohexstr(last.end) + ", the end of '" +
                    last.name + "', or more")
                       .str(),
                   showNumber(next.begin));
      continue;
    }
    checkZero(arrayRefFromStringRef(image.bytes()), last.end, next.begin, {},
              findings);
  }
  findings.number({}, "size of the file", extents.back().end,
                  image.bytes().size());
}

} // namespace lld::cuda
