//===- SymbolTables.cpp - --check: symbol tables --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// checkSymbolTables() compares .symtab, and from sm_100 on .nv.merc.symtab,
/// with the link's final symbols: name, binding, type, st_other, section, value
/// and size of each. compare() in Check.cpp calls it before all parts that find
/// a symbol by its number. The two tables have the same symbols with different
/// values: a function's value is 0 natively and an offset in Mercury code, and
/// a shared variable's address counts from the start of shared memory natively,
/// but in the Mercury view from the end of the part that the driver reserves
/// [shared-reserved-variables].
///
//===----------------------------------------------------------------------===//

#include "Check/Image.h"
#include "Inputs.h"
#include "Layout.h"
#include "Numbered.h"
#include "Program.h"
#include "Twins.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {
/// What an entry of a symbol table must contain.
struct Entry {
  StringRef name;
  uint8_t type, other;
  uint32_t section = 0; ///< Or a reserved number.
  uint64_t value = 0, size = 0;
};

class SymbolChecker {
public:
  SymbolChecker(const CheckedImage &image, Findings &findings)
      : image(image), inputs(image.inputs()), findings(findings) {}
  void run(View view, size_t count);

private:
  Entry expect(const Symbol &s, View view) const;
  void describeFunction(const Symbol &s, View view, Entry &e) const;
  void describeVariable(const Variable &v, Entry &e) const;
  void describeMercuryVariable(const Variable &v, Entry &e) const;
  void check(const Symbol &s, uint32_t index, View view);

  const CheckedImage &image;
  const Inputs &inputs;
  Findings &findings;
};
} // namespace

static uint32_t sectionOf(const Symbol &s, View view) {
  const OutputSection *sec = s.section;
  if (!sec || !sec->written)
    return SHN_UNDEF;
  const bool hasTwin = sec->mercury && sec->mercury->written;
  return view == View::Mercury && hasTwin ? sec->mercury->index : sec->index;
}

/// The name that nvlink's merge has for sections which its finalizer renames
/// stays in the Mercury view; since 13.5 that of literals in both.
static StringRef writtenName(const Inputs &inputs, const Symbol &s, View view,
                             std::string &buffer) {
  if (!s.isSection() || !inputs.isMercury())
    return s.name;
  const bool isRenamed =
      view == View::Mercury || (inputs.rules.finalizerWritesFile() &&
                                s.section->kind == SectionKind::Literals);
  if (isRenamed)
    buffer = getMergeName(*s.section);
  return isRenamed && !buffer.empty() ? StringRef(buffer) : s.name;
}

/// Offsets in code; a function's own is 0 natively.
void SymbolChecker::describeFunction(const Symbol &s, View view,
                                     Entry &e) const {
  if (view == View::Mercury) {
    e.value = s.mercuryValue;
    e.size = s.mercurySize;
  } else {
    e.value = s.isFunction() ? 0 : s.value;
    e.size = s.size;
    const Function *target =
        s.isFunction() ? static_cast<const Function &>(s).aliasOf : nullptr;
    if (target && inputs.isMercury() && s.index < target->index &&
        inputs.rules.namesCodeByAlias())
      e.size = target->size;
  }
  if (e.section == SHN_UNDEF)
    e.size = 0;
}

/// Images don't tell memory spaces, and have ordinary types.
void SymbolChecker::describeVariable(const Variable &v, Entry &e) const {
  e.value = v.value;
  e.size = v.size;
  if (v.isCommon && !v.section) {
    e.section = SHN_COMMON;
    e.value = v.alignment;
  }
  if (inputs.isRelocatable())
    return;
  if (v.isTexture() && !v.defined && !v.keptForDebugger) {
    e.other = 0;
    return;
  }
  if (!v.defined && !v.keptForDebugger)
    return;
  if (e.type == STT_CUDA_OBJECT)
    e.type = STT_OBJECT;
  e.other &= ~STO_CUDA_SPACE_MASK;
  if (isKeptForRelocations(inputs, v))
    e.other |= STV_INTERNAL;
}

/// In Mercury code, addresses in shared memory count from the end of the part
/// that the driver reserves [shared-reserved-variables].
void SymbolChecker::describeMercuryVariable(const Variable &v, Entry &e) const {
  e.value = v.value;
  e.size = v.size;
  if (v.isTexture())
    e.other = 0;
  if (isKeptForRelocations(inputs, v))
    e.other |= STV_INTERNAL;
  if (v.name.starts_with(".nv.reservedSmem."))
    e.value = 0;
  else if (inputs.isRelocatable())
    return;
  else if (v.space() == STO_CUDA_RESERVED_SHARED)
    e.value = v.defined ? v.value - DriverSharedSize : 0;
  else if (v.isShared() && v.address)
    e.value = *v.address;
}

Entry SymbolChecker::expect(const Symbol &s, View view) const {
  Entry e{s.name, s.type, s.other, sectionOf(s, view)};
  switch (s.kind) {
  case Symbol::Kind::Section:
    break;
  case Symbol::Kind::Function:
  case Symbol::Kind::InnerFunction:
    describeFunction(s, view, e);
    break;
  case Symbol::Kind::NativeCallee:
    e.value = s.value;
    e.size = s.size;
    break;
  case Symbol::Kind::Variable:
    if (auto &v = static_cast<const Variable &>(s); view == View::Mercury)
      describeMercuryVariable(v, e);
    else
      describeVariable(v, e);
  }
  return e;
}

void SymbolChecker::check(const Symbol &s, uint32_t index, View view) {
  const CubinSymbolTable &table = image.symbols(view);
  const Elf_Sym &found = table.symbols[index];
  std::string buffer;
  Entry e = expect(s, view);
  e.name = writtenName(inputs, s, view, buffer);
  const CheckedPlace at{
      e.section && s.section ? s.section->name : StringRef(), s.name, {}};
  findings.text(at, "st_name", e.name, table.name(found));
  findings.number(at, "binding", s.binding, found.getBinding());
  findings.number(at, "symbol type", e.type, found.getType());
  findings.number(at, "st_other", e.other, found.st_other);
  findings.number(at, "st_shndx", e.section, table.sectionIndex(index));
  findings.number(at, "st_value", e.value, found.st_value);
  findings.number(at, "st_size", e.size, found.st_size);
}

void SymbolChecker::run(View view, size_t count) {
  const CubinSymbolTable &table = image.symbols(view);
  findings.number({},
                  view == View::Native ? "number of symbols"
                                       : "number of Mercury symbols",
                  count + 1, table.symbols.size());
  if (table.symbols.size() != count + 1)
    return;
  const Elf_Sym &null = table.symbols[0];
  findings.number({}, "st_value of symbol 0", image.program().nullSymbolValue,
                  null.st_value);
  findings.number({}, "fields of symbol 0 other than st_value", 0,
                  null.st_name | null.st_info | null.st_other | null.st_shndx |
                      null.st_size);
  for (size_t i = 0; i != count; ++i)
    check(*image.meaning.numbered.finalSymbols[i], i + 1, view);
}

/// .symtab_shndx: below sm_100 it has for each symbol the number that its
/// section had when it was made [extended-indices].
static void checkCreationNumbers(const CheckedImage &image,
                                 Findings &findings) {
  const auto indices = image.symbols(View::Native).extendedIndices;
  const auto &symbols = image.meaning.numbered.finalSymbols;
  if (indices.empty() || image.inputs().isMercury())
    return;
  for (size_t i = 0; i != symbols.size() && i + 1 < indices.size(); ++i) {
    const OutputSection *sec = symbols[i]->section;
    if (!sec || !sec->written || sec->index >= SHN_LORESERVE)
      continue;
    findings.number({".symtab_shndx", symbols[i]->name, 4 * (i + 1)},
                    "creation number of the symbol's section",
                    sec->creationIndex, indices[i + 1]);
  }
}

void checkSymbolTables(const CheckedImage &image, Findings &findings) {
  const Numbered &numbered = image.meaning.numbered;
  SymbolChecker checker(image, findings);
  checker.run(View::Native, numbered.finalSymbols.size());
  checkCreationNumbers(image, findings);
  if (!image.inputs().isMercury())
    return;
  checker.run(View::Mercury, getMercurySymbolCount(numbered));
}

} // namespace lld::cuda
