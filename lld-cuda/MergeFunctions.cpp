//===- MergeFunctions.cpp - Functions of an object: definition and selection
//-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The first pass over an object: every function symbol in symbol table order.
/// A definition creates the function's sections; among several definitions a
/// strong one beats weak ones, and among weak ones the one with fewer registers
/// wins, then the one compiled for the higher virtual architecture (spec:
/// symbols, sections 1.1 and 2).
///
/// A function that is replaced keeps its place in every list; its edges in the
/// call graph stay, too ("stale edges": they keep callees alive).
///
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "Mercury.h"
#include "Merge.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

void Merger::mergeFunctions() {
  const size_t count = file.symtab().symbols.size();
  obj.lost.resize(count);
  lostToStrong.resize(count);
  metWeak.resize(count);
  // The first inner function of a section, or alias, pulls the section's owner
  // in front of itself (spec: seams, 21; corpus/relocatable-alias).
  BitVector done;
  for (unsigned i = 1; i < count; ++i) {
    if (sym(i).getType() != STT_FUNC)
      continue;
    const uint32_t owner = otherOwner(i);
    if (owner > i && done.empty())
      done.resize(count);
    if (owner > i && !done.test(owner)) {
      mergeFunction(owner);
      done.set(owner);
    }
    if (owner > i && !isInnerFunction(i) && obj.symbols[owner])
      obj.knownByAlias.insert(obj.symbols[owner]);
    if (owner && isInnerFunction(i))
      addInnerFunction(owner, i);
    else if (done.empty() || !done.test(i))
      mergeFunction(i);
  }
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
  auto *inner = new (ctx.arena) Symbol(Symbol::Kind::InnerFunction, symName(i),
                                       STB_LOCAL, STT_FUNC, sym(i).st_other);
  inner->section = static_cast<Function *>(f)->text;
  inner->value = sym(i).st_value;
  inner->size = sym(i).st_size;
  if (obj.hasMercury() && i < file.mercurySymtab().symbols.size())
    inner->mercurySize = file.mercurySymtab().symbols[i].st_size;
  inner->defined = true;
  inner->definedIn = inner->mentionedIn = obj.ordinal;
  obj.symbols[i] = inner;
  ctx.locals.push_back(inner);
}

void Merger::multipleDefinition(const Symbol &existing, unsigned i) {
  if (ctx.config.lld.allowMultipleDefinition)
    return;
  ctx.diag.error("Multiple definition of '" + existing.name + "' in '" +
                 obj.label + "', first defined in '" +
                 labelOf(existing.definedIn) + "'");
  explainMultipleDefinition(ctx, existing, obj, i);
}

void Merger::mergeFunction(unsigned i) {
  const Elf_Sym &in = sym(i);
  StringRef name = symName(i);
  const bool isDefined = in.st_shndx != SHN_UNDEF;
  Symbol **slot = nullptr;
  if (in.getBinding() != STB_LOCAL) {
    slot = &ctx.named[CachedHashStringRef(name)];
    if (*slot && !(*slot)->isFunction()) {
      ctx.diag.error("Memory space doesn't match for '" + name + "' in '" +
                     obj.label + "', first specified in '" +
                     labelOf((*slot)->mentionedIn) + "'");
      explainMismatch(ctx, labelOf((*slot)->mentionedIn),
                      describeMemorySpace(**slot), obj, "a function");
      return;
    }
  }

  if (!slot || !*slot) {
    Function &f =
        ctx.functions.emplace_back(name, in.getBinding(), ctx.functions.size());
    f.mentionedIn = f.definedIn = obj.ordinal;
    f.other = in.st_other;
    bool inFront = in.getBinding() == STB_LOCAL || in.getBinding() == STB_WEAK;
    (inFront ? ctx.locals : ctx.globals).push_back(&f);
    if (slot)
      *slot = &f;
    obj.symbols[i] = &f;
    if (isDefined)
      defineFunction(f, i);
    return;
  }

  auto &f = *static_cast<Function *>(*slot);
  obj.symbols[i] = &f;
  if ((f.other ^ in.st_other) & STO_CUDA_ENTRY) {
    ctx.diag.error("Function '" + name +
                   "' not declared __global__ in all source files");
    auto kind = [](uint8_t other) {
      return other & STO_CUDA_ENTRY ? "a kernel" : "a device function";
    };
    explainMismatch(ctx, labelOf(f.mentionedIn), kind(f.other), obj,
                    kind(in.st_other));
  }
  if (!isDefined)
    return;
  if (f.defined && f.binding == STB_WEAK && in.getBinding() == STB_WEAK)
    metWeak.set(i);
  if (!f.defined) {
    f.definedIn = obj.ordinal;
    defineFunction(f, i);
    return;
  }
  if (replaces(f, i)) {
    replaceFunction(f, i);
  } else {
    obj.lost.set(i);
    if (f.binding == STB_GLOBAL)
      lostToStrong.set(i);
  }
}

uint32_t Merger::registerCount(unsigned i) const {
  uint32_t inSection = file.sections()[file.sectionIndex(i)].sh_info >> 24;
  return inSection                   ? inSection
         : i < registerCounts.size() ? registerCounts[i]
                                     : 0;
}

bool Merger::replaces(const Function &f, unsigned i) {
  const uint8_t binding = sym(i).getBinding();
  if (f.binding == STB_WEAK && binding == STB_GLOBAL)
    return true;
  if (f.binding == STB_GLOBAL && binding == STB_WEAK)
    return false;
  if (f.binding == STB_GLOBAL) {
    multipleDefinition(f, i);
    return false;
  }
  uint32_t registers = registerCount(i);
  if (registers != f.registers)
    return registers < f.registers;
  return obj.virtualArch > f.virtualArch;
}

/// A list of substrings, in which '*' stands for any run of characters (spec:
/// inputs, section 7.2).
static bool matchesKernelFilter(StringRef name,
                                const std::vector<std::string> &patterns) {
  for (StringRef pattern : patterns) {
    StringRef rest = name;
    bool matched = true;
    for (StringRef piece : llvm::split(pattern, '*')) {
      size_t at = rest.find(piece);
      if (at == StringRef::npos) {
        matched = false;
        break;
      }
      rest = rest.drop_front(at + piece.size());
    }
    if (matched)
      return true;
  }
  return false;
}

static bool countsAsEntry(const Config &config, StringRef name) {
  if (config.relocatable && !config.nvlinkCompat)
    return true;
  if (!config.hasKernelFilter() || (config.debug && !config.suppressDebugInfo))
    return true;
  return config.kernelsUsed && matchesKernelFilter(name, *config.kernelsUsed);
}

void Merger::createInfoSection(Function &f, StringRef name) {
  if (f.info)
    return;
  f.info = createSection(ctx, name, SHT_CUDA_INFO, SHF_INFO_LINK, 4, 0, &f);
  f.info->role = SectionRole::NvInfo;
  f.info->emitted = true;
}

void Merger::defineFunction(Function &f, unsigned i) {
  const uint32_t sectionIndex = file.sectionIndex(i);
  if (file.isCommon(i) || sectionIndex >= file.sections().size() ||
      !obj.textOwner[sectionIndex]) {
    ctx.diag.fatal("'" + obj.label + "': function '" + f.name +
                   "' is not defined in a section '.text." + f.name + "'");
    return;
  }
  const Elf_Shdr &shdr = file.sections()[sectionIndex];
  f.defined = true;
  f.binding = sym(i).getBinding();
  f.other = otherOf(f, i, STO_CUDA_UNIFIED_FUNCTION);
  f.size = sym(i).st_size;
  f.registers = registerCount(i);
  f.virtualArch = obj.virtualArch;
  if (obj.textOwner[sectionIndex] != i) {
    // The native size in relocatable output may be the function's (Writer.cpp).
    if (obj.hasMercury())
      f.size = file.mercurySymtab().symbols[i].st_size;
    pendingAliases.push_back({&f, obj.textOwner[sectionIndex]});
    return;
  }
  f.isEntry = (f.other & STO_CUDA_ENTRY) && countsAsEntry(ctx.config, f.name);
  f.text =
      createSection(ctx, file.sectionName(sectionIndex), shdr.sh_type,
                    shdr.sh_flags, shdr.sh_addralign,
                    shdr.sh_type == SHT_CUDA_UFT ? shdr.sh_entsize : 0, &f);
  f.text->emitted = true;
  f.text->registers = shdr.sh_info >> 24;
  f.text->setContents(file.contents(sectionIndex));
  f.section = f.text;
  setMercuryText(f, i);
  // A kernel that an earlier file launches gets its sections here even if
  // --kernels-used leaves it out.
  if (!f.isEntry && !(f.isKernel() && f.mentionedIn != obj.ordinal))
    return;
  createInfoSection(f, ctx.saver.save(".nv.info." + f.name));
  f.shared = createSharedSection(ctx, f);
}

void Merger::setMercuryText(Function &f, unsigned i) {
  const uint32_t section = file.sectionIndex(i);
  const uint32_t twin = obj.twinOf(section);
  if (!twin) {
    if (ctx.isMercury())
      ctx.diag.fatal("'" + obj.label + "': function '" + f.name +
                     "' has no section '.nv.capmerc.text." + f.name + "'");
    return;
  }
  f.mercurySize = file.mercurySymtab().symbols[i].st_size;
  getTwin(ctx, *f.text)->setContents(file.contents(twin));
}

void Merger::replaceFunction(Function &f, unsigned i) {
  const uint32_t sectionIndex = file.sectionIndex(i);
  // nvlink overwrites the code that a weak alias stands for.
  if (obj.textOwner[sectionIndex] != i || !f.text) {
    multipleDefinition(f, i);
    obj.lost.set(i);
    return;
  }
  // Debug entries against the function go only if its code has a relocation
  // section by now, then all RELA ones that were read so far (spec: seams, 1).
  if (f.text->rela || f.text->rel)
    f.debugPurgedBefore = ctx.relocationSequence;
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
  setMercuryText(f, i);
  if (f.constant2) {
    f.constant2->parts.clear();
    f.constant2->relocations.clear();
    f.constant2->size = 0;
    f.constant2->emitted = false;
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
