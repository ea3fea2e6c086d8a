//===- Libraries.cpp - Searching for the library of -l --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// findLibrary() finds the file of an option -lNAME: libNAME.a in the
/// directories of -L, then in those of $LIBRARY_PATH. loadInputs() in
/// InputFiles.cpp calls it for each -l when a link loads its inputs. A library
/// that doesn't exist is no error, because compiler drivers pass the host
/// libraries, too; an archive without any host object is skipped in favour of a
/// later directory's [library-order].
///
/// findSharedLibrary() is for messages, and for nvcc's command line
/// (NvccCommand.cpp).
///
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Input/InputStore.h"
#include "Input/SharedLibraries.h"
#include "Inputs.h"
#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Object/OffloadBinary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>

using namespace llvm;
using namespace lld::cuda;

/// Whether there is something to link in a library. Damaged ones count, they
/// are complained about at their turn; so do linker scripts, as glibc's libm.a
/// is one, which end the search without a word.
static bool isUsable(const InputBuffer &file, InputStore *store, bool isLld) {
  const MemoryBufferRef buffer = file.getMemBufferRef();
  constexpr size_t magicSize = 8;
  if (buffer.getBufferSize() < magicSize)
    return false;
  if (!isArchive(buffer.getBuffer()))
    return true;
  SharedOrOwn<std::vector<ArchiveMember>> members(
      store ? store->getMembers(file) : nullptr, [&] {
        return readArchiveMembers(buffer,
                                  [&](StringRef part) { file.load(part); });
      });
  if (!members) {
    consumeError(members.takeError());
    return true;
  }
  return any_of(*members, [&](const ArchiveMember &member) {
    return !member.thinPath.empty() || isHostObject(member.data) ||
           (isLld && (isCubin(member.data) || isBitcode(member.data) ||
                      isCoffObject(member.data)));
  });
}

std::optional<std::string> lld::cuda::findSharedLibrary(StringRef directory,
                                                        StringRef name) {
  std::string path = (directory + "/lib" + name + ".so").str();
  if (!sys::fs::exists(path))
    return std::nullopt;
  return path;
}

static void reportMissing(const Inputs &inputs, StringRef name) {
  inputs.diag.report(DiagId::LibraryNotFound,
                     {"unable to find library -l", name});
  for (const std::string &directory : inputs.config.libraryPaths)
    if (const auto path = findSharedLibrary(directory, name)) {
      inputs.diag.explain(
          "'" + *path +
          "' exists, but device code in a shared library can't be linked; "
          "leave the library out of the device link");
      return;
    }
}

std::optional<FoundLibrary> lld::cuda::findLibrary(Inputs &inputs,
                                                   StringRef name) {
  // -l:FILE names the file itself, as for other linkers.
  StringRef file = name;
  const bool isFile = inputs.config.isLld() && file.consume_front(":");
  auto findIn = [&](StringRef directory) -> std::optional<FoundLibrary> {
    std::string path =
        (isFile ? directory + "/" + file : directory + "/lib" + name + ".a")
            .str();
    OpenedFile opened = openInput(inputs, path);
    if (opened.changed)
      return FoundLibrary{std::move(path), std::move(opened)};
    if (!opened.buffer)
      return std::nullopt;
    if (!isUsable(*opened.buffer, inputs.job.store, inputs.config.isLld())) {
      inputs.diag.report(DiagId::LibraryIncompatible,
                         {"Skipping incompatible ", diag::file(path),
                          " when searching for -l", name});
      return std::nullopt;
    }
    return FoundLibrary{std::move(path), std::move(opened)};
  };

  for (const std::string &directory : inputs.config.libraryPaths)
    if (std::optional<FoundLibrary> library = findIn(directory))
      return library;
  for (StringRef rest = inputs.config.environment.libraryPath; !rest.empty();) {
    StringRef directory;
    std::tie(directory, rest) = rest.split(':');
    if (!directory.empty())
      if (std::optional<FoundLibrary> library = findIn(directory))
        return library;
  }
  inputs.missingLibraries.push_back(name.str());
  if (inputs.config.isLld())
    reportMissing(inputs, name);
  return std::nullopt;
}
