//===- Bundle.cpp - Who loads whom in a wheel or folder -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-check asks which files of a wheel end up in one process, to tell
/// whether they bring CUDA runtimes that don't go together. BundleSearch finds
/// for each file the libraries that it loads, and then makes a process of each
/// file that no other one loads, with all that it reaches. Libraries that load
/// each other in a ring would be in none, so a ring gets a process, too. Paths
/// are only compared as text and no file is opened. The search ends after four
/// million steps, so that a hostile bundle can't take hours.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Finished/Bundle.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lld::cuda {

namespace {

class BundleSearch {
public:
  explicit BundleSearch(ArrayRef<BundledFile> files)
      : files(files), loads(files.size()), isLoaded(files.size()),
        isCovered(files.size()) {
    for (size_t i = 0; i != files.size(); ++i)
      byPath.try_emplace(files[i].path, uint32_t(i));
  }

  std::optional<std::vector<BundledProcess>> run() {
    for (size_t i = 0; i != files.size() && workLeft; ++i)
      findLoaded(i);
    for (size_t i = 0; i != files.size() && workLeft; ++i)
      if (!isLoaded[i])
        addProcess(i);
    // The files that are left load each other in rings.
    for (size_t i = 0; i != files.size() && workLeft; ++i)
      if (!isCovered[i])
        addProcess(i);
    if (!workLeft)
      return std::nullopt;
    return std::move(processes);
  }

private:
  void findLoaded(size_t loader) {
    const BundledFile &file = files[loader];
    for (const std::string &name : file.needed)
      for (const std::string &folder : file.folders) {
        if (!spend())
          return;
        const std::optional<uint32_t> found = find(file, folder, name);
        if (!found || *found == loader)
          continue;
        loads[loader].push_back(*found);
        isLoaded.set(*found);
        break;
      }
  }

  /// The library in a folder that is named relative to the file's own.
  std::optional<uint32_t> find(const BundledFile &file, StringRef folder,
                               StringRef name) const {
    if (!folder.consume_front("$ORIGIN") && !folder.consume_front("${ORIGIN}"))
      return std::nullopt;
    SmallString<128> path = sys::path::parent_path(file.path);
    sys::path::append(path, folder, name);
    sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    auto it = byPath.find(path);
    if (it == byPath.end() || files[it->second].isProgram)
      return std::nullopt;
    return it->second;
  }

  void addProcess(size_t first) {
    BundledProcess process = {uint32_t(first)};
    BitVector isIn(files.size());
    isIn.set(first);
    for (size_t i = 0; i != process.size(); ++i) {
      isCovered.set(process[i]);
      for (uint32_t library : loads[process[i]])
        if (spend() && !isIn[library]) {
          isIn.set(library);
          process.push_back(library);
        }
    }
    processes.push_back(std::move(process));
  }

  bool spend() {
    workLeft -= workLeft != 0;
    return workLeft;
  }

  ArrayRef<BundledFile> files;
  StringMap<uint32_t> byPath;
  std::vector<std::vector<uint32_t>> loads; ///< By file.
  BitVector isLoaded, isCovered;
  std::vector<BundledProcess> processes;
  size_t workLeft = 1 << 22;
};

} // namespace

BundledFile::BundledFile(StringRef path, const HostFile &host)
    : path(path), isProgram(host.isProgram), needed(host.needed),
      folders(host.hasRunPath ? host.runPath : host.oldRunPath) {}

std::optional<std::vector<BundledProcess>>
findBundledProcesses(ArrayRef<BundledFile> files) {
  return BundleSearch(files).run();
}

} // namespace lld::cuda
