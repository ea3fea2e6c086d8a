//===- MergeVariables.cpp - Variables of an object, and resolution --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The second pass over an object that is merged: mergeVariables(), which
/// Merger::run() in Merge.cpp calls after the functions, goes over variables,
/// textures, samplers and surfaces in the order of the symbol table. A
/// definition appends its whole input section to the output section of that
/// name; variables aren't laid out one by one, except in shared memory, where
/// the symbol's value is its alignment and LayoutShared.cpp chooses the address
/// later [data-appended-whole], [global-appended], [shared-list]. Resolution.h
/// says which of several definitions counts.
///
//===----------------------------------------------------------------------===//

#include "Companions.h"
#include "Explain/Explain.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Merge/Merge.h"
#include "Merge/Resolution.h"
#include "Twins.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

static bool isTextureType(uint8_t type) {
  return type == STT_CUDA_TEXTURE || type == STT_CUDA_SAMPLER ||
         type == STT_CUDA_SURFACE;
}

static bool isVariableType(uint8_t type) {
  return type == STT_OBJECT || type == STT_CUDA_OBJECT || isTextureType(type);
}

static uint8_t spaceOf(const Elf_Sym &sym) {
  return sym.st_other & STO_CUDA_SPACE_MASK;
}

/// An extern array in the output of an earlier -r link is formally defined in
/// .nv_debug.shared [relocatable-places-dynamic-shared].
static bool isFormalSharedArray(const Elf_Sym &sym) {
  return sym.getBinding() != STB_LOCAL && spaceOf(sym) == STO_CUDA_SHARED &&
         sym.st_size == 0 && sym.st_shndx != SHN_UNDEF;
}

static bool isDefined(const Elf_Sym &sym) {
  return sym.st_shndx != SHN_UNDEF && !isFormalSharedArray(sym);
}

/// The compiler of 13.0 to 13.3 puts weak symbols among the local ones
/// [symbols-read-local-first].
void Merger::mergeVariables() {
  const unsigned count = file.symtab().symbols.size();
  auto merge = [&](auto isWanted) {
    for (unsigned i = 1; i < count && !inputs.diag.stopped(); ++i)
      if (isVariableType(sym(i).getType()) &&
          isWanted(sym(i).getBinding() == STB_LOCAL))
        mergeVariable(i);
  };
  if (inputs.isMercury() && inputs.rules.readsLocalsFirst()) {
    merge([](bool isLocal) { return isLocal; });
    merge([](bool isLocal) { return !isLocal; });
  } else {
    merge([](bool) { return true; });
  }
  llvm::sort(obj.lostInitRanges);
}

/// Whether an input's symbol has that name, whose length needn't be found.
static bool isNamed(const CubinFile &file, const Elf_Sym &in, StringRef name) {
  const StringRef strings = file.symtab().strings;
  const uint64_t end = uint64_t(in.st_name) + name.size();
  return end < strings.size() && strings[end] == '\0' &&
         strings.slice(in.st_name, end) == name;
}

Symbol *findAsBefore(ArrayRef<Symbol *> before, const CubinFile &file,
                     unsigned i) {
  Symbol *s = i < before.size() ? before[i] : nullptr;
  return s && s->isVariable() && !s->isLocal() &&
                 isNamed(file, file.symtab().symbols[i], s->name)
             ? s
             : nullptr;
}

bool saysNothingNew(const Elf_Sym &in, const Symbol &existing) {
  return in.st_shndx == SHN_UNDEF && in.st_other == existing.other &&
         in.getType() == existing.type && in.st_size == existing.size;
}

void Merger::mergeVariable(unsigned i) {
  if (isDefined(sym(i)) && !file.isCommon(i) &&
      file.sectionIndex(i) >= file.sections().size()) {
    inputs.diag.report(
        DiagId::DamagedInput,
        {diag::file(obj.label), ": symbol ", diag::symbol(symName(i)),
         " has the unknown section index ", file.sectionIndex(i)});
    return;
  }
  if (sym(i).getBinding() == STB_LOCAL)
    return addLocalVariable(i);
  Symbol *existing = nullptr;
  if (obj.ordinal)
    existing = findAsBefore(program.objects[obj.ordinal - 1].symbols, file, i);
  assert(!existing || program.named.lookup(hashed(existing->name)) == existing);
  if (existing && saysNothingNew(sym(i), *existing)) {
    obj.symbols[i] = existing;
    return;
  }
  if (!existing) {
    const StringRef name = symName(i);
    Symbol *&slot = program.named[hashed(name)];
    if (!slot)
      return addVariable(i, name, slot);
    existing = slot;
  }
  const KindFacts first = {existing->isFunction(), existing->isVariable(),
                           existing->other};
  if (compareKinds(first, {false, true, sym(i).st_other}) != Agreement::Agree)
    return reportOtherSpace(*existing, i);
  if (isTextureType(sym(i).getType()) && sym(i).getType() != existing->type)
    return multipleDefinition(*existing, i);
  checkManaged(*existing, i);
  obj.symbols[i] = existing;
  resolveVariable(*static_cast<Variable *>(existing), i);
}

static Variable *createVariable(Program &program, ObjectFile &obj, unsigned i,
                                StringRef name, const Elf_Sym &in) {
  Variable &v = program.variables.emplace_back(name, in.getBinding(),
                                               in.getType(), in.st_other);
  v.mentionedIn = v.definedIn = obj.ordinal;
  obj.symbols[i] = &v;
  return &v;
}

/// With a Mercury view, -r and --preserve-relocs number the compiler's
/// constants of an object anew, up to 13.4 [relocatable-renames-literals].
void Merger::renameLiteral(Variable &v) {
  const bool isRenamed =
      inputs.rules.renamesLiterals() ||
      (!inputs.isRelocatable() && inputs.config.preserveRelocs &&
       !inputs.rules.finalizerWritesFile());
  if (isRenamed && inputs.isMercury() &&
      v.section->kind == SectionKind::Literals)
    v.name = inputs.memory.strings.save(getMergeName(*v.section) + "." +
                                        Twine(++literalCount));
}

void Merger::addLocalVariable(unsigned i) {
  const Elf_Sym &in = sym(i);
  if (in.st_shndx == SHN_UNDEF || file.isCommon(i)) {
    // .nv.ptx.const0.size of the device runtime: the size of .nv.constant3, -1
    // without one [constant-size-symbol]. nvlink -r keeps one for all inputs.
    if (inputs.rules.sharesConstantSizeSymbol() &&
        !program.constantSizeSymbols.empty()) {
      obj.symbols[i] = program.constantSizeSymbols.front();
      return;
    }
    Variable *v = createVariable(program, obj, i, symName(i), in);
    v->type = STT_CUDA_OBJECT;
    v->value = ~uint64_t(0);
    v->size = in.st_size;
    program.constantSizeSymbols.push_back(v);
    program.locals.push_back(v);
    return;
  }
  const uint32_t section = file.sectionIndex(i);
  if (in.getVisibility() == STV_INTERNAL) {
    // Parameters and literals: they bring their section at this point.
    uint32_t owner = obj.ownerOf(section);
    if (owner && obj.isLost(owner) && !keepsParameters(section) &&
        !sharesParameters(section))
      return;
    SectionPlacement placement = contribute(section);
    if (!placement.section)
      return;
    Variable *v = createVariable(program, obj, i, symName(i), in);
    place(*v, in, placement);
    program.locals.push_back(v);
    renameLiteral(*v);
    return;
  }
  Variable *v = createVariable(program, obj, i, symName(i), in);
  defineVariable(*v, i);
  program.locals.push_back(v);
}

/// `slot`: where it is found by its name.
void Merger::addVariable(unsigned i, StringRef name, Symbol *&slot) {
  const Elf_Sym &in = sym(i);
  Variable *v = createVariable(program, obj, i, name, in);
  slot = v;
  v->hasUniqueName = canBeUniqueName(name);
  v->size = in.st_size;
  // Weak in compiled objects, global in the output of an earlier -r link.
  if (!isDefined(in) && !file.isCommon(i) && isReservedWeakName(v->name)) {
    v->binding = STB_GLOBAL;
    v->value = in.st_value;
    v->isReserved = true;
    if (inputs.isMercury())
      v->type = STT_CUDA_OBJECT;
  }
  if (v->isTexture())
    (in.getType() == STT_CUDA_TEXTURE   ? program.textures
     : in.getType() == STT_CUDA_SAMPLER ? program.samplers
                                        : program.surfaces)
        .push_back(v);

  if (file.isCommon(i)) {
    makeCommon(*v, in);
  } else if (isDefined(in)) {
    defineVariable(*v, i);
  } else if (v->isShared() && v->size == 0) {
    // An extern array makes .nv_debug.shared exist; older compilers don't say
    // its alignment, which counts as 16 [shared-list].
    getDebugShared(inputs, program, 16);
    program.anyDynamicShared = true;
    v->value = in.st_value;
    program.sharedList.push_back({v, 0, getDynamicAlignment(inputs, *v)});
  }
  program.symbolList(inputs.rules, v->binding).push_back(v);
}

void Merger::makeCommon(Variable &v, const Elf_Sym &in) {
  v.defined = true;
  v.definedIn = obj.ordinal;
  v.size = in.st_size;
  addCommonPlace(v, in);
}

/// The first alignment counts, while the size grows
/// [common-size-and-alignment].
void Merger::addCommonPlace(Variable &v, const Elf_Sym &in) {
  v.isCommon = true;
  v.alignment = in.st_value;
  program.commons.push_back(&v);
}

static VariableStorage storageOf(uint32_t sectionType) {
  return sectionType == SHT_CUDA_GLOBAL        ? VariableStorage::Zeroed
         : sectionType == SHT_CUDA_GLOBAL_INIT ? VariableStorage::Initialised
                                               : VariableStorage::Elsewhere;
}

static VariableFacts factsOf(const Variable &v) {
  return {v.isCommon   ? VariableStorage::Common
          : !v.defined ? VariableStorage::Undefined
          : !v.section ? VariableStorage::Elsewhere
                       : storageOf(v.section->type),
          v.binding, v.size};
}

VariableFacts Merger::factsOfInput(unsigned i) const {
  const Elf_Sym &in = sym(i);
  return {isFormalSharedArray(in)    ? VariableStorage::FormalArray
          : in.st_shndx == SHN_UNDEF ? VariableStorage::Undefined
          : file.isCommon(i)
              ? VariableStorage::Common
              : storageOf(file.sections()[file.sectionIndex(i)].sh_type),
          in.getBinding(), in.st_size};
}

/// All declarations have to agree about __managed__ [managed-mismatch].
void Merger::checkManaged(const Symbol &existing, unsigned i) {
  const Elf_Sym &in = sym(i);
  if (!((existing.other ^ in.st_other) & STO_CUDA_MANAGED))
    return;
  inputs.diag.report(DiagId::MemorySpaceMismatch,
                     {"Managed attribute doesn't match for ",
                      diag::symbol(existing.name), " in ",
                      diag::file(obj.label), ", first specified in ",
                      diag::file(labelOf(existing.mentionedIn))});
  auto describe = [](uint8_t other) {
    return other & STO_CUDA_MANAGED ? "__managed__" : "not __managed__";
  };
  explainMismatch(inputs, program, existing.name, existing.mentionedIn,
                  describe(existing.other), obj, describe(in.st_other));
}

void Merger::reportSizes(const Symbol &v, unsigned i) {
  const Elf_Sym &in = sym(i);
  inputs.diag.report(DiagId::SizeMismatch,
                     {"Size doesn't match for ", diag::symbol(v.name), " in ",
                      diag::file(obj.label), ", first specified in ",
                      diag::file(labelOf(v.mentionedIn))});
  explainMismatch(inputs, program, v.name, v.mentionedIn,
                  utostr(v.size) + " bytes", obj,
                  utostr(in.st_size) + " bytes");
  if (v.binding == STB_WEAK && in.getBinding() == STB_WEAK)
    explainWeakMismatch(inputs, v.name);
}

/// Against a common, a definition is one whatever it consists of
/// [common-zero-definition].
static void countZerosAsContents(VariableFacts &first, VariableFacts &later) {
  if (first.storage == VariableStorage::Common &&
      later.storage == VariableStorage::Zeroed)
    later.storage = VariableStorage::Initialised;
  if (later.storage == VariableStorage::Common &&
      first.storage == VariableStorage::Zeroed)
    first.storage = VariableStorage::Initialised;
}

void Merger::reportCommonIsLarger(const Variable &v) {
  inputs.diag.report(
      DiagId::CommonTooLarge,
      {"Common symbol ", diag::symbol(v.name), " in file ",
       diag::file(v.isCommon ? labelOf(v.mentionedIn) : obj.label),
       " has larger size than initialization"});
}

/// Reports what else is wrong with a name that is a variable of another memory
/// space, or a function, in an earlier object: errors add up
/// [merge-errors-add-up].
void Merger::reportOtherSpace(const Symbol &existing, unsigned i) {
  const Elf_Sym &in = sym(i);
  // nvlink says no more of a texture, sampler or surface.
  if (isTextureType(in.getType()))
    return multipleDefinition(existing, i);
  inputs.diag.report(DiagId::MemorySpaceMismatch,
                     {"Memory space doesn't match for ",
                      diag::symbol(symName(i)), " in ", diag::file(obj.label),
                      ", first specified in ",
                      diag::file(labelOf(existing.mentionedIn))});
  explainMismatch(inputs, program, existing.name, existing.mentionedIn,
                  describeMemorySpace(existing), obj,
                  describeMemorySpace(in.getType(), in.st_other));
  checkManaged(existing, i);
  VariableFacts first = {VariableStorage::Undefined, existing.binding,
                         existing.size};
  if (existing.isVariable())
    first = factsOf(static_cast<const Variable &>(existing));
  if (isDefinedForErrors(existing) &&
      first.storage == VariableStorage::Undefined)
    first.storage = VariableStorage::Elsewhere;
  const VariableFacts later = factsOfInput(i);
  // The size of an extern array, 0, counts against a common only.
  const bool isArrayOrCommon = first.storage == VariableStorage::Elsewhere &&
                               later.storage == VariableStorage::Common;
  if (compareSizes(first, later, /*zeroDefinesCommon=*/false).differ ||
      (isArrayOrCommon && first.size != later.size))
    reportSizes(existing, i);
  if (resolveVariables(first, later) == Resolution::Duplicate)
    multipleDefinition(existing, i);
}

void Merger::resolveVariable(Variable &v, unsigned i) {
  VariableFacts first = factsOf(v), later = factsOfInput(i);
  const SizeErrors sizes =
      compareSizes(first, later, inputs.rules.zeroDefinesCommon());
  if (inputs.rules.zeroDefinesCommon())
    countZerosAsContents(first, later);
  // nvlink can't link two relocatable outputs that use one extern array.
  if (inputs.rules.refusesSecondFormalArray() &&
      later.storage == VariableStorage::FormalArray)
    return multipleDefinition(v, i);
  const Elf_Sym &in = sym(i);
  if (sizes.commonIsLarger)
    reportCommonIsLarger(v);
  if (sizes.differ)
    reportSizes(v, i);
  const Resolution resolution = resolveVariables(first, later);
  if (sizes.any() && resolution != Resolution::Duplicate)
    return;
  switch (resolution) {
  case Resolution::Keep:
    return;
  case Resolution::KeepAndForget:
    obj.lostInitSection = file.sectionIndex(i);
    obj.lostInitRanges.push_back({in.st_value, in.st_value + in.st_size});
    return;
  case Resolution::Define:
    if (later.storage == VariableStorage::Common)
      return makeCommon(v, in);
    [[fallthrough]];
  case Resolution::Replace:
    v.binding = later.binding;
    return defineVariable(v, i);
  case Resolution::ReplaceCommon:
    v.isCommon = false; // Its place among the commons is skipped later.
    v.binding = later.binding;
    return defineVariable(v, i);
  case Resolution::EnlargeCommon: // [common-size-and-alignment]
    v.size = std::max<uint64_t>(v.size, in.st_size);
    return;
  case Resolution::PlaceBoth:
    if (later.storage == VariableStorage::Common)
      return addCommonPlace(v, in);
    return defineVariable(v, i);
  case Resolution::Duplicate:
    return multipleDefinition(v, i);
  }
}

void Merger::defineVariable(Variable &v, unsigned i) {
  const Elf_Sym &in = sym(i);
  const uint32_t section = file.sectionIndex(i);
  v.definedIn = obj.ordinal;
  v.other = otherOf(v, i, STO_CUDA_UNIFIED);
  v.type = in.getType();
  if (in.st_size)
    v.size = in.st_size;
  const uint32_t type = file.sections()[section].sh_type;
  if (type == SHT_CUDA_SHARED)
    defineShared(v, i);
  else if (type == SHT_CUDA_RESERVED_SHARED)
    defineReservedShared(v, i);
  else
    place(v, in, contribute(section));
}

/// The value of a shared variable is its alignment; the layout divides by it.
bool Merger::takeSharedAlignment(Variable &v, const Elf_Sym &in) {
  v.alignment = v.value = in.st_value;
  if (!(v.alignment & (v.alignment - 1)) && v.alignment <= uint64_t(1) << 32)
    return true;
  inputs.diag.report(DiagId::DamagedInput,
                     {diag::file(obj.label), ": shared variable ",
                      diag::symbol(v.name), " has the alignment ", v.alignment,
                      ", which is not a power of two"});
  return false;
}

void Merger::defineReservedShared(Variable &v, unsigned i) {
  const uint32_t section = file.sectionIndex(i);
  if (!takeSharedAlignment(v, sym(i)))
    return;
  OutputSection *out = getCommonSection(section, SHF_WRITE | SHF_ALLOC);
  if (!out)
    return;
  out->contributed = true;
  v.section = out;
  v.defined = true;
  program.reservedShared.push_back(&v);
  if (obj.placement(section).section)
    return;
  obj.place(section, {out, 0, 0});
  contributeTwin(section, *out);
}

void Merger::defineShared(Variable &v, unsigned i) {
  const uint32_t section = file.sectionIndex(i);
  const Elf_Shdr &shdr = file.sections()[section];
  if (!takeSharedAlignment(v, sym(i)))
    return;
  OutputSection *out;
  if (Function *f = obj.functionOf(section)) {
    // A kernel that --kernels-used left out has no section yet; the one made
    // here doesn't die with it [string-pruned-kernels].
    if (!getSharedSection(inputs, program, *f))
      f->shared =
          createSharedSection(inputs, program, file.sectionName(section),
                              inputs.keepsDeadCode() ? f : nullptr);
    out = f->shared;
    f->ownShared.push_back(&v);
  } else {
    // A strong definition that replaces a weak one adds a second item
    // [shared-strong-after-weak].
    out = getDebugShared(inputs, program, shdr.sh_addralign);
    program.sharedList.push_back({&v, sym(i).st_size, v.alignment});
  }
  v.section = out;
  v.defined = true;
  obj.place(section, {out, 0, 0});
}

void Merger::place(Variable &v, const Elf_Sym &in,
                   const SectionPlacement &placement) {
  v.section = placement.section;
  v.value = placement.base + in.st_value;
  v.size = in.st_size;
  v.defined = true;
  v.definedIn = obj.ordinal;
}

} // namespace lld::cuda
