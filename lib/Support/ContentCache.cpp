//===- ContentCache.cpp - The files of --cache-dir ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads and writes the folder of --cache-dir, in which links keep the results
/// of ptxas and lld-cuda-lto. The linker's Driver.cpp opens it,
/// CompileCache.cpp calls find() before a compiler is started and add()
/// afterwards, and prune() at the end. An entry's file has a magic number, its
/// key, the hash of what follows, the number of parts, the size of each, and
/// the parts. All is checked when an entry is read; an entry that isn't valid
/// counts as missing. Files are opened by the folder's descriptor, so nobody
/// can put another folder in its place meanwhile.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/ContentCache.h"
#include "lld-cuda/Support/LlvmCompat.h"
#include "lld-cuda/Support/RegularFile.h"
#include "lld-cuda/Support/Sandbox.h"
#include "lld-cuda/Support/Version.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace llvm;
using support::endian::read64le;

namespace lld::cuda {

/// Another number for another format: part of each key and file.
constexpr StringLiteral Magic = "lld-cuda cache 1";
/// llvm::pruneCache() removes files that begin so, and no others.
constexpr StringLiteral Prefix = "llvmcache-";
constexpr StringLiteral TimeStamp = "llvmcache.timestamp";
constexpr size_t HashSize = sizeof(ContentHash);
constexpr size_t HeaderSize = Magic.size() + 2 * HashSize;
constexpr uint64_t MaxParts = 1 << 16;

static Error lastError() {
  return errorCodeToError(explainDenied({errno, std::generic_category()}));
}

static ContentHash finish(BLAKE3 &hasher) {
  ContentHash hash;
  hasher.final(hash);
  return hash;
}

ContentKey::ContentKey(StringRef kind) {
  add(Magic);
  add(getVersion());
  add(kind);
}

void ContentKey::add(StringRef text) {
  add(text.size());
  hasher.update(text);
}

void ContentKey::add(uint64_t number) {
  uint8_t bytes[8];
  support::endian::write64le(bytes, number);
  hasher.update(ArrayRef<uint8_t>(bytes));
}

ContentHash ContentKey::get() { return finish(hasher); }

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<ContentCache>>
ContentCache::open(StringRef folder, const CachePruningPolicy &policy) {
  const std::string path = folder.str();
  int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    if (std::error_code ec = sys::fs::create_directories(
            path, /*IgnoreExisting=*/true, sys::fs::owner_all))
      return errorCodeToError(explainDenied(ec));
    fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  if (fd < 0)
    return lastError();
  // The opened folder is checked, not the path: that may name another one now.
  auto cache = std::unique_ptr<ContentCache>(new ContentCache(fd, policy));
  struct stat status;
  if (::fstat(fd, &status))
    return lastError();
  if (status.st_uid != ::geteuid())
    return createStringError("it belongs to another user");
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return createStringError("others may write to it");
  return cache;
}

ContentCache::~ContentCache() { ::close(folder); }

/// Returns the name of an entry's file: its key in hexadecimal digits.
static std::string nameOf(const ContentHash &key) {
  return (Prefix + toHex(key, /*LowerCase=*/true)).str();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool readAt(int fd, char *to, size_t size, off_t offset) {
  while (size) {
    const ssize_t n = ::pread(fd, to, size, offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    to += n, size -= n, offset += n;
  }
  return true;
}

static bool isOwnFile(const struct stat &status) {
  return S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
         !(status.st_mode & (S_IWGRP | S_IWOTH));
}

/// Fills in the parts. Returns false if the file isn't what add() writes for
/// that key.
static bool parseEntry(const ContentHash &key, ContentCache::Entry &entry) {
  StringRef rest = entry.buffer->getBuffer();
  if (!rest.consume_front(Magic) || !rest.consume_front(asText(key)))
    return false;
  const StringRef stored = rest.take_front(HashSize);
  rest = rest.drop_front(HashSize);
  BLAKE3 hasher;
  hasher.update(rest);
  if (stored != asText(finish(hasher)))
    return false;
  // The hash was right, so the rest is as add() has written it.
  const uint64_t count = read64le(rest.data());
  StringRef sizes = rest.substr(8, count * 8);
  for (rest = rest.drop_front(8 + count * 8); !sizes.empty();
       sizes = sizes.drop_front(8)) {
    const uint64_t size = read64le(sizes.data());
    entry.parts.push_back(rest.take_front(size));
    rest = rest.drop_front(size);
  }
  return true;
}

/// Whether the sizes that an entry says fit the file's, before memory is taken.
static bool checkSizes(int fd, uint64_t fileSize) {
  char number[8];
  if (fileSize < HeaderSize + 8 || !readAt(fd, number, 8, HeaderSize))
    return false;
  const uint64_t count = read64le(number);
  uint64_t left = fileSize - HeaderSize - 8;
  if (count > MaxParts || count * 8 > left)
    return false;
  std::string sizes(count * 8, '\0');
  if (!readAt(fd, sizes.data(), sizes.size(), HeaderSize + 8))
    return false;
  left -= sizes.size();
  for (size_t i = 0; i != count; ++i) {
    const uint64_t size = read64le(&sizes[i * 8]);
    if (size > left)
      return false;
    left -= size;
  }
  return left == 0;
}

ContentCache::Found ContentCache::find(const ContentHash &key,
                                       Entry &entry) const {
  const std::string name = nameOf(key);
  // A pipe would let us wait, and a link lead elsewhere.
  const int fd = ::openat(folder, name.c_str(),
                          O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return errno == ENOENT ? Found::No : Found::Damaged;
  Found found = Found::Damaged;
  struct stat status;
  if (::fstat(fd, &status) == 0 && isOwnFile(status) &&
      checkSizes(fd, status.st_size))
    if (auto buffer =
            WritableMemoryBuffer::getNewUninitMemBuffer(status.st_size, name);
        buffer &&
        readAt(fd, buffer->getBufferStart(), buffer->getBufferSize(), 0)) {
      entry.buffer = std::move(buffer);
      if (parseEntry(key, entry))
        found = Found::Yes;
    }
  // pruneCache() chooses files by this time, which file systems often don't
  // keep up to date.
  const timespec times[] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  if (found == Found::Yes)
    (void)::futimens(fd, times);
  else
    entry = Entry();
  ::close(fd);
  return found;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static bool writeAll(int fd, StringRef text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return false;
    text = text.drop_front(n);
  }
  return true;
}

/// A file that nobody else has yet. One that a killed process leaves has an
/// entry's prefix, so that it goes with old entries. (LLVM's random numbers
/// would need arc4random(), which is new in glibc 2.36.)
static int createTemporary(int folder, std::string &name) {
  constexpr unsigned Attempts = 16;
  for (unsigned i = 0; i != Attempts; ++i) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    name = (Prefix + "new-" + utostr(::getpid()) + "-" +
            utohexstr(std::chrono::nanoseconds(now).count()))
               .str();
    const int fd =
        ::openat(folder, name.c_str(),
                 O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
  return -1;
}

Error ContentCache::add(const ContentHash &key,
                        ArrayRef<StringRef> parts) const {
  std::string sizes(8 * (1 + parts.size()), '\0');
  support::endian::write64le(sizes.data(), parts.size());
  for (size_t i = 0; i != parts.size(); ++i)
    support::endian::write64le(&sizes[8 * (1 + i)], parts[i].size());
  BLAKE3 hasher;
  hasher.update(sizes);
  for (StringRef part : parts)
    hasher.update(part);
  const std::string head =
      (Magic + asText(key) + asText(finish(hasher)) + sizes).str();

  std::string name;
  const int fd = createTemporary(folder, name);
  if (fd < 0 && errno == ENOENT) // The user has removed the folder.
    return Error::success();
  if (fd < 0)
    return lastError();
  bool isWritten = writeAll(fd, head);
  for (StringRef part : parts)
    isWritten = isWritten && writeAll(fd, part);
  // Some file systems tell only now that there was no room.
  int error = isWritten ? 0 : errno;
  if (::close(fd) && !error)
    error = errno;
  if (!error &&
      ::renameat(folder, name.c_str(), folder, nameOf(key).c_str()) == 0)
    return Error::success();
  if (!error)
    error = errno;
  ::unlinkat(folder, name.c_str(), 0);
  // Somebody has removed it: another process that made room, or the user.
  if (error == ENOENT)
    return Error::success();
  return errorCodeToError({error, std::generic_category()});
}

//===----------------------------------------------------------------------===//
// Other files
//===----------------------------------------------------------------------===//

static bool isSame(const timespec &a, const timespec &b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool FileState::operator==(const FileState &other) const {
  return device == other.device && inode == other.inode && size == other.size &&
         isSame(modified, other.modified) && isSame(changed, other.changed);
}

static FileState stateOf(const struct stat &status) {
  return {status.st_dev, status.st_ino, status.st_size, status.st_mtim,
          status.st_ctim};
}

bool HashedFile::isUnchanged() const {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && stateOf(status) == state;
}

/// The times of a file that was written to a moment ago may stay the same when
/// that is done once more: a file system's clock is no finer than its ticks.
static bool isOldEnough(const FileState &state) {
  constexpr time_t Seconds = 2;
  timespec now;
  return ::clock_gettime(CLOCK_REALTIME, &now) == 0 &&
         now.tv_sec - state.modified.tv_sec > Seconds &&
         now.tv_sec - state.changed.tv_sec > Seconds;
}

/// Two images of read-only file systems may have files of one inode, size and
/// time. So pieces of the content, the ends above all, are part of the key.
static bool addSamples(int fd, uint64_t size, ContentKey &key) {
  constexpr uint64_t Samples = 16, SampleSize = 8 << 10;
  std::string piece(SampleSize, '\0');
  for (uint64_t i = 0; i != Samples; ++i) {
    const uint64_t at = (size - SampleSize) / (Samples - 1) * i;
    if (!readAt(fd, piece.data(), piece.size(),
                i + 1 == Samples ? size - SampleSize : at))
      return false;
    key.add(piece);
  }
  return true;
}

static std::optional<ContentHash> hashAll(int fd, uint64_t size) {
  constexpr uint64_t PieceSize = 1 << 20;
  std::string piece(std::min(size, PieceSize), '\0');
  BLAKE3 hasher;
  for (uint64_t at = 0; at != size;) {
    const size_t n = std::min(size - at, PieceSize);
    if (!readAt(fd, piece.data(), n, at))
      return std::nullopt;
    hasher.update(StringRef(piece.data(), n));
    at += n;
  }
  return finish(hasher);
}

/// Small files are read each time.
std::optional<ContentHash>
ContentCache::hashOpened(int fd, const FileState &state, bool mayKeep) const {
  constexpr off_t Large = 1 << 20;
  if (state.size < Large)
    return hashAll(fd, state.size);
  ContentKey key("file");
  for (uint64_t number :
       {uint64_t(state.device), uint64_t(state.inode), uint64_t(state.size),
        uint64_t(state.modified.tv_sec), uint64_t(state.modified.tv_nsec),
        uint64_t(state.changed.tv_sec), uint64_t(state.changed.tv_nsec)})
    key.add(number);
  if (!addSamples(fd, state.size, key))
    return std::nullopt;
  const ContentHash known = key.get();
  Entry entry;
  if (find(known, entry) == Found::Yes && entry.parts.size() == 1 &&
      entry.parts[0].size() == HashSize) {
    ContentHash hash;
    copy(entry.parts[0], hash.begin());
    return hash;
  }
  std::optional<ContentHash> hash = hashAll(fd, state.size);
  struct stat status;
  if (hash && mayKeep && isOldEnough(state) && ::fstat(fd, &status) == 0 &&
      stateOf(status) == state)
    consumeError(add(known, {asText(*hash)})); // Else it is hashed again.
  return hash;
}

std::optional<HashedFile> ContentCache::hashFile(StringRef path,
                                                 bool mayKeep) const {
  const ErrorOr<int> fd = openRegularFile(path.str());
  if (!fd)
    return std::nullopt;
  struct stat status;
  HashedFile file;
  file.path = path.str();
  std::optional<ContentHash> hash;
  if (::fstat(*fd, &status) == 0) {
    file.state = stateOf(status);
    hash = hashOpened(*fd, file.state, mayKeep);
  }
  ::close(*fd);
  if (!hash)
    return std::nullopt;
  file.hash = *hash;
  return file;
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

Expected<CachePruningPolicy> readCachePolicy(StringRef text) {
  // The last one of a key counts.
  return parseCachePruningPolicy(("prune_interval=5m:prune_after=720h:"
                                  "cache_size=100%:cache_size_bytes=5g:" +
                                  text)
                                     .str());
}

/// pruneCache() takes a path: this one is the open folder's, whatever has
/// become of its name. It opens the time stamp for writing, where a pipe would
/// let it wait, and before LLVM 23 ends the program if it isn't told how much
/// room there is, so both are looked at first.
void ContentCache::prune() const {
  struct statvfs room;
  if (::fstatvfs(folder, &room))
    return;
  const int stamp =
      ::openat(folder, TimeStamp.data(),
               O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (stamp >= 0)
    ::close(stamp);
  struct stat status;
  if (::fstatat(folder, TimeStamp.data(), &status, AT_SYMLINK_NOFOLLOW) ||
      !S_ISREG(status.st_mode))
    return;
  ignoreResult(pruneCache("/proc/self/fd/" + utostr(folder), policy));
}

ContentCache::Size ContentCache::measure() const {
  Size size;
  const int fd = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = fd < 0 ? nullptr : ::fdopendir(fd);
  if (!list)
    return size;
  struct stat status;
  while (const dirent *each = ::readdir(list))
    if (StringRef(each->d_name).starts_with(Prefix) &&
        ::fstatat(folder, each->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode)) {
      ++size.entries;
      size.bytes += status.st_size;
    }
  ::closedir(list);
  return size;
}

} // namespace lld::cuda
