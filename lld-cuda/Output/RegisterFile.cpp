//===- RegisterFile.cpp - Objects to register, for crt/link.stub ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// writeRegisterFile() writes the file of --register-link-binaries: a line for
/// each linked object, from which nvcc's host compiler makes the code that
/// registers the objects with the CUDA runtime. writeOtherOutputs() in Link.cpp
/// calls it when the image is made. An object is named by its module id, or by
/// its path if it has none [register-file].
///
/// findRegistered(), called when the inputs are loaded, marks objects that an
/// earlier device link has registered ("def ID" in its object): they are left
/// out of the list and of the link. tellMissingHostCode(), called before the
/// merge, warns of device code that no host code registers.
///
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Output/SaveFile.h"
#include "Passes.h"
#include "Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace lld::cuda;

/// The ids of a list; a run of NULs separates like a single one, but NULs in
/// front make the first id an empty one.
static SmallVector<StringRef, 4> splitModuleIds(StringRef list) {
  SmallVector<StringRef, 4> ids;
  if (list.starts_with(StringRef("\0", 1)))
    ids.push_back("");
  for (StringRef name : splitNames(list))
    ids.push_back(name);
  return ids;
}

/// The path as an identifier. It is made absolute but not resolved: the name
/// must be the one that the compiler's other steps make.
static std::string mangle(StringRef path) {
  SmallString<256> absolute;
  if (!path.starts_with("/")) {
    (void)sys::fs::current_path(absolute); // Empty if the folder is gone.
    absolute += '/';
  }
  absolute += path;
  for (char &c : absolute)
    if (!isAlnum(c))
      c = '_';
  return std::string(absolute);
}

/// The ids that earlier device links have registered.
static StringSet<> collectDefinitions(const Inputs &inputs) {
  StringSet<> defined;
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units)
      if (unit.host.registration == Registration::Definitions)
        for (StringRef id : splitNames(unit.host.moduleIds))
          if (id.consume_front("def "))
            defined.insert(id);
  return defined;
}

/// The id by which an object with device code is known.
static std::string firstId(const InputUnit &unit) {
  return unit.host.registration == Registration::Path
             ? mangle(unit.label)
             : splitModuleIds(unit.host.moduleIds).front().str();
}

static bool hasId(const InputUnit &unit) {
  return unit.host.registration == Registration::Path ||
         unit.host.registration == Registration::ModuleIds;
}

/// Two device links that have linked the same object answer to the same call;
/// the host's linker takes only one of them. It may not need both.
static void warnRegisteredTwice(const Inputs &inputs) {
  StringMap<const InputUnit *> registeredBy;
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units) {
      if (unit.host.registration != Registration::Definitions)
        continue;
      for (StringRef id : splitNames(unit.host.moduleIds)) {
        if (!id.consume_front("def "))
          continue;
        auto [earlier, isNew] = registeredBy.try_emplace(id, &unit);
        if (isNew)
          continue;
        inputs.diag.report(
            Diagnostic(DiagId::TakesPartTwice, Severity::Warning,
                       {diag::quoted(id), " takes part in the device links of ",
                        diag::file(earlier->second->label), " and of ",
                        diag::file(unit.label),
                        "; a program can have only one of these objects"}));
        break;
      }
    }
}

/// Their device code is in another image; what their host code refers to counts
/// all the same. Without a register file nvlink doesn't look
/// [input-registered].
void lld::cuda::findRegistered(Inputs &inputs) {
  if (!inputs.config.registerFile)
    return;
  const StringSet<> defined = collectDefinitions(inputs);
  if (defined.empty())
    return;
  if (inputs.config.isLld() || inputs.job.makesHostObject)
    warnRegisteredTwice(inputs);
  for (InputFile &file : inputs.files)
    for (InputUnit &unit : file.units)
      unit.host.isRegistered = hasId(unit) && defined.contains(firstId(unit));
}

/// The image is registered once all inputs have called [register-file].
static void warnNobodyCalls(const Inputs &inputs, MessageParts parts) {
  inputs.diag.report(
      Diagnostic(DiagId::NotRegistered, Severity::Warning, parts));
  inputs.diag.explain(
      "the image is registered once all inputs have called: the "
      "program would start without device code. Link the host "
      "object of nvcc -dc instead, or an object that links it "
      "with -r --host-object");
}

/// Device code without the host object of its source: a cubin, a fatbin or PTX.
static bool isBare(const InputUnit &unit) {
  return unit.kind == ContentKind::Cubin || unit.kind == ContentKind::Fatbin ||
         unit.kind == ContentKind::PTX;
}

/// A later host link may look for the registration of bare device code
/// [register-no-host-code].
void lld::cuda::tellMissingHostCode(const Inputs &inputs) {
  const bool tells =
      inputs.config.registerFile && inputs.rules.tellsMissingHostCode();
  if (!tells && !inputs.job.makesHostObject)
    return;
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units) {
      if (!isBare(unit))
        continue;
      const bool isLinked = !unit.holds.cubins.empty();
      if (inputs.job.makesHostObject && isLinked)
        warnNobodyCalls(inputs, {"--host-object: ", diag::file(unit.label),
                                 " has no host code that registers it"});
      if (tells && !unit.isMember &&
          (isLinked || unit.kind != ContentKind::Cubin))
        inputs.diag.report(
            DiagId::NoHostCode,
            {"Input ", diag::file(unit.label),
             " has no host code, which could cause later host link "
             "error if there is a reference to it"});
    }
}

/// The ids become names in C source. Compilers make them of letters, digits and
/// '_'; NULs in front of a list make an empty one, which does no harm.
static bool isModuleId(StringRef id) {
  return all_of(id, [](char c) { return isAlnum(c) || c == '_'; });
}

static bool checkModuleIds(const Inputs &inputs, const InputUnit &unit) {
  for (StringRef id : splitModuleIds(unit.host.moduleIds))
    if (!isModuleId(id)) {
      inputs.diag.report(DiagId::DamagedModuleId,
                         {"Module id ", diag::quoted(id), " in ",
                          diag::file(unit.label),
                          " is damaged: it is not a C identifier"});
      return false;
    }
  return true;
}

/// Observed: if link-time optimization has made the output and nothing is
/// linked, the list is reversed, says nothing of a device runtime library, and
/// is not filtered.
void lld::cuda::writeRegisterFile(const Inputs &inputs,
                                  const Program &program) {
  std::vector<std::string> first;
  std::vector<StringRef> further;
  const StringSet<> defined =
      inputs.outputDone ? StringSet<>() : collectDefinitions(inputs);
  for (const InputFile &file : inputs.files) {
    if (file.dropped || (inputs.outputDone && file.systemLibrary))
      continue;
    for (const InputUnit &unit : file.units) {
      if (unit.host.hasOffloadCode && inputs.job.facts)
        inputs.job.facts->host.unregistered.push_back(unit.label.str());
      // A layer is registered as a whole.
      if (!hasId(unit) || unit.host.layer ||
          (unit.host.isLayer && unit.host.isRegistered))
        continue;
      if (unit.host.registration == Registration::ModuleIds &&
          !checkModuleIds(inputs, unit))
        return;
      if (std::string id = firstId(unit); !defined.contains(id))
        first.push_back(std::move(id));
      if (unit.host.registration == Registration::ModuleIds)
        append_range(further, drop_begin(splitModuleIds(unit.host.moduleIds)));
    }
  }
  if (inputs.outputDone)
    std::reverse(first.begin(), first.end());

  if (inputs.job.makesHostObject && first.empty() && further.empty() &&
      !program.objects.empty())
    warnNobodyCalls(
        inputs, {"--host-object: no input has host code that registers it"});

  std::string text = "#define NUM_PRELINKED_OBJECTS " +
                     utostr(first.size() + further.size()) + "\n";
  auto add = [&](StringRef id) {
    text += ("DEFINE_REGISTER_FUNC(" + id + ")\n").str();
  };
  for (StringRef id : first)
    add(id);
  for (StringRef id : reverse(further))
    add(id);
  saveFileAfterErrors(inputs, *inputs.config.registerFile, std::move(text));
}
