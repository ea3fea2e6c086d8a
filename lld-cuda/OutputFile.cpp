//===- OutputFile.cpp - Writing files atomically --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A preallocated temporary, written with writev and renamed, is both atomic
/// and the fastest way to a new file: replacing a file with unallocated blocks
/// makes the file system flush them, and a mapped output spends its time in
/// page faults (spec: addendum, section 3.4).
///
/// An old output that nobody else has open becomes the temporary itself: its
/// blocks and cached pages are used again. Freeing them would cost more than
/// writing the new contents, milliseconds where the file system discards freed
/// blocks at once.
///
//===----------------------------------------------------------------------===//

#include "OutputFile.h"
#include "Ctx.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

namespace {

std::error_code lastError() { return {errno, std::generic_category()}; }

Error openFailed(int error) {
  return errorCodeToError({error, std::generic_category()});
}

Error writeFailed(StringRef path, int error) {
  return createStringError(std::error_code(error, std::generic_category()),
                           "writing '" + path + "': " + sys::StrError(error));
}

/// Hands out the contents as pieces of memory, gaps filled with zeros.
class SpanReader {
public:
  SpanReader(uint64_t size, ArrayRef<OutputSpan> spans)
      : size(size), spans(spans) {}

  /// Fills `out` with what comes next; 0 at the end.
  size_t next(MutableArrayRef<iovec> out) {
    size_t n = 0;
    while (n != out.size() && position != size) {
      ArrayRef<uint8_t> bytes = nextPiece();
      out[n++] = {const_cast<uint8_t *>(bytes.data()), bytes.size()};
      position += bytes.size();
    }
    return n;
  }

private:
  ArrayRef<uint8_t> nextPiece() {
    static constexpr uint8_t zeros[4096] = {};
    while (!spans.empty() && spans.front().bytes.empty())
      spans = spans.drop_front();
    uint64_t end = spans.empty() ? size : spans.front().offset;
    if (position != end)
      return ArrayRef(zeros).take_front(
          std::min<uint64_t>(sizeof(zeros), end - position));
    ArrayRef<uint8_t> bytes = spans.front().bytes;
    spans = spans.drop_front();
    return bytes;
  }

  uint64_t size, position = 0;
  ArrayRef<OutputSpan> spans;
};

/// Writes all at the descriptor's position. Returns 0 or errno.
int writeSpans(int fd, uint64_t size, ArrayRef<OutputSpan> spans) {
  SpanReader reader(size, spans);
  std::array<iovec, 256> pieces;
  static_assert(std::tuple_size_v<decltype(pieces)> <= IOV_MAX);
  while (size_t n = reader.next(pieces)) {
    MutableArrayRef<iovec> left(pieces.data(), n);
    while (!left.empty()) {
      ssize_t written = ::writev(fd, left.data(), left.size());
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        return written < 0 ? errno : EIO;
      while (!left.empty() && size_t(written) >= left.front().iov_len) {
        written -= left.front().iov_len;
        left = left.drop_front();
      }
      if (written) {
        left.front().iov_base =
            static_cast<char *>(left.front().iov_base) + written;
        left.front().iov_len -= written;
      }
    }
  }
  return 0;
}

/// Devices, pipes, files with several names, and files in directories where
/// nothing can be created.
Error writeInPlace(const std::string &path, uint64_t size,
                   ArrayRef<OutputSpan> spans) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0)
    return errorCodeToError(lastError());
  // An input may be the output: its mapped pages change below the spans, and
  // truncating it first would pull them away. Hence one complete copy.
  std::vector<uint8_t> copy(size);
  for (const OutputSpan &span : spans)
    if (!span.bytes.empty())
      memcpy(copy.data() + span.offset, span.bytes.data(), span.bytes.size());
  OutputSpan whole{0, copy};
  int error = writeSpans(fd, size, whole);
  struct stat status;
  if (!error && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
      ::ftruncate(fd, size) != 0)
    error = errno;
  if (::close(fd) != 0 && !error)
    error = errno;
  return error ? writeFailed(path, error) : Error::success();
}

/// Calls use() with names beside `path` until one isn't taken. `use` returns
/// false with errno set; so does this.
bool tryNames(StringRef path, function_ref<bool(const char *)> use) {
  for (int attempt = 0; attempt != 64; ++attempt) {
    uint32_t random;
    if (::getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
      random = uint32_t(::getpid()) * 64 + attempt;
    std::string name = (path + ".tmp" + Twine::utohexstr(random)).str();
    if (use(name.c_str()))
      return true;
    if (errno != EEXIST)
      return false;
  }
  return false;
}

/// Whether no other descriptor and no mapping of the file exists: only then is
/// a write lease given. File systems without leases count as in use.
bool isUnused(int fd) {
  if (::fcntl(fd, F_SETLEASE, F_WRLCK) != 0)
    return false;
  ::fcntl(fd, F_SETLEASE, F_UNLCK);
  return true;
}

/// A file that takes a target's place once it is complete. A new one has no
/// name until then, where the file system allows that: whatever ends the link,
/// nothing is left behind.
class ReplacementFile {
public:
  ReplacementFile(const std::string &target, bool targetExists)
      : target(target), targetExists(targetExists) {}

  /// Returns false with errno set.
  bool create(uint64_t size) {
    if (targetExists && reuseTarget(size))
      return true;
    StringRef directory = sys::path::parent_path(target);
    fd = ::open(directory.empty() ? "." : directory.str().c_str(),
                O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    return fd >= 0 || createNamed();
  }

  /// Fills the file, gives it the mode and puts it in place. Returns 0 or
  /// errno; then the target is as it was.
  int write(std::optional<mode_t> mode, uint64_t size,
            ArrayRef<OutputSpan> spans) {
    int error = fill(mode, size, spans);
    // Without /proc a file can't get a name afterwards.
    if (!error && temporary.empty() && !giveName()) {
      ::close(fd);
      if (!createNamed())
        return errno;
      error = fill(mode, size, spans);
    }
    if (::close(fd) != 0 && !error)
      error = errno;
    if (temporary.empty())
      return error;
    if (!error && ::rename(temporary.c_str(), target.c_str()) != 0)
      error = errno;
    if (error)
      ::unlink(temporary.c_str());
    sys::DontRemoveFileOnSignal(temporary);
    return error;
  }

private:
  /// Takes the target away and makes it the temporary. From here on no target
  /// is better than one with half of its contents. There is space for all of
  /// them before the first byte is overwritten.
  bool reuseTarget(uint64_t size) {
    auto take = [&](const char *name) {
      if (::renameat2(AT_FDCWD, target.c_str(), AT_FDCWD, name,
                      RENAME_NOREPLACE) != 0)
        return false;
      temporary = name;
      return true;
    };
    if (!tryNames(target, take))
      return false;
    // Nobody opens a name that nobody knows, so the answer stays true.
    fd = ::open(temporary.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && isUnused(fd) &&
        (size == 0 || ::fallocate(fd, 0, 0, size) == 0)) {
      sys::RemoveFileOnSignal(temporary);
      reused = true;
      return true;
    }
    if (fd >= 0)
      ::close(fd);
    fd = -1;
    if (::rename(temporary.c_str(), target.c_str()) != 0)
      return false;
    temporary.clear();
    return false;
  }

  bool createNamed() {
    return tryNames(target, [&](const char *name) {
      fd = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd < 0)
        return false;
      temporary = name;
      sys::RemoveFileOnSignal(temporary);
      return true;
    });
  }

  /// Preallocates, so that the file system needn't flush when the file replaces
  /// another one; some can't, and only a full disk matters.
  int fill(std::optional<mode_t> mode, uint64_t size,
           ArrayRef<OutputSpan> spans) {
    if (reused) {
      int error = writeSpans(fd, size, spans);
      return !error && ::ftruncate(fd, size) != 0 ? errno : error;
    }
    if (mode && ::fchmod(fd, *mode) != 0)
      return errno;
    if (size && ::fallocate(fd, 0, 0, size) != 0 && errno == ENOSPC)
      return errno;
    return writeSpans(fd, size, spans);
  }

  /// The target's name if it is free, else a temporary one.
  bool giveName() {
    std::string self = "/proc/self/fd/" + itostr(fd);
    auto link = [&](const char *name) {
      return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name,
                      AT_SYMLINK_FOLLOW) == 0;
    };
    if (!targetExists && link(target.c_str()))
      return true;
    return tryNames(target, [&](const char *name) {
      if (!link(name))
        return false;
      temporary = name;
      return true;
    });
  }

  const std::string &target;
  bool targetExists;
  bool reused = false; ///< The temporary is the old target.
  int fd = -1;
  std::string temporary; ///< Its name, if it has one that must go.
};

} // namespace

Error lld::cuda::writeOutputFile(StringRef pathRef, uint64_t size,
                                 ArrayRef<OutputSpan> spans) {
  std::string path = pathRef.str();
  struct stat status;
  bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists) {
    if (S_ISDIR(status.st_mode))
      return openFailed(EISDIR);
    if (!S_ISREG(status.st_mode) || status.st_nlink > 1)
      return writeInPlace(path, size, spans);
    // A file that may not be written is not to be replaced, either.
    if (::access(path.c_str(), W_OK) != 0)
      return openFailed(errno);
  }
  // A symbolic link stays one; the file that it names is replaced.
  struct stat linkStatus;
  if (::lstat(path.c_str(), &linkStatus) == 0 && S_ISLNK(linkStatus.st_mode)) {
    if (!exists)
      return writeInPlace(path, size, spans);
    char *resolved = ::realpath(path.c_str(), nullptr);
    if (!resolved)
      return openFailed(errno);
    path = resolved;
    ::free(resolved);
  }

  ReplacementFile file(path, exists);
  if (!file.create(size))
    return writeInPlace(path, size, spans);
  std::optional<mode_t> mode;
  if (exists)
    mode = status.st_mode & 07777;
  if (int error = file.write(mode, size, spans))
    return writeFailed(path, error);
  return Error::success();
}

void lld::cuda::saveFile(Ctx &ctx, StringRef path, uint64_t size,
                         ArrayRef<OutputSpan> spans) {
  if (ctx.disableOutput)
    return;
  handleAllErrors(
      writeOutputFile(path, size, spans),
      [&](const ECError &) {
        ctx.diag.fatal("Could not open output file '" + path + "'");
      },
      [&](const ErrorInfoBase &) {
        ctx.diag.fatal("Internal error: writing file");
      });
}

void lld::cuda::saveFile(Ctx &ctx, StringRef path, StringRef contents) {
  saveFile(ctx, path, contents.size(),
           OutputSpan{0, arrayRefFromStringRef(contents)});
}
