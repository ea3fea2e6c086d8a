//===- CheckDeviceLinks.cpp - Was device code linked, and once? -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds programs and libraries whose device link was forgotten or done twice.
/// cubin-check's check() calls it after checkCoverage(), when all files are
/// read. A host object with relocatable device code calls a function that its
/// device link's object defines [registration-order]. If nobody defines that
/// function, the device link was forgotten; nobody has noticed so far, because
/// the host's linker accepts undefined symbols in shared libraries. The ids of
/// all objects, and of those that a device link took, are kept in the file,
/// which also tells of objects that two device links took.
///
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <set>

using namespace llvm;

namespace lld::cuda {

namespace {

/// The kernel that a stub launches: "_ZL24__device_stub__Z6kernelPiPi" is for
/// _Z6kernelPi. Empty if it is no stub.
StringRef getKernelOfStub(StringRef stub) {
  constexpr StringLiteral Mark = "__device_stub_";
  const size_t at = stub.find(Mark);
  if (at == StringRef::npos)
    return {};
  StringRef before = stub.take_front(at), name = stub.substr(at);
  if (before.ends_with("__wrapper"))
    return {};
  StringRef digits = before.take_back(
      before.size() - (before.find_last_not_of("0123456789") + 1));
  size_t length;
  if (!digits.getAsInteger(10, length))
    name = name.take_front(length);
  return name.drop_front(std::min(Mark.size(), name.size()));
}

/// Whether the kernel is a template of an extended lambda's type, for which
/// nvcc has stand-ins in host code: its name is another one there.
bool isOfExtendedLambda(StringRef kernel) {
  return kernel.contains("Unvdl") || kernel.contains("Unvdtl") ||
         kernel.contains("Unvhdl");
}

/// A static kernel's name in the source:
/// "__nv_static_25__d6dd858e_4_a_cu_84db3c43" and '_' are in front of it, with
/// the length of the module's name.
StringRef withoutModule(StringRef kernel) {
  StringRef rest = kernel;
  size_t length;
  if (!rest.consume_front("__nv_static_") || rest.consumeInteger(10, length) ||
      !rest.consume_front("_") || rest.size() <= length || rest[length] != '_')
    return kernel;
  return rest.drop_front(length + 1);
}

class DeviceLinkCheck {
public:
  DeviceLinkCheck(const Facts &facts, CheckResult &result)
      : facts(facts), result(result) {}

  void run() {
    processesOf.resize(facts.files.size());
    for (size_t p = 0; p != facts.processes.size(); ++p)
      for (size_t file : facts.processes[p].files)
        processesOf[file].push_back(p);
    for (size_t i = 0; i != facts.files.size(); ++i)
      addFile(i);
    for (const FileFacts &file : facts.files)
      checkImages(file);
    for (size_t i = 0; i != facts.files.size(); ++i)
      if (facts.files[i].host && facts.files[i].host->isLinked())
        checkFile(i);
    checkTwice();
    checkVariables();
  }

private:
  void add(FindingId id, StringRef file, const Twine &what) {
    result.findings.push_back({id, file.str(), what.str(), {}, {}});
  }

  void addFile(size_t index) {
    const FileFacts &file = facts.files[index];
    if (!file.host || !file.host->isLinked())
      return;
    for (const std::string &name : file.host->definedRegistrations)
      definedBy[name].push_back(index);
    for (const std::string &id : file.host->linkedIds)
      if (std::vector<size_t> &files = linkedBy[id];
          files.empty() || files.back() != index)
        files.push_back(index);
  }

  /// Whether a file's process has the function, or a library has it that a
  /// program may open.
  bool isDefined(StringRef name, size_t file) const {
    auto it = definedBy.find(name);
    return it != definedBy.end() && any_of(it->second, [&](size_t other) {
             return any_of(processesOf[other], [&](size_t p) {
               return facts.processes[p].isNamedLibrary ||
                      is_contained(processesOf[file], p);
             });
           });
  }

  void checkFile(size_t index) {
    const FileFacts &file = facts.files[index];
    checkRegistrations(index);
    checkStubs(file);
    checkFatbins(file);
  }

  void checkImages(const FileFacts &file) {
    size_t images = 0, functions = 0;
    uint32_t first = 0;
    for (const ImageFacts &image : file.images) {
      if (!image.undefinedCount || !isForDriver(image, file))
        continue;
      ++images;
      functions = std::max<size_t>(functions, image.undefinedCount);
      first = first ? first : image.undefined;
    }
    if (images)
      add(FindingId::UndefinedDeviceSymbol, file.name,
          Twine(images) + (images == 1 ? " image lacks " : " images lack ") +
              Twine(functions) +
              (functions == 1 ? " function, " : " functions, such as ") +
              facts.names[first]);
  }

  void checkRegistrations(size_t index) {
    const FileFacts &file = facts.files[index];
    std::vector<StringRef> missing;
    for (StringRef name : file.host->wantedRegistrations)
      if (!isDefined(name, index))
        missing.push_back(name.drop_front(RegistrationPrefix.size()));
    // Without symbols the ids tell.
    if (!file.host->hasDynamicSymbols)
      for (StringRef id : file.host->moduleIds)
        if (!linkedBy.contains(id))
          missing.push_back(id);
    if (!missing.empty())
      add(FindingId::NoDeviceLink, file.name,
          "no device link contains the device code of " +
              Twine(missing.size()) +
              (missing.size() == 1 ? " object" : " objects") +
              " in it, such as " + missing.front());
  }

  void checkStubs(const FileFacts &file) {
    if (file.isDamaged)
      return;
    StringSet<> kernels;
    for (const ImageFacts &image : file.images)
      for (uint32_t kernel : image.kernels)
        kernels.insert(withoutModule(facts.names[kernel]));
    size_t count = 0;
    StringRef first;
    for (StringRef stub : file.host->stubs) {
      StringRef kernel = getKernelOfStub(stub);
      if (kernel.empty() || kernels.contains(kernel) ||
          isOfExtendedLambda(kernel))
        continue;
      if (!count++)
        first = kernel;
    }
    if (count)
      add(FindingId::StubWithoutKernel, file.name,
          Twine(count) + (count == 1 ? " kernel" : " kernels") +
              (count == 1 ? " that host code launches isn't"
                          : " that host code launches aren't") +
              " in any image, such as " + first);
  }

  void checkFatbins(const FileFacts &file) {
    if (!file.host->hasWrappers)
      return;
    const std::set<uint64_t> registered(file.host->registeredFatbins.begin(),
                                        file.host->registeredFatbins.end());
    std::map<uint64_t, uint64_t> sizes; // Of fatbins, by offset.
    for (const ImageFacts &image : file.images)
      if (!image.isForDeviceLink && !image.isEmpty &&
          !registered.count(image.containerOffset))
        sizes[image.containerOffset] += image.stored;
    uint64_t bytes = 0;
    for (const auto &entry : sizes)
      bytes += entry.second;
    if (!sizes.empty())
      add(FindingId::UnregisteredFatbin, file.name,
          Twine(sizes.size()) +
              (sizes.size() == 1 ? " fatbin has" : " fatbins have") +
              " no wrapper that registers it (" + Twine(bytes) + " bytes)");
  }

  /// Divides files by the process that has them. A file that comes by several
  /// ways is loaded once. Libraries that are named a program may open; two
  /// programs are never in one process, and files of a folder may never meet.
  std::vector<std::vector<size_t>> divide(ArrayRef<size_t> files) const {
    std::map<size_t, std::vector<size_t>> byProcess;
    std::vector<size_t> named;
    bool hasProgram = false;
    for (size_t file : files)
      for (size_t p : processesOf[file]) {
        const Process &process = facts.processes[p];
        (process.isNamedLibrary ? named : byProcess[p]).push_back(file);
        hasProgram |= process.isAsked && !process.isNamedLibrary;
      }
    std::vector<std::vector<size_t>> divided;
    if (!hasProgram)
      divided.push_back(named);
    for (auto &[p, own] : byProcess) {
      if (facts.processes[p].isAsked)
        own.insert(own.end(), named.begin(), named.end());
      llvm::sort(own);
      divided.push_back(own);
    }
    for (std::vector<size_t> &process : divided)
      dropTwins(process);
    return divided;
  }

  /// Keeps the first of those that are one file.
  void dropTwins(std::vector<size_t> &files) const {
    std::set<std::pair<uint64_t, uint64_t>> known;
    llvm::erase_if(files, [&](size_t file) {
      const auto &identity = facts.files[file].identity;
      return identity &&
             !known.insert({identity->getDevice(), identity->getFile()}).second;
    });
  }

  /// The loader leads all files of a process to the first one's variable. What
  /// a program opens by itself may be out of its sight.
  void checkVariables() {
    std::map<std::vector<size_t>, std::set<uint32_t>> shared;
    for (const Process &process : facts.processes) {
      std::map<uint32_t, std::vector<size_t>> byName;
      for (size_t file : process.files)
        for (uint32_t name : facts.files[file].sharedVariables)
          if (byName[name].empty() || !facts.files[file].host->bindsToItself)
            byName[name].push_back(file);
      for (auto &[name, files] : byName) {
        dropTwins(files);
        if (files.size() > 1)
          shared[files].insert(name);
      }
    }
    for (const auto &[files, names] : shared)
      add(FindingId::VariableDefinedTwice, facts.files[files.front()].name,
          Twine(names.size()) +
              (names.size() == 1 ? " device variable, "
                                 : " device variables, such as ") +
              facts.names[*names.begin()] +
              (names.size() == 1 ? ", is" : ", are") + " defined here and in " +
              listOthers(files) +
              ", and host code uses the same address for both");
  }

  std::string listOthers(ArrayRef<size_t> files) const {
    std::string others;
    for (size_t file : files.drop_front())
      others += (others.empty() ? "" : ", ") + facts.files[file].name;
    return others;
  }

  /// One finding for the files that share objects.
  void checkTwice() {
    std::map<std::vector<size_t>, std::set<StringRef>> shared;
    for (const auto &entry : linkedBy)
      for (const std::vector<size_t> &process : divide(entry.second))
        if (process.size() > 1)
          shared[process].insert(entry.first());
    for (const auto &[files, ids] : shared)
      add(FindingId::LinkedTwice, facts.files[files.front()].name,
          "the device code of " + Twine(ids.size()) +
              (ids.size() == 1 ? " object" : " objects") + ", such as " +
              *ids.begin() + ", is linked here and in " + listOthers(files));
  }

  const Facts &facts;
  CheckResult &result;
  std::vector<std::vector<size_t>> processesOf; ///< By file.
  StringMap<std::vector<size_t>> definedBy;     ///< Files, by function.
  StringMap<std::vector<size_t>> linkedBy;      ///< Files, by object's id.
};

} // namespace

void checkDeviceLinks(const Facts &facts, CheckResult &result) {
  DeviceLinkCheck(facts, result).run();
}

} // namespace lld::cuda
