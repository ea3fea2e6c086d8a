//===- OutputFile.cpp - Writing files atomically --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A preallocated temporary, written with pwritev and renamed, is both atomic
/// and the fastest way: replacing a file with unallocated blocks makes the file
/// system flush them, and a mapped output spends its time in page faults
/// (spec: addendum, section 3.4).
///
//===----------------------------------------------------------------------===//

#include "OutputFile.h"
#include "Ctx.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Errno.h"
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

/// A new file "<path>.tmpXXXXXXXX". Returns the descriptor, or -1 with errno.
int createTemporary(StringRef path, mode_t mode, SmallVectorImpl<char> &name) {
  for (int attempt = 0; attempt != 64; ++attempt) {
    uint32_t random;
    if (::getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
      random = uint32_t(::getpid()) * 64 + attempt;
    name.clear();
    (path + ".tmp" + Twine::utohexstr(random)).toVector(name);
    name.push_back(0);
    int fd = ::open(name.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
  return -1;
}

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
    char *target = ::realpath(path.c_str(), nullptr);
    if (!target)
      return openFailed(errno);
    path = target;
    ::free(target);
  }

  SmallString<256> temporary;
  int fd = createTemporary(path, 0666, temporary);
  if (fd < 0)
    return writeInPlace(path, size, spans);
  StringRef temporaryName(temporary.data());
  sys::RemoveFileOnSignal(temporaryName);

  int error = 0;
  if (exists && ::fchmod(fd, status.st_mode & 07777) != 0)
    error = errno;
  // Only a full disk counts: some file systems can't preallocate.
  if (!error && size && ::fallocate(fd, 0, 0, size) != 0 && errno == ENOSPC)
    error = errno;
  if (!error)
    error = writeSpans(fd, size, spans);
  if (::close(fd) != 0 && !error)
    error = errno;
  if (!error && ::rename(temporary.data(), path.c_str()) != 0)
    error = errno;
  if (error)
    ::unlink(temporary.data());
  sys::DontRemoveFileOnSignal(temporaryName);
  return error ? writeFailed(path, error) : Error::success();
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
