//===- MergeFunctions.cpp - Functions of an object, and selection ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The first pass over an object that is merged: mergeFunctions(), which
/// Merger::run() in Merge.cpp calls, goes over the function symbols in the
/// order of the symbol table. The first mention of a function creates it, and
/// its definition creates its sections; Resolution.h says which of several
/// definitions counts [merge-passes].
///
/// A function that is replaced by a later object's definition keeps its place
/// in every list. Its edges in the call graph stay, too ("stale edges"): what
/// the first definition called counts as reachable in the image
/// [call-graph-stale-edges].
///
//===----------------------------------------------------------------------===//

#include "Companions.h"
#include "Explain/Explain.h"
#include "Input/NamePatterns.h"
#include "Inputs.h"
#include "Merge/Merge.h"
#include "Merge/NativeCallees.h"
#include "Merge/Resolution.h"
#include "Twins.h"
#include "lld-cuda/BinaryFormat/DriverFunctions.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

void Merger::mergeFunctions() {
  const size_t count = file.symtab().symbols.size();
  // The first inner function of a section, or alias, pulls the section's owner
  // before itself [inner-functions], [alias-functions].
  BitVector done;
  const bool localsFirst =
      inputs.isMercury() && inputs.rules.readsLocalsFirst();
  auto isLocal = [&](unsigned i) { return sym(i).getBinding() == STB_LOCAL; };
  auto comesLater = [&](uint32_t owner, unsigned i) {
    return localsFirst && isLocal(owner) != isLocal(i) ? isLocal(i) : owner > i;
  };
  const size_t mercuryCount =
      obj.hasMercury() ? file.mercurySymtab().symbols.size() : count;
  auto merge = [&](unsigned i) {
    if (i >= mercuryCount && sym(i).st_shndx == SHN_UNDEF &&
        mayStayUndefined(symName(i)))
      return addNativeCallee(i);
    const uint32_t owner = otherOwner(i);
    const bool isBeforeOwner = owner && comesLater(owner, i);
    if (isBeforeOwner && done.empty())
      done.resize(count);
    if (isBeforeOwner && !done.test(owner)) {
      mergeFunction(owner);
      done.set(owner);
    }
    if (isBeforeOwner && !isInnerFunction(i) && obj.symbols[owner])
      obj.knownByAlias.insert(obj.symbols[owner]);
    if (owner && isInnerFunction(i))
      addInnerFunction(owner, i);
    else if (done.empty() || !done.test(i))
      mergeFunction(i);
  };
  for (unsigned i = 1; i < count; ++i)
    if (sym(i).getType() == STT_FUNC && (!localsFirst || isLocal(i)))
      merge(i);
  for (unsigned i = 1; i < count && localsFirst; ++i)
    if (sym(i).getType() == STT_FUNC && !isLocal(i))
      merge(i);
}

bool Merger::isInnerFunction(unsigned i) const {
  return sym(i).getBinding() == STB_LOCAL && sym(i).st_value != 0;
}

uint32_t Merger::otherOwner(unsigned i) const {
  if (sym(i).st_shndx == SHN_UNDEF || file.isCommon(i))
    return 0;
  uint32_t section = file.sectionIndex(i);
  uint32_t owner = section < obj.textOwner.size() ? obj.textOwner[section] : 0;
  return owner == i ? 0 : owner;
}

void Merger::addInnerFunction(unsigned owner, unsigned i) {
  Symbol *f = obj.symbols[owner];
  if (obj.isLost(owner) || !f || !f->isFunction())
    return;
  auto *inner =
      new (inputs.memory.arena) Symbol(Symbol::Kind::InnerFunction, symName(i),
                                       STB_LOCAL, STT_FUNC, sym(i).st_other);
  inner->section = static_cast<Function *>(f)->text;
  inner->value = sym(i).st_value;
  inner->size = sym(i).st_size;
  if (obj.hasMercury() && i < file.mercurySymtab().symbols.size()) {
    const Elf_Sym &mercury = file.mercurySymtab().symbols[i];
    inner->mercuryValue = mercury.st_value;
    inner->mercurySize = mercury.st_size;
  }
  inner->defined = true;
  inner->definedIn = inner->mentionedIn = obj.ordinal;
  obj.symbols[i] = inner;
  program.locals.push_back(inner);
}

void Merger::addNativeCallee(unsigned i) {
  Symbol *&s = program.nativeCallees->byName[CachedHashStringRef(symName(i))];
  if (!s) {
    s = new (inputs.memory.arena)
        Symbol(Symbol::Kind::NativeCallee, symName(i), sym(i).getBinding(),
               STT_FUNC, sym(i).st_other);
    s->mentionedIn = obj.ordinal;
  }
  obj.symbols[i] = s;
}

void Merger::multipleDefinition(const Symbol &existing, unsigned i) {
  if (inputs.config.lld.allowMultipleDefinition)
    return;
  inputs.diag.report(DiagId::MultipleDefinition,
                     {"Multiple definition of ", diag::symbol(existing.name),
                      " in ", diag::file(obj.label), ", first defined in ",
                      diag::file(labelOf(existing.definedIn))});
  explainMultipleDefinition(inputs, program, existing, obj, i);
}

void Merger::reportNotDeclaredGlobal(unsigned i) {
  inputs.diag.report(DiagId::NotDeclaredGlobal,
                     {"Function ", diag::symbol(symName(i)),
                      " not declared __global__ in all source files"});
}

/// An extern array counts as a definition where kinds or spaces don't agree
/// [merge-errors-add-up].
bool Merger::isDefinedForErrors(const Symbol &s) {
  return s.defined || (s.isVariable() && s.size == 0 &&
                       (s.other & STO_CUDA_SPACE_MASK) == STO_CUDA_SHARED);
}

/// Reports what two mentions of a name don't agree on. False: they can't be one
/// function.
bool Merger::checkMention(const Symbol &existing, unsigned i) {
  const Elf_Sym &in = sym(i);
  const StringRef first = labelOf(existing.mentionedIn);
  switch (compareKinds(
      {existing.isFunction(), existing.isVariable(), existing.other},
      {true, false, in.st_other})) {
  case Agreement::Agree:
    return true;
  case Agreement::OtherSpace:
    if (in.st_other & STO_CUDA_ENTRY)
      reportNotDeclaredGlobal(i);
    inputs.diag.report(DiagId::MemorySpaceMismatch,
                       {"Memory space doesn't match for ",
                        diag::symbol(symName(i)), " in ", diag::file(obj.label),
                        ", first specified in ", diag::file(first)});
    explainMismatch(inputs, program, existing.name, existing.mentionedIn,
                    describeMemorySpace(existing), obj, "a function");
    if (existing.binding == STB_GLOBAL && isDefinedForErrors(existing) &&
        in.getBinding() == STB_GLOBAL && in.st_shndx != SHN_UNDEF)
      multipleDefinition(existing, i);
    return false;
  case Agreement::OtherKind:
    break;
  }
  reportNotDeclaredGlobal(i);
  auto kind = [](uint8_t other) {
    return other & STO_CUDA_ENTRY ? "a kernel" : "a device function";
  };
  explainMismatch(inputs, program, existing.name, existing.mentionedIn,
                  kind(existing.other), obj, kind(in.st_other));
  return true;
}

/// Makes a function that isn't in a list of symbols yet.
Function &Merger::makeFunction(unsigned i) {
  const Elf_Sym &in = sym(i);
  Function &f = program.functions.emplace_back(symName(i), in.getBinding(),
                                               program.functions.size());
  f.mentionedIn = f.definedIn = obj.ordinal;
  f.other = in.st_other;
  obj.symbols[i] = &f;
  return f;
}

Function &Merger::createFunction(unsigned i) {
  Function &f = makeFunction(i);
  program.symbolList(inputs.rules, f.binding).push_back(&f);
  return f;
}

/// The "section symbol" of a function that no object before has mentioned, and
/// that isn't defined here: one for an object, in place of its symbol 0
/// [cuda12-nameless-symbols].
void Merger::addNamelessSymbol(const Function &f) {
  if (!hasNamelessNode)
    program.namelessNodes.push_back(f.ordinal);
  hasNamelessNode = true;
  if (obj.symbols[0] || !(inputs.config.debug || inputs.config.preserveRelocs))
    return;
  auto *nameless = new (inputs.memory.arena)
      Symbol(Symbol::Kind::InnerFunction, "", STB_LOCAL, STT_FUNC, 0);
  nameless->definedIn = nameless->mentionedIn = obj.ordinal;
  obj.symbols[0] = nameless;
  program.locals.push_back(nameless);
}

void Merger::mergeFunction(unsigned i) {
  const bool isDefined = sym(i).st_shndx != SHN_UNDEF;
  // Local ones of one name stay apart [symbol-same-local-names].
  Symbol **slot = nullptr;
  if (sym(i).getBinding() != STB_LOCAL)
    slot = &program.named[hashed(symName(i))];
  if (!slot || !*slot) {
    Function &f = createFunction(i);
    if (slot) {
      *slot = &f;
      f.hasUniqueName = canBeUniqueName(f.name);
    }
    if (isDefined)
      defineFunction(f, i);
    else if (inputs.rules.leavesNamelessSymbols())
      addNamelessSymbol(f);
    return;
  }
  if (!checkMention(**slot, i))
    return;
  auto &f = static_cast<Function &>(**slot);
  obj.symbols[i] = &f;
  if (isDefined && !f.defined) {
    f.definedIn = obj.ordinal;
    defineFunction(f, i);
  } else if (isDefined) {
    redefineFunction(f, i);
  }
}

/// Decides between the definition in force and a further one of the name
/// [weak-selection]. CUDA 12 reads register counts elsewhere [cuda12-weak].
void Merger::redefineFunction(Function &f, unsigned i) {
  const uint8_t binding = sym(i).getBinding();
  if (f.binding == STB_WEAK && binding == STB_WEAK)
    set(metWeak, i);
  const bool isAlias = obj.textOwner[file.sectionIndex(i)] != i;
  const bool readsHeader = inputs.rules.readsRegistersInHeader();
  const Resolution result = resolveFunctions(
      {f.binding, !f.text,
       readsHeader && f.text ? f.text->registers : f.registers, f.virtualArch},
      {binding, isAlias, readsHeader ? headerRegisters(i) : registerCount(i),
       obj.compiledFor.virtualArch});
  if (result == Resolution::Replace)
    return replaceFunction(f, i);
  if (result == Resolution::Duplicate)
    multipleDefinition(f, i);
  set(obj.lost, i);
  if (f.binding == STB_GLOBAL)
    set(lostToStrong, i);
}

uint32_t Merger::headerRegisters(unsigned i) const {
  return file.sections()[file.sectionIndex(i)].sh_info >> 24;
}

uint32_t Merger::registerCount(unsigned i) const {
  const uint32_t inSection = headerRegisters(i);
  return inSection                   ? inSection
         : i < registerCounts.size() ? registerCounts[i]
                                     : 0;
}

static bool isWanted(const Inputs &inputs, StringRef name) {
  const Config &config = inputs.config;
  if (!inputs.rules.appliesKernelFilter())
    return true;
  if (!config.hasKernelFilter() || (config.debug && !config.suppressDebugInfo))
    return true;
  return config.kernelsUsed && matchesKernelFilter(name, *config.kernelsUsed);
}

void Merger::createInfoSection(Function &f, StringRef name) {
  if (f.info)
    return;
  f.info = createSection(inputs, made, SectionKind::FunctionInfo, name, &f);
  markIfNamedAfter(*f.info, InfoPrefix, f);
}

void Merger::markIfNamedAfter(OutputSection &sec, StringRef prefix,
                              const Function &f) {
  if (f.hasUniqueName && sec.name.size() == prefix.size() + f.name.size() &&
      sec.name.starts_with(prefix) && sec.name.ends_with(f.name))
    markUniqueName(sec);
}

void Merger::defineFunction(Function &f, unsigned i) {
  const uint32_t sectionIndex = file.sectionIndex(i);
  if (file.isCommon(i) || sectionIndex >= file.sections().size() ||
      !obj.textOwner[sectionIndex]) {
    inputs.diag.report(DiagId::DamagedInput,
                       {diag::file(obj.label), ": function ",
                        diag::symbol(f.name),
                        " is not defined in a section '.text.", f.name, "'"});
    return;
  }
  takeDefinition(f, i);
  if (obj.textOwner[sectionIndex] != i) {
    // The native size in relocatable output may be the function's (Writer.cpp).
    if (obj.hasMercury())
      f.size = file.mercurySymtab().symbols[i].st_size;
    pendingAliases.push_back({&f, obj.textOwner[sectionIndex]});
    return;
  }
  createCode(f, i);
}

/// What the symbol table says of the function that is defined here.
void Merger::takeDefinition(Function &f, unsigned i) {
  f.defined = true;
  f.binding = sym(i).getBinding();
  f.other = otherOf(f, i, STO_CUDA_UNIFIED_FUNCTION);
  f.size = sym(i).st_size;
  f.registers = registerCount(i);
  f.virtualArch = obj.compiledFor.virtualArch;
}

/// Creates the sections that a definition brings at once.
void Merger::createCode(Function &f, unsigned i) {
  const uint32_t sectionIndex = file.sectionIndex(i);
  const Elf_Shdr &shdr = file.sections()[sectionIndex];
  f.isCounted = (f.other & STO_CUDA_ENTRY) && isWanted(inputs, f.name);
  const bool isStub = shdr.sh_type == SHT_CUDA_UFT;
  f.text = createSection(inputs, made,
                         isStub ? SectionKind::Stub : SectionKind::Code,
                         file.sectionName(sectionIndex), &f);
  if (f.hasUniqueName && !isStub)
    markUniqueName(*f.text);
  f.text->setHeader(shdr.sh_type, shdr.sh_flags, shdr.sh_addralign,
                    isStub ? uint64_t(shdr.sh_entsize) : 0);
  f.text->registers = shdr.sh_info >> 24;
  f.text->setContents(file.contents(sectionIndex));
  f.section = f.text;
  setMercuryText(f, i);
  // A kernel that an earlier file launches gets its sections here even if
  // --kernels-used leaves it out.
  if (!f.isCounted && !(f.isKernel() && f.mentionedIn != obj.ordinal))
    return;
  // [section-created-with-kernel]
  const bool isFollowed = !f.info && hasCompanions(inputs);
  createInfoSection(f, inputs.memory.join(InfoPrefix, f.name));
  if (isFollowed)
    noteCompanion(*f.info);
  else
    f.shared = createSharedSection(inputs, made, f);
}

void Merger::setMercuryText(Function &f, unsigned i) {
  const uint32_t section = file.sectionIndex(i);
  const uint32_t twin = obj.twinOf(section);
  if (!twin) {
    if (inputs.isMercury())
      inputs.diag.report(DiagId::DamagedInput,
                         {diag::file(obj.label), ": function ",
                          diag::symbol(f.name),
                          " has no section '.nv.capmerc.text.", f.name, "'"});
    return;
  }
  f.mercurySize = file.mercurySymtab().symbols[i].st_size;
  OutputSection *mercury = getTwin(inputs, program, *f.text);
  // ptxas 13.5 gives the twins of stubs none.
  if (f.text->kind == SectionKind::Stub)
    mercury->entsize = file.sections()[twin].sh_entsize;
  mercury->setContents(file.contents(twin));
}

void Merger::replaceFunction(Function &f, unsigned i) {
  const uint32_t sectionIndex = file.sectionIndex(i);
  // Debug entries against the function go only if its code has a relocation
  // section by now, then all RELA ones that were read so far
  // [debug-replaced-entries].
  if (f.text->rela || f.text->rel) {
    f.debugPurgedBefore = state.relocationSequence;
    program.purgesDebugEntries = true;
  }
  program.mayHaveOutdatedRecords = true;
  const Elf_Shdr &shdr = file.sections()[sectionIndex];
  f.binding = sym(i).getBinding();
  f.other = sym(i).st_other;
  f.size = sym(i).st_size;
  f.definedIn = obj.ordinal;
  f.registers = registerCount(i);
  f.text->flags = shdr.sh_flags;
  f.text->align = shdr.sh_addralign;
  f.text->registers = shdr.sh_info >> 24;
  f.text->setContents(file.contents(sectionIndex));
  for (auto &records : f.infoRecords)
    records.clear();
  if (auto it = program.nativeCallees->byCaller.find(&f);
      it != program.nativeCallees->byCaller.end())
    it->second.clear();
  setMercuryText(f, i);
  if (f.constant2) {
    f.constant2->parts.clear();
    f.constant2->relocations.clear();
    f.constant2->size = 0;
    if (OutputSection *twin = f.constant2->mercury) {
      twin->parts.clear();
      twin->relocations.clear();
      twin->size = 0;
    }
  }
}

void Merger::resolveAliases() {
  for (auto [alias, owner] : pendingAliases) {
    auto *target = static_cast<Function *>(obj.symbols[owner]);
    if (!target || !target->isFunction())
      continue;
    alias->aliasOf = target;
    alias->section = target->text;
  }
}

} // namespace lld::cuda
