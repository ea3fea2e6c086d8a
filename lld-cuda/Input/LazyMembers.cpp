//===- LazyMembers.cpp - Which cubins in archives are linked --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// selectLazyMembers() decides which cubins and LLVM bitcode in archives
/// ld.cuda links: those that define something that is needed. That is a symbol
/// that is undefined in what is linked, a kernel or variable that host code
/// names, or a name given with -u or -e. loadInputs() in InputFiles.cpp calls
/// it when all inputs are unpacked, before the merge. Archives are searched as
/// often as it takes, whatever their order.
///
/// Members that are host objects are always linked, since no device code refers
/// to their kernels. nvlink takes only those.
///
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Input/NamePatterns.h"
#include "Input/ObjectFile.h"
#include "Input/RequiredKernels.h"
#include "Inputs.h"
#include "lld-cuda/Lto/Protocol.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::elf;

namespace {

class MemberSelection {
public:
  explicit MemberSelection(Inputs &inputs) : inputs(inputs) {}
  void run();

private:
  struct Need {
    StringRef name, by; ///< What needs it: a file or an option.
  };
  void addLazyDefinitions(InputUnit &unit);
  void addNeeds(const InputUnit &unit);
  void addHostNeeds();
  void noteHostObjects();
  template <typename Fn> void forEachGlobal(const InputUnit &unit, Fn fn) const;

  Inputs &inputs;
  DenseMap<CachedHashStringRef, InputUnit *> lazyDefinitions;
  DenseSet<CachedHashStringRef> seen; ///< Defined, or asked for before.
  std::vector<Need> needs;
  NamePatterns hostNames;
};

} // namespace

template <typename Fn>
void MemberSelection::forEachGlobal(const InputUnit &unit, Fn fn) const {
  for (const LoadedCubin &cubin : unit.holds.cubins) {
    const CubinSymbolTable &table = cubin.file.symtab();
    for (const Elf_Sym &sym : table.symbols)
      if (sym.getBinding() != STB_LOCAL && sym.getType() != STT_SECTION)
        fn(table.name(sym), sym.st_shndx != SHN_UNDEF);
  }
  for (const BitcodeSource &module : unit.holds.bitcode)
    for (const BitcodeSymbol &sym : module.symbols)
      if (!sym.has(lto::symbol::FormatSpecific))
        fn(sym.name, !sym.has(lto::symbol::Undefined));
}

void MemberSelection::addLazyDefinitions(InputUnit &unit) {
  forEachGlobal(unit, [&](StringRef name, bool isDefined) {
    if (isDefined)
      lazyDefinitions.try_emplace(CachedHashStringRef(name), &unit);
  });
}

void MemberSelection::addNeeds(const InputUnit &unit) {
  forEachGlobal(unit, [&](StringRef name, bool isDefined) {
    if (isDefined)
      seen.insert(CachedHashStringRef(name));
  });
  forEachGlobal(unit, [&](StringRef name, bool isDefined) {
    if (!isDefined && seen.insert(CachedHashStringRef(name)).second)
      needs.push_back({name, unit.label});
  });
  for (StringRef list : {unit.host.kernelsExternal, unit.host.variablesExternal,
                         unit.host.constantsExternal})
    hostNames.add(list);
}

/// Host code refers to names by patterns, so all names that members define are
/// compared with these.
void MemberSelection::addHostNeeds() {
  if (hostNames.empty())
    return;
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units)
      if (unit.lazy)
        forEachGlobal(unit, [&](StringRef name, bool isDefined) {
          if (isDefined && hostNames.matches(name) &&
              seen.insert(CachedHashStringRef(name)).second)
            needs.push_back({name, "<host code>"});
        });
}

/// Lists members that are host objects for --why-extract, without a symbol that
/// needs them.
void MemberSelection::noteHostObjects() {
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units)
      if (unit.isMember && !file.takeWhole &&
          unit.kind == ContentKind::HostObject &&
          !(unit.holds.cubins.empty() && unit.holds.bitcode.empty() &&
            unit.holds.ltoIR.empty()))
        inputs.extractions.push_back({"<host object>", unit.label, ""});
}

void MemberSelection::run() {
  noteHostObjects();
  bool anyLazy = false;
  for (InputFile &file : inputs.files)
    for (InputUnit &unit : file.units)
      if (unit.lazy) {
        anyLazy = true;
        addLazyDefinitions(unit);
      }
  if (!anyLazy)
    return;
  for (InputFile &file : inputs.files)
    for (InputUnit &unit : file.units)
      if (!unit.lazy)
        addNeeds(unit);
  addHostNeeds();
  const LldConfig &lld = inputs.config.lld;
  for (const std::string &name : lld.entryNames)
    needs.push_back({name, "-e"});
  for (auto *names : {&lld.undefinedNames, &lld.requiredNames})
    for (const std::string &name : *names)
      needs.push_back({name, "-u"});

  for (size_t i = 0; i != needs.size(); ++i) {
    const Need need = needs[i]; // The list grows.
    InputUnit *unit = lazyDefinitions.lookup(CachedHashStringRef(need.name));
    if (!unit || !unit->lazy)
      continue;
    unit->lazy = false;
    inputs.extractions.push_back({need.by, unit->label, need.name});
    addNeeds(*unit);
  }
  for (InputFile &file : inputs.files)
    for (InputUnit &unit : file.units)
      if (unit.lazy) {
        if (inputs.requiredKernels)
          inputs.requiredKernels->noteUntaken(unit);
        unit.holds.cubins.clear();
        unit.holds.bitcode.clear();
        unit.told.messages.clear();
        unit.host.countsForHostInfo = false;
        unit.host.registration = Registration::None;
      }
}

void lld::cuda::selectLazyMembers(Inputs &inputs) {
  MemberSelection(inputs).run();
}
