//===- SymbolScopes.cpp - --exclude-libs, --localize: whose a symbol is ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Steps 2 and 3 of SymbolControl.h: which definitions a library of
/// --exclude-libs has for itself, and which symbols become local after the
/// merge. loadInputs() in InputFiles.cpp calls separateNamed() (step 2) when
/// all inputs are unpacked, before members of archives are chosen, so that each
/// library gets its own members; chooseRules() in Link.cpp calls separate()
/// (step 3) right before the merge.
///
/// A library that --exclude-libs names has a scope of its own: references from
/// its objects are resolved to its own definitions, weak ones, too, as two
/// versions of one library have the same inline functions with different
/// contents. References from objects outside are resolved to a definition
/// outside, or else to that of the first library that has one. The first
/// library keeps the symbol's name; in others it gets a suffix made of the
/// file's name: helper.libmath_v2. Local symbols of one name would do for most,
/// but from sm_100 on nvlink mixes them up when it links the output again
/// [mercury-same-names].
///
/// With ALL, which build systems pass for the host's sake, names are resolved
/// as without the option, with one exception: if a name has strong definitions
/// in several places (libraries, or one of them and the other inputs), which
/// would be an error, each library that defines the name gets a scope of its
/// own for it.
///
//===----------------------------------------------------------------------===//

#include "Input/SymbolControl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

void SymbolControl::findScopes() {
  StringMap<unsigned> stems;
  for (const InputFile &file : inputs.files) {
    const bool isArchive =
        any_of(file.units, [](const InputUnit &u) { return u.isMember; });
    if (!isArchive || file.systemLibrary)
      continue;
    bool isNamed = false;
    for (Library &library : libraries)
      if (isCalled(file, library.name))
        isNamed = library.isUsed = true;
    if (!isNamed && !excludesAll)
      continue;
    std::string suffix = ("." + sys::path::stem(file.path)).str();
    for (char &c : MutableArrayRef(suffix.data(), suffix.size()).drop_front())
      if (!isAlnum(c))
        c = '_';
    if (const unsigned n = ++stems[suffix]; n > 1)
      suffix += "_" + utostr(n);
    Scope &scope = scopes.emplace_back();
    scope.file = &file;
    scope.isNamed = isNamed;
    scope.suffix = std::move(suffix);
  }
}

unsigned SymbolControl::scopeOf(const InputFile &file) const {
  for (const auto &[i, scope] : enumerate(scopes))
    if (scope.file == &file)
      return i;
  return NoScope;
}

/// Why a definition has to keep its name and stay global; "" if it hasn't.
StringRef SymbolControl::whyKept(const InputUnit &unit,
                                 KernelsOfSections &kernels, unsigned i) const {
  const CubinFile &cubin = kernels.cubin;
  const Elf_Sym &sym = cubin.symtab().symbols[i];
  if (isKernelDefinition(cubin, i))
    return "is a kernel, which programs find by its name";
  if (!isOrdinarySymbol(cubin, i))
    return "is known to the driver, or shared by all functions";
  if (kernels.find(i))
    return "is in the shared memory of a kernel";
  if (sym.getType() != STT_FUNC && isForHost(unit, cubin.symtab().name(sym)))
    return "is a variable that host code refers to by its name";
  return "";
}

static void addOnce(SmallVectorImpl<unsigned> &places, unsigned place) {
  if (!is_contained(places, place))
    places.push_back(place);
}

void SymbolControl::collectDefiners(const InputUnit &unit,
                                    const LoadedCubin &cubin, unsigned scope) {
  const CubinSymbolTable &table = cubin.file.symtab();
  KernelsOfSections kernels(cubin.file);
  for (unsigned i = 1; i < table.symbols.size(); ++i) {
    const Elf_Sym &sym = table.symbols[i];
    if (sym.getBinding() == STB_LOCAL || sym.st_shndx == SHN_UNDEF ||
        sym.getType() == STT_SECTION)
      continue;
    const StringRef name = table.name(sym);
    Definers &d = definers[CachedHashStringRef(name)];
    if (const StringRef why = whyKept(unit, kernels, i); !why.empty()) {
      d.isKept = true;
      d.why = why;
      d.isForHost |= isKernelDefinition(cubin.file, i) ||
                     (sym.getType() != STT_FUNC && isForHost(unit, name) &&
                      isOrdinarySymbol(cubin.file, i));
    }
    d.isCommon |= cubin.file.isCommon(i);
    addOnce(d.places, scope);
    if (sym.getBinding() == STB_GLOBAL)
      addOnce(d.strongPlaces, scope);
  }
}

/// The rule that counts for a name: an exact name before a pattern, that before
/// "*", and of two such the one for global symbols. Null: there is none.
SymbolControl::VisibilityRule *SymbolControl::findRule(StringRef name) {
  SymbolForms forms(name);
  VisibilityRule *best = nullptr;
  auto consider = [&](unsigned i) {
    VisibilityRule &rule = rules[i];
    if (!rule.pattern.matches(forms))
      return;
    rule.isUsed = true;
    if (!best || rule.pattern.rank() > best->pattern.rank() ||
        (rule.pattern.rank() == best->pattern.rank() && rule.isGlobal))
      best = &rule;
  };
  if (!exactRules.empty())
    for (StringRef form :
         {forms.mangled(), forms.demangled(), forms.withoutParameters()})
      if (auto it = exactRules.find(form); it != exactRules.end())
        for (unsigned i : it->second)
          consider(i);
  for (unsigned i : globRules)
    consider(i);
  return best;
}

/// A name of a library's for itself.
StringRef SymbolControl::ownName(StringRef name, unsigned scope) {
  std::string own = name.str() + scopes[scope].suffix;
  while (definers.count(CachedHashStringRef(own)))
    own += '_';
  const StringRef kept = inputs.memory.strings.save(own);
  scopes[scope].renamed[CachedHashStringRef(name)] = kept;
  return kept;
}

/// ELF has no local commons; those of a final link get a place.
void SymbolControl::makeLocal(StringRef name, const Definers &d) {
  if (!d.isCommon || !inputs.isRelocatable())
    local.insert(CachedHashStringRef(name));
}

/// The libraries of which `isOwn` says so have the name for themselves.
void SymbolControl::makeOwn(StringRef name, const Definers &d,
                            function_ref<bool(unsigned)> isOwn) {
  // Whoever shares the name with others keeps it.
  bool isTaken = !all_of(d.places, isOwn);
  for (unsigned place : d.places)
    if (isOwn(place))
      makeLocal(std::exchange(isTaken, true) ? ownName(name, place) : name, d);
}

/// Applies --exclude-libs=ALL to a name that libraries define.
void SymbolControl::hide(StringRef name, const Definers &d) {
  const bool isConflict = d.strongPlaces.size() > 1;
  makeOwn(name, d, [&](unsigned place) {
    return place != NoScope && !scopes[place].isNamed && isConflict;
  });
  if (!is_contained(d.places, NoScope))
    makeLocal(name, d);
}

void SymbolControl::decide(StringRef name, const Definers &d) {
  if (auto it = defsyms.find(name); it != defsyms.end())
    error({SymbolOperation::Defsym, it->second.written.str()},
          "'" + name + "' is defined in an input");
  VisibilityRule *rule = rules.empty() ? nullptr : findRule(name);
  if (rule && rule->isGlobal)
    return;
  if (d.isKept) {
    if (rule && rule->pattern.isExact())
      inputs.diag.report(
          Diagnostic(DiagId::InvalidValue, Severity::Error,
                     {getOption(rule->operation), ": ", diag::symbol(name),
                      " can't be local: it ", d.why}));
    return;
  }
  hide(name, d);
  if (rule)
    makeLocal(name, d);
}

void SymbolControl::collectAll(function_ref<bool(const InputUnit &)> takes) {
  definers.clear();
  for (const InputFile &file : inputs.files) {
    const unsigned scope = scopeOf(file);
    for (const InputUnit &unit : file.units)
      if (!unit.systemLibrary && takes(unit))
        for (const LoadedCubin &cubin : unit.holds.cubins)
          collectDefiners(unit, cubin, scope);
  }
}

void SymbolControl::renameOwn() {
  for (InputFile &file : inputs.files) {
    const unsigned scope = scopeOf(file);
    if (scope == NoScope || scopes[scope].renamed.empty())
      continue;
    const auto renamed = std::move(scopes[scope].renamed);
    scopes[scope].renamed.clear();
    for (InputUnit &unit : file.units)
      for (LoadedCubin &cubin : unit.holds.cubins)
        renameIn(cubin, [&](StringRef name, bool) {
          auto it = renamed.find(CachedHashStringRef(name));
          return it == renamed.end() ? name : it->second;
        });
  }
}

/// One copy of a weak kernel counts, although each library has its own. Strong
/// ones are an error of the merge.
void SymbolControl::warnShared(StringRef name, const Definers &d) {
  constexpr unsigned MaxWarnings = 8;
  if (!d.isForHost || d.places.size() < 2 || d.strongPlaces.size() > 1)
    return;
  auto isNamed = [&](unsigned place) {
    return place != NoScope && scopes[place].isNamed;
  };
  const unsigned *place = find_if(d.places, isNamed);
  if (place == d.places.end() || ++sharedWarnings > MaxWarnings)
    return;
  inputs.diag.report(Diagnostic(
      DiagId::MultipleDefinition, Severity::Warning,
      {diag::symbol(name), " of ", diag::file(scopes[*place].file->path),
       " is also defined elsewhere, and ", d.why,
       ": all references use one of the definitions"}));
}

void SymbolControl::separateNamed() {
  findScopes();
  if (none_of(scopes, [](const Scope &scope) { return scope.isNamed; }))
    return;
  collectAll([](const InputUnit &) { return true; });
  for (const auto &[name, d] : definers) {
    if (d.isKept) {
      warnShared(name.val(), d);
      continue;
    }
    VisibilityRule *rule = rules.empty() ? nullptr : findRule(name.val());
    if (!(rule && rule->isGlobal))
      makeOwn(name.val(), d, [&](unsigned place) {
        return place != NoScope && scopes[place].isNamed;
      });
  }
  renameOwn();
}

void SymbolControl::separate() {
  collectAll([](const InputUnit &unit) {
    return !unit.lazy && !unit.host.isRegistered && !unit.host.layer;
  });
  for (const auto &[name, d] : definers)
    decide(name.val(), d);
  renameOwn();
}

} // namespace lld::cuda
