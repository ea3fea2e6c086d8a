//===- LibrarySearch.cpp - What a program loads ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the shared libraries that a program loads, without running it.
/// cubin-check and readResources() call findLibraries() for each program that
/// the user names, to look at the device code of its libraries too. Search does
/// what the dynamic loader would do, breadth first and in the loader's order,
/// so that the first of two libraries with one name wins. It looks for a name
/// once: whoever asks for it again gets the same library, and a file that is
/// known by device and inode isn't read again. If the user names a root (a
/// container's file system), resolveInRoot() follows symbolic links without
/// leaving it. Damaged or hostile files can name endless folders, so the search
/// stops after a million places.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Finished/LibrarySearch.h"
#include "lld-cuda/Support/RegularFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <climits>
#include <deque>
#include <map>
#include <unistd.h>

using namespace llvm;

namespace lld::cuda {

namespace {

/// What stands for ${LIB} and $PLATFORM, and where libraries are by default.
struct HostFolders {
  uint16_t machine;
  StringLiteral platform, multiarch;
};
constexpr HostFolders Folders[] = {
    {ELF::EM_X86_64, "x86_64", "x86_64-linux-gnu"},
    {ELF::EM_AARCH64, "aarch64", "aarch64-linux-gnu"},
    {ELF::EM_RISCV, "riscv64", "riscv64-linux-gnu"},
};

const HostFolders &getFolders(uint16_t machine) {
  const auto *it = find_if(
      Folders, [&](const HostFolders &f) { return f.machine == machine; });
  return it == std::end(Folders) ? Folders[0] : *it;
}

class Search {
public:
  Search(const SearchOptions &options,
         function_ref<void(const MemoryBuffer &, const LoadedFile &)> visit,
         function_ref<void(StringRef, Error)> report)
      : options(options), visit(visit), report(report) {}

  LoadResult run(StringRef path, HostFile program) {
    readCache();
    add(path, /*loader=*/-1, std::move(program));
    // What is added meanwhile comes at the end: breadth first, as the loader.
    for (size_t i = 0; i != files.size() && placesLeft; ++i)
      for (size_t k = 0; k != files[i].host.needed.size() && placesLeft; ++k)
        load(files[i].host.needed[k], i);
    if (!placesLeft)
      report(path, createStringError("its libraries may be in more than " +
                                     Twine(MaxPlaces) + " places"));
    LoadResult result;
    result.files.assign(std::make_move_iterator(files.begin()),
                        std::make_move_iterator(files.end()));
    result.missing = std::move(missing);
    return result;
  }

private:
  /// Files can name more places than anybody wants to look at.
  static constexpr size_t MaxPlaces = 1 << 20;

  void readCache() {
    const std::string path = "/etc/ld.so.cache";
    std::optional<std::string> real = resolveInRoot(options.sysroot, path);
    if (!real)
      return;
    ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = readRegularFile(*real);
    if (!buffer)
      return;
    cacheFile = std::move(*buffer);
    if (Expected<LoaderCache> read = readLoaderCache(cacheFile->getBuffer()))
      cache = std::move(*read);
    else
      report(*real, read.takeError());
  }

  void add(StringRef path, int loader, HostFile host) {
    names.insert(sys::path::filename(path));
    if (!host.soname.empty())
      names.insert(host.soname);
    sys::fs::UniqueID id;
    if (!sys::fs::getUniqueID(path, id))
      known.insert({{id.getDevice(), id.getFile()}, files.size()});
    origins.push_back(findOrigin(path, host.isProgram));
    files.push_back({path.str(), loader, std::move(host)});
  }

  /// What $ORIGIN stands for.
  struct Origin {
    std::string folder;
    bool isInRoot; ///< It is a path below the root.
  };

  /// Links to a program are followed by the system before its loader sees it,
  /// and those to libraries aren't.
  Origin findOrigin(StringRef path, bool isProgram) const {
    std::string target = path.str();
    if (isProgram && sys::fs::is_symlink_file(path))
      target = followLinks(target);
    std::string folder = sys::path::parent_path(target).str();
    if (folder.empty())
      folder = ".";
    if (options.sysroot.empty())
      return {folder, false};
    const std::string real = followLinks(folder);
    StringRef rest = real;
    if (!rest.consume_front(followLinks(options.sysroot)) ||
        (!rest.empty() && rest.front() != '/'))
      return {folder, false};
    return {rest.empty() ? "/" : rest.str(), true};
  }

  static std::string followLinks(const std::string &path) {
    SmallString<256> real;
    return sys::fs::real_path(path, real) ? path : real.str().str();
  }

  /// A name that was asked for before is the same library.
  void load(const std::string &name, size_t loader) {
    if (!names.insert(name).second)
      return;
    for (const std::string &path : listCandidates(name, loader))
      if (tryFile(path, loader))
        return;
    missing.push_back({name, unsigned(loader)});
  }

  std::vector<std::string> listCandidates(const std::string &name,
                                          size_t loader) {
    const HostFile &host = files[loader].host;
    std::vector<std::string> paths;
    if (StringRef(name).contains('/')) {
      addPath(expand(name, loader), isOutside(name, loader), paths);
      return paths;
    }
    if (!host.hasRunPath)
      for (int i = int(loader); i >= 0; i = files[i].loader)
        if (!files[i].host.hasRunPath)
          addFolders(files[i].host.oldRunPath, i, name, paths);
    for (const std::string &folder : options.libraryPath)
      addPath(folder + "/" + name, /*isHere=*/true, paths);
    addFolders(host.runPath, loader, name, paths);
    if (auto it = cache.find(name); it != cache.end())
      for (StringRef path : it->second)
        if (!host.isWithoutDefaultFolders || !isInDefaultFolder(path))
          addPath(path.str(), /*isHere=*/false, paths);
    if (!host.isWithoutDefaultFolders)
      for (const std::string &folder : listDefaultFolders(host))
        addPath(folder + "/" + name, /*isHere=*/false, paths);
    return paths;
  }

  static std::vector<std::string> listDefaultFolders(const HostFile &host) {
    const std::string multiarch = getFolders(host.machine).multiarch.str();
    if (!host.is64)
      return {"/lib", "/usr/lib"};
    return {
        "/lib64", "/usr/lib64", "/lib/" + multiarch, "/usr/lib/" + multiarch,
        "/lib",   "/usr/lib"};
  }

  static bool isInDefaultFolder(StringRef path) {
    return path.starts_with("/lib") || path.starts_with("/usr/lib");
  }

  void addFolders(ArrayRef<std::string> folders, size_t owner,
                  const std::string &name, std::vector<std::string> &paths) {
    for (const std::string &folder : folders) {
      if (!placesLeft)
        return;
      std::string path = expand(folder, owner);
      // $LIB is the one or the other, as the system is built.
      for (StringRef lib : {"lib64", "lib", "multiarch"}) {
        const std::string word =
            lib == "multiarch"
                ? "lib/" + getFolders(files[owner].host.machine).multiarch.str()
                : lib.str();
        const std::string with = replace(path, "LIB", word);
        addPath(with + "/" + name, isOutside(folder, owner), paths);
        if (with == path)
          break;
      }
    }
  }

  /// `isHere`: it is a path on this machine, and not below the root.
  void addPath(const std::string &path, bool isHere,
               std::vector<std::string> &paths) {
    placesLeft -= placesLeft != 0;
    if (!placesLeft || path.size() >= PATH_MAX)
      return;
    if (isHere)
      return paths.push_back(path);
    if (std::optional<std::string> real = resolveInRoot(options.sysroot, path))
      paths.push_back(*real);
  }

  /// Whether a path is one of this machine: that of a file outside the root.
  bool isOutside(StringRef text, size_t owner) const {
    return !origins[owner].isInRoot &&
           (text.contains("$ORIGIN") || text.contains("${ORIGIN}"));
  }

  /// $ORIGIN is the folder of the file that says so.
  std::string expand(StringRef text, size_t owner) const {
    std::string path = replace(text, "ORIGIN", origins[owner].folder);
    return replace(path, "PLATFORM",
                   getFolders(files[owner].host.machine).platform);
  }

  /// $NAME and ${NAME}. What would be too long for a path isn't finished.
  static std::string replace(StringRef text, StringRef name, StringRef by) {
    std::string result;
    while (!text.empty() && result.size() < PATH_MAX) {
      StringRef rest = text;
      if (rest.consume_front("${") && rest.consume_front(name) &&
          rest.consume_front("}")) {
        result += by;
        text = rest;
        continue;
      }
      rest = text;
      if (rest.consume_front("$") && rest.consume_front(name) &&
          (rest.empty() || !isAlnum(rest.front()))) {
        result += by;
        text = rest;
        continue;
      }
      result += text.front();
      text = text.drop_front();
    }
    return result;
  }

  /// Whether the loader takes the file; what is for another processor it passes
  /// over.
  bool tryFile(const std::string &path, size_t loader) {
    sys::fs::UniqueID id;
    if (sys::fs::getUniqueID(path, id))
      return false;
    if (known.count({id.getDevice(), id.getFile()}))
      return true;
    ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = readRegularFile(path);
    if (!buffer)
      return false;
    StringRef data = (*buffer)->getBuffer();
    if (!isElfHostFile(data)) {
      report(path,
             createStringError("it is not a library and can't be loaded"));
      return true;
    }
    Expected<HostFile> host = readHostFile(data);
    if (!host) {
      report(path, host.takeError());
      return true;
    }
    const HostFile &program = files.front().host;
    if (host->machine != program.machine || host->is64 != program.is64 ||
        host->isBigEndian != program.isBigEndian || host->type != ELF::ET_DYN)
      return false;
    add(path, int(loader), std::move(*host));
    visit(**buffer, files.back());
    return true;
  }

  const SearchOptions &options;
  function_ref<void(const MemoryBuffer &, const LoadedFile &)> visit;
  function_ref<void(StringRef, Error)> report;
  std::unique_ptr<MemoryBuffer> cacheFile;
  LoaderCache cache;            ///< Slices of the file.
  std::deque<LoadedFile> files; ///< They stay where they are.
  std::vector<Origin> origins;  ///< Of the files.
  std::vector<MissingLibrary> missing;
  size_t placesLeft = MaxPlaces;
  StringSet<> names;
  std::map<std::pair<uint64_t, uint64_t>, size_t> known; ///< By device, inode.
};

} // namespace

std::optional<std::string> resolveInRoot(StringRef root, StringRef path) {
  if (root.empty())
    return path.str();
  if (path.size() >= PATH_MAX)
    return std::nullopt;
  constexpr unsigned MaxLinks = 40;
  unsigned links = 0;
  SmallVector<std::string, 16> todo; // The last one is next.
  auto addParts = [&](StringRef text) {
    SmallVector<StringRef, 16> parts;
    text.split(parts, '/', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef part : reverse(parts))
      todo.push_back(part.str());
  };
  addParts(path);
  std::string done; // Below the root, without links.
  while (!todo.empty()) {
    std::string part = todo.pop_back_val();
    if (part == ".")
      continue;
    if (part == "..") {
      done.resize(StringRef(done).rfind('/') == StringRef::npos
                      ? 0
                      : StringRef(done).rfind('/'));
      continue;
    }
    const std::string next = done + "/" + part;
    char target[PATH_MAX];
    const ssize_t size =
        ::readlink((root + next).str().c_str(), target, sizeof(target));
    if (size < 0) {
      if (!sys::fs::exists(root + next))
        return std::nullopt;
      done = next;
      continue;
    }
    if (++links > MaxLinks)
      return std::nullopt;
    StringRef link(target, size);
    if (link.starts_with("/"))
      done.clear();
    addParts(link);
  }
  return (root + done).str();
}

LoadResult findLibraries(
    StringRef path, HostFile program, const SearchOptions &options,
    function_ref<void(const MemoryBuffer &, const LoadedFile &)> visit,
    function_ref<void(StringRef, Error)> report) {
  return Search(options, visit, report).run(path, std::move(program));
}

} // namespace lld::cuda
