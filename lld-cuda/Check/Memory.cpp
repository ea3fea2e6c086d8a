//===- Memory.cpp - --check: places in memory -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// checkMemory() checks what holds of any image, whatever made its layout:
/// variables of a section don't overlap, nor do those that a kernel uses in
/// shared memory, and sections are as large and as aligned as what they contain
/// needs. compare() in Check.cpp calls it after the symbol tables, since it
/// reads the addresses of global variables and constants there. Since it uses
/// nothing that the layout passes have computed but their results, it finds
/// their mistakes.
///
//===----------------------------------------------------------------------===//

#include "Check/Image.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Numbered.h"
#include "Program.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {
/// The place of a variable in a section's memory.
struct MemoryRange {
  uint64_t begin, size;
  StringRef name;

  uint64_t end() const { return begin + size; }
};
} // namespace

static void checkOverlaps(StringRef section, std::vector<MemoryRange> &pieces,
                          Findings &findings) {
  llvm::sort(pieces, [](const MemoryRange &a, const MemoryRange &b) {
    return std::tie(a.begin, a.size, a.name) <
           std::tie(b.begin, b.size, b.name);
  });
  for (size_t i = 1; i < pieces.size(); ++i) {
    const MemoryRange &last = pieces[i - 1], &next = pieces[i];
    if (next.begin < last.end())
      findings.add({section, next.name, next.begin}, "address",
                   ("after '" + last.name + "', which ends at 0x" +
                    Twine::utohexstr(last.end()))
                       .str(),
                   showNumber(next.begin));
  }
}

static bool isGlobalMemory(SectionKind kind) {
  return kind == SectionKind::Global || kind == SectionKind::GlobalInit ||
         kind == SectionKind::UserConstants;
}

/// Variables in global memory and in constants, as the output's symbols say.
static void checkVariables(const CheckedImage &image, Findings &findings) {
  const auto &sections = image.meaning.numbered.finalSections;
  const CubinSymbolTable &table = image.symbols(View::Native);
  std::vector<std::vector<MemoryRange>> pieces(sections.size());
  for (size_t i = 1; i != table.symbols.size(); ++i) {
    const Elf_Sym &sym = table.symbols[i];
    const uint32_t section = table.sectionIndex(i);
    const bool isVariable =
        sym.getType() == STT_OBJECT || sym.getType() == STT_CUDA_OBJECT;
    if (!isVariable || !section || section > sections.size() || !sym.st_size ||
        !isGlobalMemory(sections[section - 1]->kind))
      continue;
    pieces[section - 1].push_back({sym.st_value, sym.st_size, table.name(sym)});
  }
  for (size_t i = 0; i != sections.size(); ++i) {
    for (const MemoryRange &p : pieces[i])
      if (p.end() > image.header(*sections[i]).sh_size)
        findings.number({sections[i]->name, p.name, p.begin},
                        "end of the section", p.end(),
                        image.header(*sections[i]).sh_size);
    checkOverlaps(sections[i]->name, pieces[i], findings);
  }
}

/// Shared variables that a kernel's own code refers to: they don't overlap, and
/// the kernel's section has room for them.
static void checkShared(const CheckedImage &image, Findings &findings) {
  if (image.inputs().isRelocatable())
    return;
  for (const Function &f : image.program().functions) {
    if (!f.isKernel() || !f.shared || !f.shared->written)
      continue;
    std::vector<MemoryRange> pieces;
    DenseSet<const Variable *> seen;
    auto add = [&](const Variable *v) {
      if (v->address && v->defined && v->size && seen.insert(v).second)
        pieces.push_back({*v->address, v->size, v->name});
    };
    for (const Variable *v : f.sharedUses)
      add(v);
    const uint64_t size = image.header(*f.shared).sh_size;
    for (const MemoryRange &p : pieces)
      if (p.end() > size)
        findings.number({f.shared->name, p.name, p.begin}, "size (at least)",
                        p.end(), size);
    checkOverlaps(f.shared->name, pieces, findings);
  }
}

/// A kernel's bank holds its parameters, which a record of its input places.
static void checkParameters(const CheckedImage &image, Findings &findings) {
  using namespace support::endian;
  for (const Function &f : image.program().functions) {
    if (!f.constant0 || !f.constant0->written)
      continue;
    const uint64_t size = image.header(*f.constant0).sh_size;
    for (const InfoRecord &r : f.infoRecords[unsigned(View::Native)]) {
      if (r.record.code != EIATTR_PARAM_CBANK || r.record.wordCount() < 2)
        continue;
      const uint8_t *place = r.record.payload.data() + 4;
      const uint64_t end = uint64_t(read16le(place)) + read16le(place + 2);
      if (end > size)
        findings.number({f.constant0->name, f.name, {}}, "size (at least)", end,
                        size);
    }
  }
}

/// Checks that a section is aligned at least as those of its inputs.
static void checkAlignments(const CheckedImage &image, Findings &findings) {
  for (const ObjectFile &obj : image.program().objects)
    for (unsigned i = 1; i < obj.file.sections().size(); ++i) {
      const SectionPlacement p = obj.placement(i);
      if (!p.section || !p.section->written || p.section->writesMoved() ||
          p.section->isNoBits() || p.section->kind == SectionKind::Stub ||
          (p.section->native && p.section->native->writesMoved()))
        continue;
      const uint64_t align = obj.file.sections()[i].sh_addralign;
      const uint64_t found = image.header(*p.section).sh_addralign;
      if (found < align)
        findings.number({p.section->name, {}, {}},
                        "sh_addralign (at least that of the input)", align,
                        found);
    }
}

void checkMemory(const CheckedImage &image, Findings &findings) {
  // nvlink loses the places of constants that it merges.
  if (!image.inputs().rules.mergesEqualConstantsWhenPruning())
    checkVariables(image, findings);
  checkShared(image, findings);
  checkParameters(image, findings);
  checkAlignments(image, findings);
}

} // namespace lld::cuda
