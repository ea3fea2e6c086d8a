//===- LayoutUserConstants.cpp - The bank of __constant__ variables -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// layoutUserConstants() lays out bank 3 (.nv.constant3), which has the
/// program's __constant__ variables, and reports an error if it needs more than
/// 64 KiB. The merge has put the inputs' sections one after the other, and
/// mostly that stays. Only if the bank is too large, a final link places
/// variable by variable: bytes without a symbol are left out and, when kernels
/// are pruned, variables that nothing refers to [constants-laid-out-anew].
/// layoutImage() in Link.cpp calls it after layoutShared().
///
//===----------------------------------------------------------------------===//

#include "Explain/Explain.h"
#include "Input/InputFiles.h"
#include "Input/NamePatterns.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Layout.h"
#include "Layout/ListSort.h"
#include "Layout/UserConstants.h"
#include "Passes.h"
#include "Program.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {
/// How nvlink looks at one input's contribution to the user bank.
enum class ConstantKind { Word, DoubleWord, Block, Other };
} // namespace

static ConstantKind getConstantKind(const SectionPart &part) {
  static constexpr uint64_t BlockSizes[] = {12, 16, 20, 24, 32, 48, 64};
  const uint64_t size = part.bytes.size();
  if (size == 4 && part.align == 4)
    return ConstantKind::Word;
  if (size == 8 && part.align == 8)
    return ConstantKind::DoubleWord;
  return is_contained(BlockSizes, size) ? ConstantKind::Block
                                        : ConstantKind::Other;
}

/// When kernels are pruned, nvlink merges equal constants: words and double
/// words that aren't zero, and blocks of some sizes and equal alignment. It
/// takes each input's whole contribution for one constant, gives symbol 0 the
/// offset of each that it places, and moves what follows a merged one without
/// telling symbols or code: they read other bytes than they should
/// [constants-merged-when-pruning]. So contributions are merged only with
/// --nvlink-compat; symbol 0 gets its value always.
static void mergeEqualConstants(const Inputs &inputs, Program &program,
                                OutputSection &bank) {
  MapVector<CachedHashStringRef, SmallVector<uint64_t, 1>> alignments;
  uint64_t cursor = 0;
  for (SectionPart &part : bank.parts) {
    const ConstantKind kind = getConstantKind(part);
    StringRef bytes = toStringRef(part.bytes);
    const bool isZero = bytes.find_first_not_of('\0') == StringRef::npos;
    bool isKnown = false;
    if (kind != ConstantKind::Other &&
        (kind == ConstantKind::Block || !isZero)) {
      auto &known = alignments[CachedHashStringRef(bytes)];
      isKnown = is_contained(known, part.align);
      if (!isKnown)
        known.push_back(part.align);
    }
    if (isKnown && inputs.rules.mergesEqualConstantsWhenPruning()) {
      part.isDropped = true;
      part.offset = cursor;
      continue;
    }
    part.offset = alignTo(cursor, part.align);
    cursor = part.offset + part.bytes.size();
    if (kind != ConstantKind::Other && !isKnown)
      program.nullSymbolValue = part.offset;
  }
  bank.size = cursor;
}

bool isNullSymbolOfConstant(const Inputs &inputs, const Program &program) {
  const OutputSection *bank =
      findNamedSection(program, SectionKind::UserConstants);
  return bank && program.prunesKernels && inputs.rules.seesEqualConstants() &&
         !bank->writesMoved() &&
         any_of(bank->parts, [](const SectionPart &part) {
           return getConstantKind(part) != ConstantKind::Other;
         });
}

namespace {

/// Which constants a pruned link keeps: those that code and data refer to, and
/// those that --variables-used or host code names.
class UsedConstants {
public:
  UsedConstants(const Inputs &inputs, Program &program, OutputSection &bank)
      : inputs(inputs), program(program), bank(bank) {}
  void mark();

private:
  void addNamed();
  void addReferences(const OutputSection &sec);
  void add(const ObjectFile &file, uint32_t symbolIndex);

  const Inputs &inputs;
  Program &program;
  OutputSection &bank;
  std::vector<Variable *> constants; ///< Of the bank.
  DenseSet<uint32_t> keepsAllOf;     ///< Ordinals of inputs.
};

/// The layout of a bank that is too large: variable by variable.
class LargeBank {
public:
  LargeBank(const Inputs &inputs, Program &program, OutputSection &bank);
  void run();

private:
  /// A constant that stays.
  struct LargeConstant {
    Variable *variable;
    uint64_t align; ///< The order's first key.
    uint64_t size;
    uint64_t step;         ///< nvlink puts it at a multiple of that,
    uint64_t natural;      ///< and the compiler at one of that.
    uint64_t compiled = 1; ///< How it is aligned in the input, as told there.
    uint64_t offset = 0;
  };

  void collect();
  LargeConstant makePlace(Variable &v, bool isGlobal) const;
  const SectionPart *partOf(const Variable &v) const;
  void placeAll();
  void place();
  void placeByAlignment();
  void warnMisaligned() const;
  void move();

  const Inputs &inputs;
  Program &program;
  OutputSection &bank;
  const bool keepsUsedOnly;
  std::vector<LargeConstant> places;
};

} // namespace

void UsedConstants::mark() {
  for (Variable &v : program.variables)
    if (v.defined && v.section == &bank) {
      v.isLeftOut = true;
      constants.push_back(&v);
    }
  addNamed();
  for (const OutputSection *sec : program.sections)
    if (sec->reachable)
      addReferences(*sec);
  for (Variable *v : constants) {
    v->isLeftOut &= !keepsAllOf.contains(v->definedIn);
    if (v->isLeftOut)
      v->other |= STV_INTERNAL;
  }
}

void UsedConstants::addNamed() {
  NamePatterns external, internal;
  if (!inputs.config.hasKernelFilter())
    for (const InputFile &file : inputs.files)
      for (const InputUnit &unit : file.units) {
        external.add(unit.host.constantsExternal);
        internal.add(unit.host.constantsInternal);
      }
  const auto &filter = inputs.config.variablesUsed;
  for (Variable *v : constants)
    if ((filter && matchesKernelFilter(v->name, *filter)) ||
        (v->isLocal() ? internal : external).matches(v->name))
      v->isLeftOut = false;
  for (const auto *names :
       {&inputs.config.lld.undefinedNames, &inputs.config.lld.requiredNames})
    for (const std::string &name : *names) {
      Symbol *s = program.named.lookup(hashed(name));
      if (s && s->isVariable())
        static_cast<Variable *>(s)->isLeftOut = false;
    }
}

void UsedConstants::add(const ObjectFile &file, uint32_t symbolIndex) {
  Symbol *s = file.symbols[symbolIndex];
  if (s && s->isVariable())
    static_cast<Variable *>(s)->isLeftOut = false;
  uint64_t base;
  s = file.resolve(symbolIndex, base);
  // No compiler refers to the section; then all of that input's stays.
  if (s && s->isSection() && s->section == &bank)
    keepsAllOf.insert(file.ordinal);
}

/// Notes what a section's relocations refer to. References from debug
/// information count, too, and those from constants that are left out.
void UsedConstants::addReferences(const OutputSection &sec) {
  const bool isText = sec.owner && sec.owner->text == &sec;
  for (const RelocationGroup &g : sec.relocations) {
    if (isText && g.file->ordinal != sec.owner->definedIn)
      continue;
    if (g.file->file.sections()[g.inputSection].sh_type == SHT_RELA)
      for (const Elf_Rela &r : g.file->relas(g.inputSection))
        add(*g.file, r.getSymbol(false));
    else
      for (const Elf_Rel &r : g.file->file.rels(g.inputSection))
        add(*g.file, r.getSymbol(false));
  }
}

LargeBank::LargeBank(const Inputs &inputs, Program &program,
                     OutputSection &bank)
    : inputs(inputs), program(program), bank(bank),
      keepsUsedOnly(program.prunesKernels) {}

void LargeBank::run() {
  if (keepsUsedOnly)
    UsedConstants(inputs, program, bank).mark();
  collect();
  if (inputs.diag.stopped())
    return;
  placeAll();
  warnMisaligned();
  move();
}

void LargeBank::collect() {
  auto add = [&](ArrayRef<Symbol *> symbols, bool areGlobal) {
    for (Symbol *s : symbols) {
      if (!s->isVariable() || !s->defined || s->section != &bank)
        continue;
      auto &v = static_cast<Variable &>(*s);
      if (v.isLeftOut)
        continue;
      if (!partOf(v))
        return inputs.diag.report(
            DiagId::DamagedInput,
            {diag::file(program.objects[v.definedIn].label), ": constant ",
             diag::symbol(v.name), " reaches beyond the end of its section"});
      places.push_back(makePlace(v, areGlobal));
    }
  };
  add(program.locals, /*areGlobal=*/false);
  add(program.globals, /*areGlobal=*/true);
}

const SectionPart *LargeBank::partOf(const Variable &v) const {
  auto next = upper_bound(bank.parts, v.value,
                          [](uint64_t offset, const SectionPart &part) {
                            return offset < part.offset;
                          });
  if (next == bank.parts.begin())
    return nullptr;
  const SectionPart &part = *std::prev(next);
  const uint64_t offset = v.value - part.offset, size = part.bytes.size();
  return offset <= size && v.size <= size - offset ? &part : nullptr;
}

/// nvlink doesn't know how a constant is aligned. It takes the size for it, up
/// to 8 bytes; for one that stands among the local symbols, 1 when kernels are
/// pruned [constants-aligned-by-size].
LargeBank::LargeConstant LargeBank::makePlace(Variable &v,
                                              bool isGlobal) const {
  constexpr uint64_t MaxAlign = 8;
  const uint64_t bySize = std::min(v.size, MaxAlign);
  LargeConstant p{&v, isGlobal ? bySize : 0, v.size, 1, 1};
  p.step = std::max<uint64_t>(keepsUsedOnly ? p.align : bySize, 1);
  if (!inputs.rules.alignsConstantsBySize()) {
    const SectionPart &part = *partOf(v);
    p.natural = p.compiled = MinAlign(part.align, v.value - part.offset);
  }
  return p;
}

/// In nvlink's order; where padding makes that too large, the most aligned ones
/// first; then with no more alignment than a type of that size can have, which
/// takes no padding. If that is too large, too, nvlink's places are, and the
/// error tells nvlink's size.
void LargeBank::placeAll() {
  sortLikeNvlink(places, byAlignment<LargeConstant>);
  const std::vector<LargeConstant> likeNvlink = places;
  place();
  if (bank.size <= MaxConstantBank || inputs.rules.alignsConstantsBySize())
    return;
  placeByAlignment();
  if (bank.size > MaxConstantBank) {
    for (LargeConstant &p : places)
      p.natural = MinAlign(p.natural, p.size);
    placeByAlignment();
  }
  if (bank.size <= MaxConstantBank)
    return;
  places = likeNvlink;
  for (LargeConstant &p : places)
    p.natural = 1;
  place();
}

void LargeBank::placeByAlignment() {
  llvm::stable_sort(places, [](const LargeConstant &a, const LargeConstant &b) {
    return a.natural > b.natural;
  });
  for (LargeConstant &p : places)
    p.step = 1;
  place();
}

void LargeBank::place() {
  bank.size = 0;
  for (LargeConstant &p : places) {
    p.offset = alignTo(alignTo(bank.size, p.step), p.natural);
    bank.size = p.offset + p.size;
  }
}

/// A load of up to 16 bytes, no wider than the constant, which fits its place
/// in the input but not the new one. (`__align__(16) char a[20]`: what a type
/// of 20 bytes can have is 4.)
void LargeBank::warnMisaligned() const {
  constexpr uint64_t WidestLoad = 16;
  if (inputs.rules.alignsConstantsBySize() || bank.size > MaxConstantBank)
    return;
  for (const LargeConstant &p : places) {
    const uint64_t wanted =
        std::min({p.compiled, bit_floor(p.size), WidestLoad});
    if (wanted <= 1 || p.offset % wanted == 0)
      continue;
    const Variable &v = *p.variable;
    inputs.diag.report(
        DiagId::MisalignedConstant,
        {"Constant ", diag::symbol(v.name), " in ",
         diag::file(program.objects[v.definedIn].label), " is at offset ",
         diag::hex(p.offset), ", which isn't a multiple of ", wanted,
         ", as the compiler assumed: wide loads of it would trap"});
    inputs.diag.explain(
        "the constant bank of 64 KiB has no room for padding; make its size (" +
        Twine(p.size) + " bytes) a multiple of " + Twine(wanted) +
        ", or use fewer constants");
  }
}

void LargeBank::move() {
  std::vector<MovedBlock> &moved = bank.makeExtras().moved;
  bank.extras->writesMoved = true;
  bank.align = 1;
  for (const LargeConstant &p : places) {
    bank.align = std::max({bank.align, p.align, p.natural});
    moved.push_back({p.variable->value, p.offset, p.size});
    p.variable->value = p.offset;
  }
  llvm::stable_sort(moved, [](const MovedBlock &a, const MovedBlock &b) {
    return a.before < b.before;
  });
  if (places.empty())
    for (OutputSection *sec : {&bank, bank.rel, bank.rela})
      if (sec)
        sec->reachable = false;
}

static void checkSize(const Inputs &inputs, Program &program,
                      const OutputSection *bank) {
  if (!bank || bank->size <= MaxConstantBank)
    return;
  inputs.diag.report(DiagId::ConstantLimit,
                     {"File uses too much global constant data (",
                      diag::hex(bank->size), " bytes, ",
                      diag::hex(MaxConstantBank), " max)"});
  explainSection(inputs, program, *bank, MaxConstantBank);
}

void layoutUserConstants(const Inputs &inputs, Program &program) {
  OutputSection *bank = findNamedSection(program, SectionKind::UserConstants);
  if (bank && bank->size > MaxConstantBank && !inputs.isRelocatable())
    LargeBank(inputs, program, *bank).run();
  else if (bank && program.prunesKernels && inputs.rules.seesEqualConstants())
    mergeEqualConstants(inputs, program, *bank);
  for (Variable *v : program.constantSizeSymbols)
    v->value = bank ? bank->size : ~uint64_t(0);
  checkSize(inputs, program, bank);
  checkSize(inputs, program, findNamedSection(program, SectionKind::Addresses));
}

} // namespace lld::cuda
