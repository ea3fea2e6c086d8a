//===- SymbolControl.cpp - Options that control symbols: reading, renaming ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// This file reads the options of ld.cuda that rename symbols or make them
/// local (--wrap, --defsym, --rename-prefix, --localize and so on), and gives
/// symbols new names in the objects: step 1 of SymbolControl.h.
/// readSymbolOptions() in Link.cpp calls read() before the inputs are read, and
/// loadInputs() in InputFiles.cpp calls rename() when they are, so the merge
/// sees only the new names.
///
/// --wrap and --defsym change references from other objects, as in ELF linkers:
/// an object that defines foo itself goes on using its own foo.
///
//===----------------------------------------------------------------------===//

#include "Input/SymbolControl.h"
#include "Input/VersionScript.h"
#include "lld-cuda/BinaryFormat/DriverFunctions.h"
#include "lld-cuda/Object/RenameSymbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

StringRef getOption(SymbolOperation operation) {
  static constexpr StringLiteral Names[] = {
#define SYMBOL_OPERATION(ID, OPTION) OPTION,
#include "Rules/SymbolOperations.def"
  };
  return Names[size_t(operation)];
}

bool isCalled(const InputFile &file, StringRef name) {
  StringRef path = file.path;
  return path.consume_back(name) && (path.empty() || path.ends_with("/"));
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

bool SymbolControl::error(const SymbolOption &option, const Twine &what) {
  inputs.diag.report(Diagnostic(
      DiagId::InvalidValue, Severity::Error,
      {getOption(option.operation), "=", option.value, ": ", what.str()}));
  return false;
}

/// PTX's identifiers, with the dots of names that linkers make.
static bool isSymbolName(StringRef name) {
  return !name.empty() && !isDigit(name.front()) && all_of(name, [](char c) {
    return isAlnum(c) || StringRef("_$%.@").contains(c);
  });
}

/// ptxas lets callers of malloc() count on registers that other functions
/// change.
static constexpr StringLiteral DriverFunction =
    "that is a driver function, which has a calling convention of its own";

bool SymbolControl::addWrap(const SymbolOption &option) {
  const StringRef name = option.value;
  if (!isSymbolName(name))
    return error(option,
                 "expected a symbol's name as it is in the objects (mangled)");
  if (mayStayUndefined(name))
    return error(option, DriverFunction);
  StringSaver &save = inputs.memory.strings;
  wraps[name] = {save.save("__wrap_" + name), name};
  wraps[("__real_" + name).str()] = {name, ""};
  return true;
}

/// A symbol of device code has no address before the image is loaded, so all
/// that makes sense is another symbol.
bool SymbolControl::addDefsym(const SymbolOption &option) {
  auto [name, target] = StringRef(option.value).split('=');
  name = name.trim();
  target = target.trim();
  if (!isSymbolName(name))
    return error(option, "expected NAME=SYMBOL");
  uint64_t number;
  if (!target.getAsInteger(0, number))
    return error(option,
                 "expected a symbol's name after '=', not a number: device "
                 "symbols have no address until the program is loaded");
  if (!isSymbolName(target))
    return error(option,
                 "expected a symbol's name after '=', not an expression");
  if (name == target)
    return error(option, "both are the same symbol");
  if (mayStayUndefined(name) || mayStayUndefined(target))
    return error(option, DriverFunction);
  auto [it, isNew] = defsyms.try_emplace(name);
  if (!isNew && it->second.to != target)
    return error(option, "it is already defined as '" + it->second.to + "'");
  it->second = {target, option.value};
  return true;
}

bool SymbolControl::checkCycles() {
  StringMap<const Redirection *> seenFrom; // By which option a name was seen.
  for (const auto &entry : defsyms) {
    const Redirection *from = &entry.second;
    for (auto it = defsyms.find(entry.first()); it != defsyms.end();
         it = defsyms.find(it->second.to)) {
      auto [seen, isNew] = seenFrom.try_emplace(it->first(), from);
      if (!isNew && seen->second == from)
        return error({SymbolOperation::Defsym, from->written.str()},
                     "it leads back to the same name");
      if (!isNew) // The rest was looked at.
        break;
    }
  }
  return true;
}

bool SymbolControl::addPrefix(const SymbolOption &option) {
  auto [prefix, files] = StringRef(option.value).split(':');
  if (!isSymbolName(prefix) || prefix.contains('.'))
    return error(option, "a prefix consists of letters, digits, '_' and '$', "
                         "and can't begin with a digit");
  PrefixRule rule;
  rule.prefix = prefix;
  rule.written = option.value;
  files.split(rule.files, ',', -1, /*KeepEmpty=*/false);
  if (rule.files.empty() && StringRef(option.value).contains(':'))
    return error(option, "no file after ':'");
  prefixes.push_back(std::move(rule));
  return true;
}

bool SymbolControl::addLibraries(const SymbolOption &option) {
  SmallVector<StringRef> names;
  // Libraries are separated by commas or colons, as for GNU ld.
  SplitString(option.value, names, ",:");
  for (StringRef name : names) {
    if (name == "ALL")
      excludesAll = true;
    else
      libraries.push_back({name});
  }
  return !names.empty() || error(option, "no library is named");
}

Error SymbolControl::addRule(SymbolOperation operation, StringRef text,
                             bool isGlobal, bool isExact, NameForm form) {
  // Each is looked for in each name.
  constexpr size_t MaxGlobs = 4096;
  Expected<SymbolPattern> pattern = SymbolPattern::create(text, isExact, form);
  if (!pattern)
    return pattern.takeError();
  if (pattern->isExact()) {
    SmallVector<unsigned, 1> &same = exactRules[text];
    if (any_of(same, [&](unsigned i) {
          return rules[i].isGlobal == isGlobal && rules[i].form == form;
        }))
      return Error::success();
    same.push_back(rules.size());
  } else if (globRules.size() == MaxGlobs) {
    return createStringError(
        "more than 4096 patterns with wildcards such as '*'");
  } else {
    globRules.push_back(rules.size());
  }
  rules.push_back({std::move(*pattern), form, isGlobal, operation});
  return Error::success();
}

bool SymbolControl::addScript(const SymbolOption &option) {
  const OptionFile *file =
      readOptionFile(inputs, "--version-script=", option.value);
  if (!file)
    return false;
  Expected<VersionScript> script =
      readVersionScript(file->file.buffer->getBuffer());
  auto refuse = [&](const std::string &why) {
    inputs.diag.report(
        Diagnostic(DiagId::InvalidValue, Severity::Error,
                   {"version script ", diag::file(option.value), ": ", why}));
    return false;
  };
  if (!script)
    return refuse(toString(script.takeError()));
  if (!script->versions.empty())
    inputs.diag.report(
        Diagnostic(DiagId::PatternUnused,
                   {"version script ", diag::file(option.value), ": version ",
                    diag::quoted(script->versions.front()),
                    script->versions.size() > 1 ? " and others are" : " is",
                    " ignored, since device symbols have no versions; only "
                    "'global' and 'local' have an effect"}));
  for (const VersionScript::Pattern &p : script->patterns)
    if (Error e = addRule(option.operation, inputs.memory.strings.save(p.text),
                          p.isGlobal, p.isExact,
                          p.isCxx ? NameForm::Demangled : NameForm::Mangled))
      return refuse("'" + p.text + "': " + toString(std::move(e)));
  return true;
}

bool SymbolControl::readOption(const SymbolOption &option) {
  switch (option.operation) {
  case SymbolOperation::Wrap:
    return addWrap(option);
  case SymbolOperation::Defsym:
    return addDefsym(option);
  case SymbolOperation::RenamePrefix:
    return addPrefix(option);
  case SymbolOperation::ExcludeLibs:
    return addLibraries(option);
  case SymbolOperation::VersionScript:
    return addScript(option);
  case SymbolOperation::Localize:
  case SymbolOperation::Export:
    if (Error e = addRule(option.operation, option.value,
                          option.operation == SymbolOperation::Export,
                          /*isExact=*/false, NameForm::Any))
      return error(option, toString(std::move(e)));
    return true;
  }
  llvm_unreachable("no operation");
}

bool SymbolControl::read() {
  bool ok = true;
  for (const SymbolOption &option : inputs.config.lld.symbolOptions)
    ok &= readOption(option);
  return ok && checkCycles();
}

std::vector<SymbolControl::Unused> SymbolControl::findUnused() const {
  std::vector<Unused> unused;
  for (const PrefixRule &rule : prefixes)
    if (rule.names.empty())
      unused.push_back({SymbolOperation::RenamePrefix, rule.written});
  for (const SymbolOption &option : inputs.config.lld.symbolOptions) {
    const bool isWrap = option.operation == SymbolOperation::Wrap;
    if (!isWrap && option.operation != SymbolOperation::Defsym)
      continue;
    const auto &map = isWrap ? wraps : defsyms;
    auto it = map.find(StringRef(option.value).split('=').first.trim());
    if (it != map.end() && !it->second.isUsed)
      unused.push_back({option.operation, it->first()});
  }
  for (const Library &library : libraries)
    if (!library.isUsed)
      unused.push_back({SymbolOperation::ExcludeLibs, library.name});
  for (const VisibilityRule &rule : rules)
    if (!rule.isUsed)
      unused.push_back({rule.operation, rule.pattern.text()});
  return unused;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

bool isOrdinarySymbol(const CubinFile &cubin, unsigned i) {
  const Elf_Sym &sym = cubin.symtab().symbols[i];
  if (sym.getBinding() == STB_LOCAL)
    return false;
  const StringRef name = cubin.symtab().name(sym);
  if (name.empty() || name.starts_with(".") || name.starts_with("__UFT") ||
      name.starts_with("__UDT"))
    return false;
  if (sym.getType() == STT_FUNC)
    return !(sym.st_other & STO_CUDA_UNIFIED_FUNCTION) &&
           !mayStayUndefined(name);
  if (sym.getType() != STT_OBJECT && sym.getType() != STT_CUDA_OBJECT)
    return false;
  const uint8_t space = sym.st_other & STO_CUDA_SPACE_MASK;
  const bool isArray = space == STO_CUDA_SHARED &&
                       (sym.st_shndx == SHN_UNDEF || sym.st_size == 0);
  return !isArray && space != STO_CUDA_RESERVED_SHARED &&
         !(sym.st_other & (STO_CUDA_MANAGED | STO_CUDA_UNIFIED)) &&
         sym.getVisibility() != STV_INTERNAL;
}

bool isKernelDefinition(const CubinFile &cubin, unsigned i) {
  const Elf_Sym &sym = cubin.symtab().symbols[i];
  return sym.getType() == STT_FUNC && sym.st_shndx != SHN_UNDEF &&
         sym.st_other & STO_CUDA_ENTRY;
}

unsigned KernelsOfSections::find(unsigned i) {
  const Elf_Sym &sym = cubin.symtab().symbols[i];
  if (sym.st_shndx == SHN_UNDEF || cubin.isCommon(i) ||
      sym.getType() == STT_FUNC)
    return 0;
  const uint32_t section = cubin.sectionIndex(i);
  if (section >= cubin.sections().size())
    return 0;
  StringRef name = cubin.sectionName(section);
  if (!name.consume_front(".nv.shared."))
    return 0;
  if (!byName) {
    byName.emplace();
    for (unsigned k = 1; k != cubin.symtab().symbols.size(); ++k)
      if (isKernelDefinition(cubin, k))
        byName->try_emplace(cubin.symtab().name(cubin.symtab().symbols[k]), k);
  }
  return byName->lookup(name);
}

void SymbolControl::collectHostNames() {
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units)
      for (StringRef list :
           {unit.host.kernelsExternal, unit.host.variablesExternal,
            unit.host.constantsExternal})
        hostNames.add(list);
}

/// Objects of older compilers don't say what host code refers to.
bool SymbolControl::isForHost(const InputUnit &unit, StringRef name) const {
  return hostNames.matches(name) ||
         (unit.kind == ContentKind::HostObject && !unit.host.hasHostLists);
}

//===----------------------------------------------------------------------===//
// New names
//===----------------------------------------------------------------------===//

void SymbolControl::renameIn(LoadedCubin &cubin,
                             function_ref<StringRef(StringRef, bool)> newName) {
  const CubinSymbolTable &table = cubin.file.symtab();
  // Functions that only native code calls come after the symbols of both views.
  const size_t count =
      cubin.file.mercurySymtab().empty()
          ? table.symbols.size()
          : std::min(table.symbols.size(),
                     cubin.file.mercurySymtab().symbols.size());
  SymbolNames names;
  for (unsigned i = 1; i < count; ++i) {
    if (!isOrdinarySymbol(cubin.file, i))
      continue;
    const Elf_Sym &sym = table.symbols[i];
    const StringRef name = table.name(sym);
    const StringRef to = newName(name, sym.st_shndx != SHN_UNDEF);
    if (to.data() != name.data())
      names[i] = to;
  }
  if (names.empty())
    return;
  auto report = [&](Error e) {
    inputs.diag.report(DiagId::DamagedInput,
                       {diag::file(cubin.label), ": ", toString(std::move(e))});
  };
  Expected<SmallVector<char, 0>> bytes = renameSymbols(cubin.file, names);
  if (!bytes)
    return report(bytes.takeError());
  const StringRef kept = toStringRef(inputs.memory.keep(std::move(*bytes)));
  Expected<CubinFile> file = CubinFile::create(
      MemoryBufferRef(kept, cubin.file.buffer().getBufferIdentifier()));
  if (!file)
    return report(file.takeError());
  cubin.file = *file;
  cubin.facts = nullptr; // They are another file's.
}

bool SymbolControl::PrefixRule::appliesTo(const InputFile &file) const {
  return !file.systemLibrary &&
         (files.empty() ||
          any_of(files, [&](StringRef name) { return isCalled(file, name); }));
}

/// Whether --rename-prefix may rename a definition: host code has the names of
/// kernels and of some variables in it, so these must stay.
bool SymbolControl::isPrefixed(const InputUnit &unit,
                               KernelsOfSections &kernels, unsigned i) const {
  const CubinFile &cubin = kernels.cubin;
  const Elf_Sym &sym = cubin.symtab().symbols[i];
  if (sym.st_shndx == SHN_UNDEF || !isOrdinarySymbol(cubin, i))
    return false;
  if (isKernelDefinition(cubin, i))
    return unit.kind != ContentKind::HostObject &&
           !hostNames.matches(cubin.symtab().name(sym));
  if (unsigned kernel = kernels.find(i))
    return isPrefixed(unit, kernels, kernel);
  return sym.getType() == STT_FUNC ||
         !isForHost(unit, cubin.symtab().name(sym));
}

void SymbolControl::collectPrefixed(PrefixRule &rule) {
  DenseSet<CachedHashStringRef> kept; // Somewhere in the files.
  for (const InputFile &file : inputs.files) {
    if (!rule.appliesTo(file))
      continue;
    for (const InputUnit &unit : file.units)
      for (const LoadedCubin &cubin : unit.holds.cubins) {
        KernelsOfSections kernels(cubin.file);
        for (unsigned i = 1; i < cubin.file.symtab().symbols.size(); ++i) {
          const Elf_Sym &sym = cubin.file.symtab().symbols[i];
          if (sym.st_shndx == SHN_UNDEF || sym.getBinding() == STB_LOCAL)
            continue;
          const CachedHashStringRef name(cubin.file.symtab().name(sym));
          (isPrefixed(unit, kernels, i) ? rule.names : kept).insert(name);
        }
      }
  }
  for (CachedHashStringRef name : kept)
    rule.names.erase(name);
}

/// Returns the name that a reference to `name` means, by --wrap and --defsym.
StringRef SymbolControl::follow(StringRef name) {
  if (auto it = wraps.find(name); it != wraps.end()) {
    it->second.isUsed = true;
    name = it->second.to;
  }
  for (auto it = defsyms.find(name); it != defsyms.end();
       it = defsyms.find(name)) {
    it->second.isUsed = true;
    name = it->second.to;
  }
  return name;
}

StringRef SymbolControl::nameFor(const InputFile &file, StringRef name,
                                 bool isDefined) {
  for (const PrefixRule &rule : prefixes)
    if (rule.names.contains(CachedHashStringRef(name)) &&
        rule.appliesTo(file)) {
      name = inputs.memory.strings.save(rule.prefix + name);
      break;
    }
  return isDefined ? name : follow(name);
}

void SymbolControl::rename() {
  collectHostNames();
  for (PrefixRule &rule : prefixes)
    collectPrefixed(rule);
  if (prefixes.empty() && wraps.empty() && defsyms.empty())
    return;
  for (InputFile &file : inputs.files)
    for (InputUnit &unit : file.units)
      for (LoadedCubin &cubin : unit.holds.cubins)
        renameIn(cubin, [&](StringRef name, bool isDefined) {
          return nameFor(file, name, isDefined);
        });
}

void SymbolControl::refuseBitcode() {
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units) {
      const bool isBitcode = !unit.holds.bitcode.empty();
      if (file.isDeviceLibrary || unit.systemLibrary || unit.lazy ||
          (!isBitcode && unit.holds.ltoIR.empty()))
        continue;
      return inputs.diag.report(Diagnostic(
          DiagId::UnsupportedOption, Severity::Fatal,
          {getOption(inputs.config.lld.symbolOptions.front().operation),
           " can't be applied to ", diag::file(unit.label), ", which has ",
           isBitcode ? "LLVM bitcode" : "LTO IR",
           ": only the compiler knows its symbols; compile it first, or link "
           "it with -r"}));
    }
}

} // namespace lld::cuda
