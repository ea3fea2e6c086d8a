//===- ExplainLibraries.cpp - Libraries that would define a missing symbol ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// findInLibraries() looks for undefined symbols in libraries that a link could
/// use and doesn't: lib*.a in the directories of -L. suggestSharedLibraries()
/// looks in shared libraries, whose device code can't be linked any more.
/// reportUndefined() in ExplainUndefined.cpp calls both when it reports
/// undefined symbols, for notes such as "add -lmath". Only small libraries are
/// read (1 MiB each, 4 MiB together), and at most 32: a link that fails should
/// fail soon.
///
//===----------------------------------------------------------------------===//

#include "Explain/Explain.h"
#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Input/OpenFile.h"
#include "Input/OtherImages.h"
#include "Input/SharedLibraries.h"
#include "Inputs.h"
#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Object/Fatbin.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {

constexpr uint64_t MaxLibrarySize = 1 << 20, MaxBytes = 4 << 20;
constexpr unsigned MaxLibraries = 32;

class LibrarySearch {
public:
  LibrarySearch(const Inputs &inputs, ArrayRef<const Symbol *> missed)
      : inputs(inputs) {
    for (const Symbol *s : missed)
      names.insert(s->name);
  }
  /// Paths by symbol: the first library that defines it.
  std::map<std::string, std::string> found;
  void run();

private:
  void searchDirectory(StringRef directory);
  void searchLibrary(const std::string &path);
  void searchFatbin(StringRef data, const std::string &path);
  void searchCubin(StringRef data, const std::string &path);

  const Inputs &inputs;
  DenseSet<StringRef> names;
  unsigned libraries = 0;
  uint64_t bytes = 0;
};

} // namespace

void LibrarySearch::searchCubin(StringRef data, const std::string &path) {
  Expected<CubinFile> file = CubinFile::create(MemoryBufferRef(data, path));
  if (!file)
    return consumeError(file.takeError());
  const CubinSymbolTable &table = file->symtab();
  for (const Elf_Sym &sym : table.symbols)
    if (sym.st_shndx != SHN_UNDEF && sym.getBinding() != STB_LOCAL &&
        names.contains(table.name(sym)))
      found.try_emplace(table.name(sym).str(), path);
}

void LibrarySearch::searchFatbin(StringRef data, const std::string &path) {
  Expected<FatbinReader> reader = FatbinReader::create(data);
  if (!reader)
    return consumeError(reader.takeError());
  const int chosen = chooseFatbinEntry(reader->entries(), inputs.config.arch,
                                       inputs.rules.release().toolkit);
  if (chosen < 0)
    return;
  const FatbinEntry &entry = reader->entries()[chosen];
  if (entry.kind != FatbinKind::ELF)
    return;
  if (!entry.isCompressed())
    return searchCubin(entry.payload, path);
  SmallVector<uint8_t, 0> contents;
  if (Error e = decompress(entry, SmallPayload, contents))
    return consumeError(std::move(e));
  searchCubin(toStringRef(contents), path);
}

void LibrarySearch::searchLibrary(const std::string &path) {
  OpenedFile file = openFound(inputs, path, /*lazy=*/true);
  if (!file.buffer || !isArchive(file.buffer->getBuffer()))
    return;
  auto load = [&](StringRef part) { file.buffer->load(part); };
  Expected<std::vector<ArchiveMember>> members =
      readArchiveMembers(file.buffer->getMemBufferRef(), load);
  if (!members)
    return consumeError(members.takeError());
  for (const ArchiveMember &member : *members) {
    // ld.cuda links cubins that are members, too; nvlink doesn't.
    if (isCubin(member.data) && inputs.config.isLld()) {
      load(member.data);
      searchCubin(member.data, path);
    }
    if (!isHostObject(member.data) &&
        !(inputs.config.isLld() && isCoffObject(member.data)))
      continue;
    Expected<HostObject> object =
        HostObject::create(MemoryBufferRef(member.data, path), load);
    if (!object) {
      consumeError(object.takeError());
      continue;
    }
    for (StringRef fatbin : object->fatbins)
      searchFatbin(fatbin, path);
  }
}

void LibrarySearch::searchDirectory(StringRef directory) {
  // Sorted by name, because a directory's own order may change.
  std::set<std::string> paths;
  std::error_code ec;
  for (sys::fs::directory_iterator it(directory, ec), end; it != end && !ec;
       it.increment(ec)) {
    StringRef name = sys::path::filename(it->path());
    if (name.starts_with("lib") && name.ends_with(".a"))
      paths.insert(it->path());
  }
  for (const std::string &path : paths) {
    auto isPath = [&](const InputFile &file) { return file.path == path; };
    uint64_t size;
    if (any_of(inputs.files, isPath) || sys::fs::file_size(path, size) ||
        size > MaxLibrarySize)
      continue;
    if (++libraries > MaxLibraries || (bytes += size) > MaxBytes)
      return;
    searchLibrary(path);
  }
}

void LibrarySearch::run() {
  for (const std::string &directory : inputs.config.libraryPaths)
    searchDirectory(directory);
}

std::map<std::string, std::string>
findInLibraries(const Inputs &inputs, ArrayRef<const Symbol *> missed) {
  LibrarySearch search(inputs, missed);
  search.run();
  return std::move(search.found);
}

/// Whether it is a shared library (ET_DYN) or a program.
static bool isLinkedForHost(StringRef data) {
  constexpr size_t TypeOffset = 16;
  if (!isHostObject(data))
    return false;
  const uint16_t type = support::endian::read16le(data.data() + TypeOffset);
  return type == ELF::ET_DYN || type == ELF::ET_EXEC;
}

static bool explainShared(const Inputs &inputs, const InputUnit &unit,
                          const Symbol &missed) {
  if (!definesInWholeProgram(unit, missed.name))
    return false;
  inputs.diag.explain("'" + unit.label +
                      "' defines it, but device code in a shared library can't "
                      "be linked; link the objects that the library was made "
                      "from, or a static library of them");
  return true;
}

/// A library that -l doesn't find, as there are no archives of it.
static bool isSharedOnly(const Inputs &inputs, StringRef name,
                         const Symbol &missed) {
  for (const std::string &directory : inputs.config.libraryPaths) {
    const std::optional<std::string> path = findSharedLibrary(directory, name);
    if (!path)
      continue;
    OpenedFile file = openFound(inputs, *path, /*lazy=*/false);
    if (!file.buffer)
      continue;
    InputUnit unit;
    unit.label = *path;
    unit.buffer = file.buffer;
    unit.data = file.buffer->getMemBufferRef().getBuffer();
    unit.source = file.buffer.get();
    if (isLinkedForHost(unit.data) && explainShared(inputs, unit, missed))
      return true;
  }
  return false;
}

/// Looks in shared libraries, whose device code can't be linked any more.
void suggestSharedLibraries(const Inputs &inputs, const Symbol &missed) {
  constexpr unsigned MaxLooked = 16;
  unsigned looked = 0;
  for (const InputFile &file : inputs.files)
    for (const InputUnit &unit : file.units) {
      if (!isLinkedForHost(unit.data))
        continue;
      if (++looked > MaxLooked || explainShared(inputs, unit, missed))
        return;
    }
  for (const std::string &name : inputs.missingLibraries)
    if (++looked > MaxLooked || isSharedOnly(inputs, name, missed))
      return;
}

} // namespace lld::cuda
