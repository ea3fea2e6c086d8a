//===- SettleRules.cpp - The release whose rules a link follows -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// settleRules() fixes the release of nvlink whose rules a link follows. If
/// neither the command line nor the toolkit directory says which, the inputs
/// choose: the newest release that an input names [release-choice].
/// chooseRules() in Link.cpp calls it when all inputs are loaded, before
/// anything is merged; LinkSession.cpp does when an input brings a release that
/// it hasn't seen. Inputs newer than all known releases are linked by the
/// newest one's rules, with a warning that lists what isn't known of them; what
/// can't be linked without knowing more is an error.
///
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Input/LoadNext.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Passes.h"
#include "lld-cuda/BinaryFormat/Architectures.h"
#include "lld-cuda/BinaryFormat/Relocations.h"
#include "lld-cuda/Object/Compat.h"
#include "lld-cuda/Object/Note.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// Returns the release of a note's version, what follows the V in "Cuda
/// compilation tools, release 13.2, V13.2.86".
static const Release *releaseOfTool(StringRef version) {
  const size_t at = version.rfind('V');
  return at == StringRef::npos ? nullptr : findRelease(version.substr(at + 1));
}

static ArrayRef<uint8_t> toolkitNotes(const CubinFile &file) {
  const unsigned section = file.findSection(".note.nv.tkinfo");
  return section ? file.contents(section) : ArrayRef<uint8_t>();
}

/// The newest release that an object's notes name. The toolkit's number alone
/// stands for its line's newest one. Null for objects older than all.
static const Release *releaseOf(const LoadedCubin &cubin) {
  const Release *newest = nullptr;
  auto take = [&](const Release *release) {
    if (release && release->toolkit <= cubin.compiledFor.toolkit &&
        (!newest || release->id > newest->id))
      newest = release;
  };
  if (const ArrayRef<uint8_t> contents = toolkitNotes(cubin.file);
      !contents.empty()) {
    auto notes = readTkInfoNotes(contents);
    if (!notes)
      consumeError(notes.takeError()); // Told of when it is merged.
    else
      for (const TkInfoNote &note : *notes)
        take(releaseOfTool(note.toolVersion));
  }
  if (newest && newest->toolkit == cubin.compiledFor.toolkit)
    return newest;
  for (const Release &release : releases())
    take(&release);
  return newest;
}

static void forEachCubin(const Inputs &inputs,
                         function_ref<void(const LoadedCubin &)> visit) {
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units)
      for (const LoadedCubin &cubin : unit.holds.cubins)
        visit(cubin);
}

namespace {
/// The parts of objects that no known release has.
class UnknownParts {
public:
  void add(const CubinFile &file);
  /// Parts that are ignored or copied as they are, and parts that can't be.
  std::set<std::string> parts, unsafe;

private:
  void addSection(const CubinFile &file, unsigned section);
  void addCodes(const CubinFile &file, unsigned section, StringRef what,
                bool (*isKnown)(uint8_t));
  template <typename Entries>
  void addRelocations(const CubinFile &file, unsigned section,
                      const Entries &entries) {
    for (const auto &entry : entries)
      if (getRelocationName(entry.getType(false)).empty())
        unsafe.insert("relocation 0x" + utohexstr(entry.getType(false), true) +
                      " in '" + file.sectionName(section).str() + "'");
  }
};
} // namespace

void UnknownParts::addCodes(const CubinFile &file, unsigned section,
                            StringRef what, bool (*isKnown)(uint8_t)) {
  consumeError(forEachNvInfoRecord(
      file.contents(section), [&](size_t, const NvInfoRecord &record) {
        if (!isKnown(record.code))
          parts.insert((what + " 0x" + utohexstr(record.code, true)).str());
        return Error::success();
      }));
}

/// One of a type that isn't known is left out, which must not take away what
/// the program needs.
void UnknownParts::addSection(const CubinFile &file, unsigned section) {
  const Elf_Shdr &header = file.sections()[section];
  bool isNeeded = header.sh_flags & ELF::SHF_ALLOC;
  for (unsigned i = 1; i < file.symtab().symbols.size(); ++i)
    isNeeded |= file.sectionIndex(i) == section &&
                file.symtab().symbols[i].getType() != ELF::STT_SECTION;
  (isNeeded ? unsafe : parts)
      .insert("section '" + file.sectionName(section).str() + "' of type 0x" +
              utohexstr(header.sh_type, true));
}

void UnknownParts::add(const CubinFile &file) {
  for (unsigned i = 1; i < file.sections().size(); ++i) {
    const uint32_t type = file.sections()[i].sh_type;
    switch (type) {
    case SHT_CUDA_INFO:
    case SHT_CUDA_MERC_INFO:
      addCodes(file, i, "attribute", [](uint8_t code) {
        return getNvInfoAttribute(code) != nullptr;
      });
      break;
    case SHT_CUDA_COMPAT_INFO:
      addCodes(file, i, "compatibility code", [](uint8_t code) {
        return getCompatAttribute(code) != nullptr;
      });
      break;
    case ELF::SHT_REL:
      addRelocations(file, i, file.rels(i));
      break;
    case ELF::SHT_RELA:
      addRelocations(file, i, file.relas(i));
      break;
    default:
      if (type >= ELF::SHT_LOPROC && type <= ELF::SHT_HIPROC &&
          getSectionTypeName(type).empty())
        addSection(file, i);
    }
  }
}

/// One warning for all objects of toolkits that are newer than the rules. What
/// can't be linked without knowing more is refused.
static void checkNewer(const Inputs &inputs) {
  const ReleaseChoice &choice = inputs.config.release;
  const unsigned newest = newestToolkit(choice);
  const std::string rules =
      (choice.isFixed ? *choice.request.release : newestRelease()).name.str();
  UnknownParts unknown;
  std::string first;
  unsigned count = 0, toolkit = 0;
  bool isRefused = false;
  forEachCubin(inputs, [&](const LoadedCubin &cubin) {
    if (cubin.compiledFor.toolkit <= newest)
      return;
    if (!count++)
      first = cubin.label;
    toolkit = std::max(toolkit, cubin.compiledFor.toolkit);
    unknown.add(cubin.file);
    if (unknown.unsafe.empty())
      return;
    isRefused = true;
    inputs.diag.report(DiagId::NewerThanToolkit,
                       {"Input file ", diag::file(cubin.label),
                        " newer than toolkit (", cubin.compiledFor.toolkit,
                        " vs ", newest, "), with ", join(unknown.unsafe, ", "),
                        ", which the rules of ", rules, " can't link"});
    unknown.unsafe.clear();
  });
  if (!count || isRefused)
    return;
  const std::string others =
      count > 1 ? " and " + utostr(count - 1) + " more" : std::string();
  inputs.diag.report(
      DiagId::NewerThanAllReleases,
      {"Input file ", diag::file(first), others, " newer than toolkit (",
       toolkit, " vs ", newest, "); linked by the rules of ", rules, ", which ",
       unknown.parts.empty() ? std::string("know everything in it")
                             : "don't know " + join(unknown.parts, ", ")});
}

static bool isLastOfItsLine(const Release &release) {
  return &release == &newestRelease() ||
         (&release)[1].toolkit > release.toolkit;
}

/// Whether the inputs choose a release of CUDA 12: all of them are of CUDA 12
/// or 11, or the target is one that CUDA 13 hasn't got [cuda12-choice].
static bool choosesOldRelease(const Inputs &inputs) {
  const ReleaseChoice &choice = inputs.config.release;
  const ArchitectureLimits *target = getArchitectureLimits(inputs.sm());
  if (!target || !canWriteOldFiles(inputs.config) ||
      target->since >= FirstToolkitOf13)
    return false;
  if (target->until <= FirstToolkitOf13 || choice.cudaMajor == 12)
    return true;
  if (choice.cudaMajor == 13 || (choice.request.exact && !choice.asksInputs))
    return false;
  bool anyCubin = false, allOld = true;
  forEachCubin(inputs, [&](const LoadedCubin &cubin) {
    anyCubin = true;
    // From sm_100 on objects of CUDA 12 have 13's header [mercury12-file].
    allOld &= cubin.file.hasOldHeader() != inputs.isMercury() &&
              cubin.compiledFor.toolkit < FirstToolkitOf13;
  });
  return anyCubin && allOld;
}

/// Reports objects of CUDA 13, which can't be linked into an image of CUDA 12.
static void refuseNewer(const Inputs &inputs, unsigned toolkit) {
  forEachCubin(inputs, [&](const LoadedCubin &cubin) {
    if (cubin.compiledFor.toolkit > toolkit)
      inputs.diag.report(DiagId::NewerThanToolkit,
                         {"Input file ", diag::file(cubin.label),
                          " newer than toolkit (", cubin.compiledFor.toolkit,
                          " vs ", toolkit, ")"});
  });
}

/// Returns the oldest release that inputs may choose: the default one, or
/// CUDA 12's first one, or a later one if those don't have the target.
static const Release *oldestChoice(const Inputs &inputs) {
  const bool isOld = choosesOldRelease(inputs);
  const Release *release =
      isOld ? &releases().front() : inputs.config.release.request.release;
  const ArchitectureLimits *target = getArchitectureLimits(inputs.sm());
  const unsigned since = target ? target->since : 0;
  while (release->toolkit < since || (!isOld && !isLastOfItsLine(*release)))
    ++release;
  return release;
}

/// The first line's releases differ, and the newest of them is only taken for
/// granted where no object names an older one.
static const Release *chooseOfFirstLine(const Inputs &inputs,
                                        const Release *last) {
  const Release *named = nullptr;
  bool isLast = false;
  forEachCubin(inputs, [&](const LoadedCubin &cubin) {
    if (isLast || cubin.compiledFor.toolkit != last->toolkit)
      return;
    const Release *release = releaseOf(cubin);
    isLast = release == last;
    if (release && (!named || release->id > named->id))
      named = release;
  });
  return named && !isLast ? named : last;
}

bool ObjectReleases::add(const Inputs &inputs, const InputFile &file) {
  const ReleaseChoice &choice = inputs.config.release;
  const bool areTold = !choice.isFixed || choice.refusesNewer == false;
  if (!areTold)
    return false;
  const unsigned newest = newestToolkit(choice);
  bool isNew = false;
  for (const InputUnit &unit : file.units)
    for (const LoadedCubin &cubin : unit.holds.cubins) {
      isNew |= cubin.compiledFor.toolkit > newest;
      if (choice.isFixed)
        continue;
      const std::tuple<unsigned, bool, ArrayRef<uint8_t>> own = {
          cubin.compiledFor.toolkit, cubin.file.hasOldHeader(),
          toolkitNotes(cubin.file)};
      if (!seen.empty() && own == last)
        continue;
      last = own;
      isNew |= seen.insert({cubin.compiledFor.toolkit, releaseOf(cubin),
                            cubin.file.hasOldHeader()})
                   .second;
    }
  return isNew;
}

void settleRules(Inputs &inputs) {
  if (inputs.config.release.isFixed) {
    if (inputs.config.release.refusesNewer == false)
      checkNewer(inputs);
    return;
  }
  const Release *newest = oldestChoice(inputs);
  forEachCubin(inputs, [&](const LoadedCubin &cubin) {
    if (cubin.compiledFor.toolkit < newest->toolkit ||
        (cubin.compiledFor.toolkit == newest->toolkit &&
         isLastOfItsLine(*newest)))
      return;
    const Release *release = releaseOf(cubin);
    if (release && release->id > newest->id)
      newest = release;
  });
  if (newest == &defaultRelease())
    newest = chooseOfFirstLine(inputs, newest);
  checkNewer(inputs);
  if (newest->toolkit >= FirstToolkitOf13 && choosesOldRelease(inputs)) {
    while (newest->toolkit >= FirstToolkitOf13)
      --newest;
    refuseNewer(inputs, newest->toolkit);
  }
  ReleaseChoice choice = inputs.config.release;
  choice.isFixed = true;
  choice.request.release = newest;
  inputs.settled = LinkRelease(std::move(choice));
  for (InputFile &file : inputs.files)
    for (InputUnit &unit : file.units) {
      recheckArchitectures(inputs, unit);
      reportUnit(inputs, unit);
    }
}

} // namespace lld::cuda
