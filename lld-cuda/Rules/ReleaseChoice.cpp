//===- ReleaseChoice.cpp - By which release's rules a link goes -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The command line fixes the release, or the toolkit directory from which the
/// linker was started, or the inputs choose: the newest one that any of them
/// names [release-choice].
///
//===----------------------------------------------------------------------===//

#include "Rules/ReleaseChoice.h"
#include "Ctx.h"
#include "lld-cuda/Object/Compat.h"
#include "lld-cuda/Object/Note.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

static Error invalid(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

const Release *findRelease(StringRef name) {
  for (const Release &r : reverse(releases()))
    if (r.name == name || r.name.rsplit('.').first == name)
      return &r;
  return nullptr;
}

Error readRelease(StringRef text, ReleaseChoice &choice) {
  choice.isFixed = text != "inputs";
  if (text == "inputs")
    choice.request.release = &defaultRelease();
  else if (text == "newest")
    choice.request.release = &newestRelease();
  else if (const Release *release = findRelease(text))
    choice.request.release = release;
  else
    return invalid("unknown release of nvlink '" + text + "'; use " +
                   releases().front().name + " to " + newestRelease().name +
                   ", newest or inputs");
  return Error::success();
}

Error readNewerInputs(StringRef text, ReleaseChoice &choice) {
  if (text != "warn" && text != "error")
    return invalid("'" + text + "': expected warn or error");
  choice.refusesNewer = text == "error";
  return Error::success();
}

unsigned newestToolkit(const ReleaseChoice &choice) {
  return choice.isFixed ? choice.request.release->toolkit
                        : newestRelease().toolkit;
}

bool refusesToolkit(const ReleaseChoice &choice, unsigned toolkit) {
  // No toolkit will have such a number for a while: the object is damaged.
  constexpr unsigned Absurd = 1000;
  return toolkit > newestToolkit(choice) &&
         (choice.isFixed || choice.refusesNewer || toolkit >= Absurd);
}

/// "Cuda compilation tools, release 13.2, V13.2.86": what stands behind the V.
static const Release *releaseOfTool(StringRef version) {
  const size_t at = version.rfind('V');
  return at == StringRef::npos ? nullptr : findRelease(version.substr(at + 1));
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
  if (unsigned section = cubin.file.findSection(".note.nv.tkinfo")) {
    auto notes = readTkInfoNotes(cubin.file.contents(section));
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

static void forEachCubin(const Ctx &ctx,
                         function_ref<void(const LoadedCubin &)> visit) {
  for (const InputFile &file : ctx.inputs)
    for (const InputUnit &unit : file.units)
      for (const LoadedCubin &cubin : unit.cubins)
        visit(cubin);
}

namespace {
/// What of an object no known release has.
class UnknownParts {
public:
  void add(const CubinFile &file) {
    for (unsigned i = 1; i < file.sections().size(); ++i) {
      const uint32_t type = file.sections()[i].sh_type;
      if (type == SHT_CUDA_INFO || type == SHT_CUDA_MERC_INFO)
        addCodes(file, i, "attribute", [](uint8_t code) {
          return getNvInfoAttribute(code) != nullptr;
        });
      else if (type == SHT_CUDA_COMPAT)
        addCodes(file, i, "compatibility code", [](uint8_t code) {
          return getCompatAttribute(code) != nullptr;
        });
      else if (type >= ELF::SHT_LOPROC && type <= ELF::SHT_HIPROC &&
               getSectionTypeName(type).empty())
        parts.insert("section '" + file.sectionName(i).str() + "' of type 0x" +
                     utohexstr(type, true));
    }
  }
  std::string text() const {
    std::string result;
    for (const std::string &part : parts)
      result += (result.empty() ? "" : ", ") + part;
    return result;
  }

private:
  void addCodes(const CubinFile &file, unsigned section, StringRef what,
                bool (*isKnown)(uint8_t)) {
    consumeError(forEachNvInfoRecord(
        file.contents(section), [&](size_t, const NvInfoRecord &record) {
          if (!isKnown(record.code))
            parts.insert((what + " 0x" + utohexstr(record.code, true)).str());
          return Error::success();
        }));
  }
  std::set<std::string> parts;
};
} // namespace

/// One warning for all objects of toolkits that no rules are known of.
static void warnNewer(Ctx &ctx) {
  const unsigned newest = newestToolkit(ctx.config.release);
  UnknownParts unknown;
  std::string first;
  unsigned count = 0, toolkit = 0;
  forEachCubin(ctx, [&](const LoadedCubin &cubin) {
    if (cubin.compiledFor.toolkit <= newest)
      return;
    if (!count++)
      first = cubin.label;
    toolkit = std::max(toolkit, cubin.compiledFor.toolkit);
    unknown.add(cubin.file);
  });
  if (!count)
    return;
  const std::string parts = unknown.text();
  const std::string others =
      count > 1 ? " and " + utostr(count - 1) + " more" : std::string();
  ctx.diag.report(DiagId::NewerThanAllReleases,
                  {"Input file ", diag::file(first), others,
                   " newer than toolkit (", toolkit, " vs ", newest,
                   "); linked by the rules of ", newestRelease().name.str(),
                   ", which know ",
                   parts.empty() ? std::string("all that is in there")
                                 : "nothing of " + parts});
}

static bool isLastOfItsLine(const Release &release) {
  return &release == &newestRelease() ||
         (&release)[1].toolkit > release.toolkit;
}

void settleRules(Ctx &ctx) {
  ReleaseChoice &choice = ctx.job.config.release;
  if (choice.isFixed)
    return;
  // An architecture is as new as the first release that has it.
  const Release *newest = choice.request.release;
  const ArchitectureLimits *target = getArchitectureLimits(ctx.sm());
  const unsigned since = target ? target->since : 0;
  while (newest->toolkit < since || !isLastOfItsLine(*newest))
    ++newest;
  forEachCubin(ctx, [&](const LoadedCubin &cubin) {
    if (cubin.compiledFor.toolkit < newest->toolkit ||
        (cubin.compiledFor.toolkit == newest->toolkit &&
         isLastOfItsLine(*newest)))
      return;
    const Release *release = releaseOf(cubin);
    if (release && release->id > newest->id)
      newest = release;
  });
  warnNewer(ctx);
  choice.isFixed = true;
  choice.request.release = newest;
  ctx.job.config.rules = LinkRules(choice.request);
  for (InputFile &file : ctx.inputs)
    for (InputUnit &unit : file.units) {
      recheckArchitectures(ctx, unit);
      for (const Diagnostic &d : unit.messages)
        ctx.diag.report(d);
      unit.messages.clear();
    }
}

} // namespace lld::cuda
