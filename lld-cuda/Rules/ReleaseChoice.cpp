//===- ReleaseChoice.cpp - Options that choose a release of nvlink --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// These functions read the options that say by which release of nvlink a link
/// is done (--nvlink-release, --newer-inputs, --cuda-major), and derive the
/// link's rules from that. Driver.cpp and LldDriver.cpp call them when they
/// read a command line, and ToolkitMark.cpp for a toolkit directory. If neither
/// of these fixes the release, the inputs choose it later (SettleRules.cpp)
/// [release-choice]. applyRelease() comes last, when all options are known: it
/// refuses an architecture that the release doesn't have, and -r for CUDA 12.
///
//===----------------------------------------------------------------------===//

#include "Rules/ReleaseChoice.h"
#include "Rules/Config.h"
#include "Rules/LinkRules.h"
#include "lld-cuda/BinaryFormat/Architectures.h"
#include "lld-cuda/Object/Note.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

static Error invalidRelease(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

/// Whether `name` is a release's name or its line's, as 13.5 is of 13.5.37.
static bool isNamed(const Release &release, StringRef name) {
  StringRef rest = release.name;
  if (name.empty() || !rest.consume_front(name))
    return false;
  return rest.empty() || (rest.consume_front(".") && !rest.contains('.'));
}

const Release *findRelease(StringRef name) {
  for (const Release &r : reverse(releases()))
    if (isNamed(r, name))
      return &r;
  return nullptr;
}

Error readRelease(StringRef text, ReleaseChoice &choice) {
  choice.isFixed = text != "inputs";
  choice.asksInputs = !choice.isFixed;
  if (text == "inputs")
    choice.request.release = &defaultRelease();
  else if (text == "newest")
    choice.request.release = &newestRelease();
  else if (const Release *release = findRelease(text))
    choice.request.release = release;
  else
    return invalidRelease("unknown release of nvlink '" + text + "'; use " +
                          releases().front().name + " to " +
                          newestRelease().name + ", newest or inputs");
  return Error::success();
}

Error readNewerInputs(StringRef text, ReleaseChoice &choice) {
  if (text != "warn" && text != "error")
    return invalidRelease("'" + text + "': expected warn or error");
  choice.refusesNewer = text == "error";
  return Error::success();
}

Error readCudaMajor(StringRef text, ReleaseChoice &choice) {
  if (text != "12" && text != "13")
    return invalidRelease("'" + text + "': expected 12 or 13");
  text.getAsInteger(10, choice.cudaMajor);
  return Error::success();
}

bool canWriteOldFiles(const Config &config) { return !config.relocatable; }

Error checkTarget(const Config &config) {
  const ArchitectureLimits *target = getArchitectureLimits(config.arch.number);
  const unsigned toolkit = config.release.request.release->toolkit;
  if (config.release.isFixed && target &&
      (toolkit < target->since || toolkit >= target->until))
    return invalidRelease("Value '" + config.archName +
                          "' is not defined for option 'arch'");
  return Error::success();
}

LinkRules takeRules(Config &config) {
  const LinkRules rules(config.release.request);
  config.showsNamesAsTheyAre = rules.showsNamesAsTheyAre();
  config.saysNothingElse = rules.saysNothingElse();
  return rules;
}

Error applyRelease(Config &config) {
  RuleRequest &request = config.release.request;
  request.relocatable = config.relocatable;
  LinkRules rules = takeRules(config);
  const ArchitectureLimits *target = getArchitectureLimits(config.arch.number);
  if (!config.release.isFixed) {
    if (target && target->until <= FirstToolkitOf13 && config.relocatable)
      return invalidRelease("-r: CUDA 12 can't write relocatable output, and "
                            "CUDA 13 doesn't support '" +
                            config.archName + "'");
    return Error::success();
  }
  if (rules.writesImagesOnly() && config.relocatable) {
    request.relocatable = config.relocatable = false;
    rules = takeRules(config);
  }
  if (rules.writesOldFiles() && !canWriteOldFiles(config))
    return invalidRelease("-r: CUDA 12 can't write relocatable output");
  return checkTarget(config);
}

unsigned newestToolkit(const ReleaseChoice &choice) {
  return choice.isFixed ? choice.request.release->toolkit
                        : newestRelease().toolkit;
}

bool refusesToolkit(const ReleaseChoice &choice, unsigned toolkit) {
  // No toolkit will have such a number for a while: the object is damaged.
  constexpr unsigned Absurd = 1000;
  return toolkit > newestToolkit(choice) &&
         (toolkit >= Absurd || choice.refusesNewer.value_or(choice.isFixed));
}

} // namespace lld::cuda
