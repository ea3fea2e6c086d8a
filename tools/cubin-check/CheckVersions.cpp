//===- CheckVersions.cpp - Toolkits and runtimes in one process -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-check's check() calls checkVersions(). Two checks look at each file:
/// whether its machine code comes from several toolkits, and whether a linked
/// file still has LTO IR. Two others look at each process, a program with the
/// libraries that it loads: whether they want libcudart.so of two major
/// releases, and whether several of them have a CUDA runtime of their own. A
/// file counts as one with its own runtime if it registers device code and
/// doesn't take the runtime from a shared library.
///
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

using namespace llvm;

namespace lld::cuda {

namespace {

/// What the files of one process want and bring.
struct Runtimes {
  std::map<unsigned, std::string> shared; ///< By major release: who wants it.
  std::vector<std::string> withOwnRuntime;
};

class VersionCheck {
public:
  VersionCheck(const Facts &facts, CheckResult &result)
      : facts(facts), result(result) {}

  void run() {
    for (const FileFacts &file : facts.files) {
      checkToolkits(file);
      checkLtoIr(file);
    }
    for (const Process &process : facts.processes) {
      Runtimes runtimes;
      for (size_t file : process.files)
        if (const FileFacts &facts = this->facts.files[file];
            facts.host && facts.host->isLinked())
          addFile(facts, runtimes);
      checkProcess(process.name, runtimes);
    }
  }

private:
  void add(FindingId id, StringRef file, const Twine &what) {
    result.findings.push_back({id, file.str(), what.str(), {}, {}});
  }

  static void addFile(const FileFacts &file, Runtimes &runtimes) {
    for (StringRef name : file.host->needed) {
      unsigned major;
      if (name.consume_front("libcudart.so.") &&
          !name.take_until([](char c) { return c == '.'; })
               .getAsInteger(10, major))
        runtimes.shared.try_emplace(major, file.name);
    }
    // A file that registers code and doesn't import the runtime contains one.
    if (file.hasDeviceCode() && file.host->hasWrappers &&
        file.host->hasDynamicSymbols && !file.host->usesSharedRuntime)
      runtimes.withOwnRuntime.push_back(file.name);
  }

  void checkProcess(StringRef program, const Runtimes &runtimes) {
    if (runtimes.shared.size() > 1) {
      std::string text;
      for (const auto &[major, file] : runtimes.shared)
        text += (text.empty() ? "" : ", ") + file + " needs libcudart.so." +
                std::to_string(major);
      add(FindingId::RuntimesMixed, program, text);
    }
    if (runtimes.withOwnRuntime.size() > 1)
      add(FindingId::StaticRuntimes, program,
          Twine(runtimes.withOwnRuntime.size()) +
              " files have a CUDA runtime of their own: " +
              runtimes.withOwnRuntime[0] + ", " + runtimes.withOwnRuntime[1] +
              (runtimes.withOwnRuntime.size() > 2 ? " and others" : ""));
  }

  void checkToolkits(const FileFacts &file) {
    std::set<unsigned> toolkits;
    for (const ImageFacts &image : file.images)
      if (image.toolkit && isForDriver(image, file))
        toolkits.insert(image.toolkit);
    if (toolkits.size() < 2)
      return;
    std::string text;
    for (unsigned toolkit : toolkits)
      text += (text.empty() ? "" : ", ") + std::to_string(toolkit / 10) + "." +
              std::to_string(toolkit % 10);
    add(FindingId::ToolkitsMixed, file.name,
        "its machine code is of several toolkits: " + text);
  }

  void checkLtoIr(const FileFacts &file) {
    size_t count = 0;
    uint64_t bytes = 0;
    std::set<Version> versions;
    for (const ImageFacts &image : file.images) {
      if (image.form != ImageForm::LTOIR || !image.isInLinkedFile)
        continue;
      ++count;
      bytes += image.stored;
      versions.insert(image.ltoVersion);
    }
    std::string text;
    for (const Version &version : versions)
      text += (text.empty() ? "" : ", ") + std::to_string(version.first) + "." +
              std::to_string(version.second);
    if (count)
      add(FindingId::LtoIrLeft, file.name,
          "it has LTO IR: " + Twine(count) +
              (count == 1 ? " image" : " images") + " of version " + text +
              ", " + Twine(bytes) + " bytes");
  }

  const Facts &facts;
  CheckResult &result;
};

} // namespace

void checkVersions(const Facts &facts, CheckResult &result) {
  VersionCheck(facts, result).run();
}

} // namespace lld::cuda
