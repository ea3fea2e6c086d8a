//===- ExplainUndefined.cpp - Who needs a symbol, and where it may be -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// reportUndefined() prints the error for each undefined symbol, which code
/// refers to it, and what may help. checkUndefined() in Analysis/Undefined.cpp
/// calls it with all such symbols of a final link. explainMissingName()
/// suggests functions for a name that an option gives (-e, --require-kernels
/// and others) and no input defines.
///
/// References come from one pass over the relocations of the objects that name
/// one of the symbols. Suggestions are searched only for the first few symbols:
/// other names that may have been meant (NearNames.h: other parameters, C
/// instead of C++ linkage, another namespace, a static definition, a spelling
/// mistake), then inputs for other architectures, archives that come too early
/// and libraries that weren't found.
///
//===----------------------------------------------------------------------===//

#include "Explain/Explain.h"
#include "Explain/NearNames.h"
#include "Explain/SourcePlaces.h"
#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Input/OtherImages.h"
#include "Inputs.h"
#include "Program.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

/// So many references are shown for a symbol.
constexpr unsigned MaxReferences = 3;
/// So many symbols get suggestions; the rest is likely to have one cause.
constexpr unsigned MaxSuggestions = 10;

/// The functions that refer to a symbol, and the variables whose initializers
/// do, each once, in the order of the inputs and of their sections.
struct References {
  struct ReferencePlace {
    const ObjectFile *file;
    unsigned section;
    unsigned variable; ///< Input symbol; 0: none, the section is code.
    uint64_t offset;   ///< Of the first reference.
  };
  SmallVector<ReferencePlace, MaxReferences> places;
  unsigned count = 0;
};

class ReferenceFinder {
public:
  ReferenceFinder(const Program &program, ArrayRef<const Symbol *> missed) {
    for (const Symbol *s : missed)
      references[s];
    for (const ObjectFile &obj : program.objects)
      scanObject(obj);
  }
  const References &of(const Symbol &s) { return references[&s]; }

private:
  struct Found {
    const Symbol *symbol;
    References::ReferencePlace place;
  };
  void scanObject(const ObjectFile &obj);
  template <typename Rel>
  void scanSection(const ObjectFile &obj, ArrayRef<Rel> entries,
                   unsigned target);
  void nameVariables(const ObjectFile &obj);
  void addFound();

  MapVector<const Symbol *, References> references;
  std::vector<Found> found; ///< In the object that is scanned.
};

} // namespace

void ReferenceFinder::scanObject(const ObjectFile &obj) {
  auto isMissed = [&](Symbol *s) {
    return s && !s->defined && references.contains(s);
  };
  if (none_of(obj.symbols, isMissed))
    return;
  const CubinFile &file = obj.file;
  found.clear();
  for (unsigned i = 1; i < file.sections().size(); ++i) {
    const Elf_Shdr &shdr = file.sections()[i];
    if ((shdr.sh_type != SHT_REL && shdr.sh_type != SHT_RELA) ||
        shdr.sh_flags & SHF_CUDA_MERCURY ||
        shdr.sh_info >= file.sections().size() ||
        !(file.sections()[shdr.sh_info].sh_flags & SHF_ALLOC))
      continue;
    if (shdr.sh_type == SHT_RELA)
      scanSection(obj, file.relas(i), shdr.sh_info);
    else
      scanSection(obj, file.rels(i), shdr.sh_info);
  }
  nameVariables(obj);
  addFound();
}

template <typename Rel>
void ReferenceFinder::scanSection(const ObjectFile &obj, ArrayRef<Rel> entries,
                                  unsigned target) {
  const uint32_t owner =
      target < obj.textOwner.size() ? obj.textOwner[target] : 0;
  if (owner && obj.isLost(owner))
    return;
  for (const Rel &r : entries) {
    const uint32_t index = r.getSymbol(false);
    Symbol *s = index < obj.symbols.size() ? obj.symbols[index] : nullptr;
    if (s && !s->defined && references.contains(s))
      found.push_back({s, {&obj, target, 0, r.r_offset}});
  }
}

/// Finds the variables that initializers belong to: in one walk over the
/// object's symbols, sorted by place, beside the references.
void ReferenceFinder::nameVariables(const ObjectFile &obj) {
  llvm::stable_sort(found, [](const Found &a, const Found &b) {
    return std::pair(a.place.section, a.place.offset) <
           std::pair(b.place.section, b.place.offset);
  });
  struct Extent {
    unsigned section;
    uint64_t begin, end;
    unsigned symbol;
  };
  std::vector<Extent> extents;
  auto isData = [&](const Found &f) {
    return f.place.section >= obj.textOwner.size() ||
           !obj.textOwner[f.place.section];
  };
  if (none_of(found, isData))
    return;
  for (unsigned i = 1; i < obj.symbols.size(); ++i)
    if (const Elf_Sym &sym = obj.inputSymbol(i);
        sym.getType() != STT_SECTION && sym.st_size && !obj.file.isCommon(i))
      extents.push_back({obj.file.sectionIndex(i), sym.st_value,
                         sym.st_value + sym.st_size, i});
  llvm::stable_sort(extents, [](const Extent &a, const Extent &b) {
    return std::pair(a.section, a.begin) < std::pair(b.section, b.begin);
  });
  auto next = extents.begin();
  for (Found &f : found) {
    const std::pair<unsigned, uint64_t> at(f.place.section, f.place.offset);
    while (next != extents.end() && std::pair(next->section, next->begin) <= at)
      ++next;
    if (!isData(f) || next == extents.begin())
      continue;
    const Extent &before = *std::prev(next);
    if (before.section == at.first && at.second < before.end)
      f.place.variable = before.symbol;
  }
}

void ReferenceFinder::addFound() {
  // The last place of each symbol is the only one that may come again.
  DenseMap<const Symbol *, std::pair<unsigned, unsigned>> last;
  for (const Found &f : found) {
    const std::pair place(f.place.section, f.place.variable);
    auto [it, isNew] = last.try_emplace(f.symbol, place);
    if (!isNew && std::exchange(it->second, place) == place)
      continue;
    References &r = references[f.symbol];
    if (++r.count <= MaxReferences)
      r.places.push_back(f.place);
  }
}

/// A function, or the variable whose initializer it is.
static std::string describeUser(const Inputs &inputs,
                                const References::ReferencePlace &place) {
  const ObjectFile &obj = *place.file;
  const unsigned section = place.section;
  const uint32_t owner =
      section < obj.textOwner.size() ? obj.textOwner[section] : 0;
  auto nameOf = [&](unsigned symbol) {
    return inputs.diag.display(obj.file.symtab().name(obj.inputSymbol(symbol)));
  };
  if (owner)
    return "function " + nameOf(owner);
  if (place.variable)
    return "variable " + nameOf(place.variable);
  return ("section " + obj.file.sectionName(section)).str();
}

/// Returns the line of the code that refers to the symbol, or the line of the
/// variable's declaration.
static std::optional<SourceLine>
findLine(const Inputs &inputs, const Program &program,
         const References::ReferencePlace &place) {
  const ObjectFile &obj = *place.file;
  if (!place.variable)
    return SourcePlaces::of(inputs, program)
        .code(obj, place.section, place.offset);
  return SourcePlaces::of(inputs, program)
      .symbol(obj, obj.file.symtab().name(obj.inputSymbol(place.variable)));
}

//===----------------------------------------------------------------------===//
// Suggestions
//===----------------------------------------------------------------------===//

namespace {
struct Suggestion {
  const Symbol *other = nullptr;
  bool isStatic = false;
  NearName near{};
};
} // namespace

/// Whether `name`, of one file only, is what the source calls `wanted`.
static bool isStaticOfName(StringRef name, StringRef missed,
                           const NameParts &wanted) {
  if (name == missed || name.ends_with(("_" + missed).str()))
    return true;
  if (wanted.base.empty() || !name.contains(wanted.base))
    return false;
  const NameParts parts = partsOfStatic(name);
  return parts.base == wanted.base && parts.scope == wanted.scope &&
         parts.parameters == wanted.parameters;
}

/// Returns the symbol that was most likely meant, the first if several are.
static Suggestion findSuggestion(const Program &program, const Symbol &missed) {
  Suggestion best;
  const NameParts wanted = NameParts::of(missed.name);
  auto consider = [&](const Symbol &s) {
    if (best.isStatic || &s == &missed || !s.defined || s.isSection() ||
        s.isFunction() != missed.isFunction())
      return;
    StringRef name = s.name;
    if (s.isLocal() || name.starts_with("__nv_static_")) {
      if (isStaticOfName(name, missed.name, wanted))
        best = {&s, /*isStatic=*/true, {}};
      return;
    }
    // A cheap test first, which few names pass.
    if (wanted.base.empty() || !mayBeNear(name, wanted.base))
      return;
    const auto near = compareNames(wanted, NameParts::of(name));
    if (near && (!best.other || near->cost < best.near.cost))
      best = {&s, /*isStatic=*/false, *near};
  };
  for (const Symbol *s : program.locals)
    consider(*s);
  for (const Symbol *s : program.globals)
    consider(*s);
  return best;
}

/// Names that come from somewhere else than the user's code.
static StringRef knownOrigin(StringRef name) {
  if (name.starts_with("__cudaCDP2") || name.starts_with("cudaGraph") ||
      name.starts_with("cudaStream") || name.starts_with("cudaLaunchDevice") ||
      name.starts_with("cudaDevice") || name.starts_with("cudaEvent"))
    return "it is part of the device runtime: link with -lcudadevrt";
  if (name.starts_with("__nv_"))
    return "it looks like a function of libdevice, which the compiler links "
           "in, not the linker";
  return {};
}

static void suggestOtherImages(Inputs &inputs, const Symbol &missed) {
  // Looking into compressed images takes time.
  unsigned looked = 0;
  constexpr unsigned MaxUnits = 64;
  for (InputFile &file : inputs.files)
    for (InputUnit &unit : file.units) {
      if ((!unit.holds.anyDeviceCode && !unit.told.isIgnoredCubin) ||
          !unit.holds.cubins.empty())
        continue;
      if (++looked > MaxUnits)
        return;
      if (!definesInOtherImage(unit, missed.name))
        continue;
      unit.told.isMissingCode = true;
      inputs.diag.explain(
          "'" + unit.label + "' defines it, but " +
          (unit.told.isIgnoredCubin && !inputs.config.isLld()
               ? "nvlink links only host objects from archives; give the cubin "
                 "itself on the command line"
               : "has no code for " + inputs.config.archName + ", only " +
                     describeImages(unit)));
      return;
    }
}

/// A symbol that is like the missed one, but elsewhere: __device__ in one file
/// and __constant__ in the other.
static void explainSpace(const Inputs &inputs, const Symbol &missed,
                         const Symbol &other) {
  StringRef wanted = describeMemorySpace(missed);
  StringRef has = describeMemorySpace(other);
  if (wanted != has)
    inputs.diag.explain("  it is " + has + ", but declared as " + wanted);
}

static bool definesIt(const InputUnit &unit, StringRef name) {
  return any_of(unit.holds.cubins, [&](const LoadedCubin &cubin) {
    return definesSymbol(cubin.file, name);
  });
}

/// Another image has their code; there is no link between images.
static bool suggestRegistered(const Inputs &inputs, const Symbol &missed) {
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units)
      if (unit.host.isRegistered && definesIt(unit, missed.name)) {
        inputs.diag.explain("'" + unit.label +
                            "' defines it, but an earlier device link has "
                            "already linked and registered that object; link "
                            "the objects of both in one device link");
        return true;
      }
  return false;
}

/// Objects with device code of which none is for a device link. What nobody
/// calls in such an object isn't in it, so one that doesn't define the symbol
/// may have done so in its source.
static void suggestWholePrograms(const Inputs &inputs, const Symbol &missed,
                                 bool isFirst) {
  constexpr unsigned MaxLooked = 64, MaxShown = 3;
  unsigned looked = 0, others = 0;
  std::string list;
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units) {
      if (!unit.host.isWholeProgram)
        continue;
      if (++looked <= MaxLooked && definesInWholeProgram(unit, missed.name)) {
        inputs.diag.explain("'" + unit.label +
                            "' defines it, but was compiled without -rdc=true");
        return;
      }
      if (++others <= MaxShown)
        list += ((list.empty() ? "'" : ", '") + unit.label + "'").str();
    }
  if (others && isFirst)
    inputs.diag.explain("compiled without -rdc=true, so unusable in a device "
                        "link: " +
                        list +
                        (others > MaxShown
                             ? " and " + utostr(others - MaxShown) + " more"
                             : ""));
}

/// Names inputs that device links have made: others can't call their functions,
/// and the missed one may not even be there, because nobody called it.
static void suggestDeviceLinks(const Inputs &inputs) {
  constexpr unsigned MaxShown = 3;
  unsigned count = 0;
  std::array<const InputUnit *, MaxShown> shown;
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units) {
      if (unit.host.isRegistered)
        return; // suggestRegistered() knows more.
      if (unit.host.registration == Registration::Definitions &&
          unit.holds.cubins.empty() && count != MaxShown)
        shown[count++] = &unit;
    }
  for (const InputUnit *unit : ArrayRef(shown).take_front(count))
    inputs.diag.explain(
        "'" + unit->label +
        "' is the output of a device link, so code outside it can't call its "
        "functions; link its inputs here instead, or make it with -r");
}

/// System libraries are linked at their turn or not at all.
static void suggestEarlyLibrary(const Inputs &inputs, const Symbol &missed) {
  for (const InputFile &file : inputs.files) {
    if (!file.dropped)
      continue;
    for (const InputUnit &unit : file.units)
      if (definesIt(unit, missed.name)) {
        inputs.diag.explain(
            "'" + file.path +
            "' defines it, but no file before it on the command line needs it; "
            "put it after the file that does");
        return;
      }
  }
}

/// Once, below the first symbol: what isn't there can define any of them.
static void suggestMissingLibraries(const Inputs &inputs) {
  if (inputs.missingLibraries.empty())
    return;
  std::string text = "libraries that were not found:";
  for (const std::string &name : inputs.missingLibraries)
    text += " -l" + name;
  inputs.diag.explain(text);
}

static void suggestName(const Inputs &inputs, Program &program,
                        const Symbol &missed) {
  const Suggestion found = findSuggestion(program, missed);
  if (!found.other) {
    if (missed.isFunction() && NameParts::of(missed.name).isTemplate)
      inputs.diag.explain(
          "it is an instance of a template: the caller must see the template's "
          "definition, or another file must instantiate it explicitly");
    return;
  }
  const std::string name = inputs.diag.display(found.other->name);
  const auto line = SourcePlaces::of(inputs, program).definition(*found.other);
  const std::string place =
      " in '" + program.objects[found.other->definedIn].label.str() + "'" +
      describePlace(" (", line, ")");
  std::string text = "did you mean: " + name + place + "?";
  if (found.isStatic)
    text = "it is static" + place + ": other files can't refer to it";
  else if (found.near.kind == NearName::Linkage)
    text = "did you mean to declare " + name + place +
           (found.other->name.starts_with("_Z") ? " extern \"C\"?"
                                                : " extern \"C\" here, too?");
  else if (found.near.kind == NearName::Parameters &&
           NameParts::of(missed.name).parameters !=
               NameParts::of(found.other->name).parameters)
    text = "did you mean: " + name + place + ", which has other parameters?";
  inputs.diag.explain(text, orNull(line));
  explainSpace(inputs, missed, *found.other);
}

static void suggest(Inputs &inputs, Program &program, const Symbol &missed) {
  suggestName(inputs, program, missed);
  if (suggestRegistered(inputs, missed))
    return;
  if (StringRef origin = knownOrigin(missed.name); !origin.empty())
    inputs.diag.explain(origin);
  suggestEarlyLibrary(inputs, missed);
  suggestSharedLibraries(inputs, missed);
  suggestOtherImages(inputs, missed);
}

/// "ns::foo(int)", as people write it, or a symbol.
static NameParts partsOfWritten(StringRef name) {
  NameParts parts = NameParts::of(name);
  if (parts.isMangled)
    return parts;
  StringRef text = name.split('(').first;
  text = text.drop_front(text.rfind(' ') + 1).split('<').first;
  const size_t colons = text.rfind("::");
  parts.base =
      text.drop_front(colons == StringRef::npos ? 0 : colons + 2).str();
  return parts;
}

/// Command lines take names as the objects have them, people know those of the
/// source, or nearly.
void explainMissingName(const Inputs &inputs, const Program &program,
                        StringRef name, bool kernelsOnly) {
  if (!inputs.diag.explains())
    return;
  constexpr size_t MaxShown = 3;
  const std::string wanted = partsOfWritten(name).base;
  std::vector<std::pair<unsigned, const Function *>> found;
  for (const Function &f : program.functions) {
    if (!f.defined || f.isLocal() || (kernelsOnly && !f.isKernel()) ||
        !mayBeNear(f.name, wanted))
      continue;
    const NameParts parts = NameParts::of(f.name);
    const unsigned distance = StringRef(wanted).edit_distance(parts.base);
    if (!parts.base.empty() && isLikelyTypo(wanted, distance))
      found.push_back({distance, &f});
  }
  llvm::stable_sort(
      found, [](const auto &a, const auto &b) { return a.first < b.first; });
  for (const auto &[distance, f] : ArrayRef(found).take_front(MaxShown)) {
    const std::string other = demangleDeviceName(f->name);
    inputs.diag.explain("did you mean: " + f->name +
                        (other == f->name ? "" : ", which is " + other) + "?");
  }
}

static void explainReferences(const Inputs &inputs, Program &program,
                              const Symbol &s, const References &found) {
  // The lld flavour's message has it already.
  if (std::string name = inputs.diag.display(s.name);
      !inputs.config.isLld() && name != s.name)
    inputs.diag.explain("demangled: " + name);
  for (const References::ReferencePlace &p : found.places) {
    const std::optional<SourceLine> line = findLine(inputs, program, p);
    inputs.diag.explain("referenced by " + describeUser(inputs, p) + " in '" +
                            p.file->label + "'" +
                            describePlace(" (", line, ")"),
                        orNull(line));
  }
  if (found.count > MaxReferences)
    inputs.diag.explain("and " + Twine(found.count - MaxReferences) + " more");
  if (!found.count)
    inputs.diag.explain("declared in '" + program.objects[s.mentionedIn].label +
                        "', where nothing refers to it");
}

static void reportOne(const Inputs &inputs, Program &program, const Symbol &s) {
  const Severity severity =
      inputs.config.lld.unresolved == UnresolvedPolicy::Warn ? Severity::Warning
                                                             : Severity::Error;
  const MessagePart name = diag::symbol(s.name);
  inputs.diag.report(
      inputs.config.isLld()
          ? Diagnostic(DiagId::UndefinedReference, severity,
                       {"undefined symbol: ", name.bare()})
          : Diagnostic(DiagId::UndefinedReference, severity,
                       {"Undefined reference to ", name, " in ",
                        diag::file(program.objects[s.mentionedIn].label)}));
}

void reportUndefined(Inputs &inputs, Program &program,
                     ArrayRef<const Symbol *> missed) {
  if (missed.empty())
    return;
  if (inputs.config.lld.unresolved == UnresolvedPolicy::Ignore)
    return;
  std::optional<ReferenceFinder> finder;
  if (inputs.diag.explains())
    finder.emplace(program, missed);
  std::map<std::string, std::string> libraries;
  if (finder)
    libraries = findInLibraries(inputs, missed.take_front(MaxSuggestions));
  unsigned reported = 0;
  for (const Symbol *s : missed) {
    reportOne(inputs, program, *s);
    if (inputs.diag.stopped())
      return;
    if (!finder)
      continue;
    ++reported;
    explainReferences(inputs, program, *s, finder->of(*s));
    if (reported <= MaxSuggestions)
      suggest(inputs, program, *s);
    if (auto it = libraries.find(s->name.str()); it != libraries.end())
      inputs.diag.explain("'" + it->second +
                          "' defines it, but is not linked; add -l" +
                          sys::path::stem(it->second).drop_front(3));
    if (reported <= MaxSuggestions)
      suggestWholePrograms(inputs, *s, reported == 1);
    if (reported == 1) {
      suggestDeviceLinks(inputs);
      suggestMissingLibraries(inputs);
    }
  }
}

} // namespace lld::cuda
