//===- InPlaceFile.cpp - Files that are written over ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// OutputFile.cpp uses this class where a new file can't take the old one's
/// place. The order of the steps keeps both files safe. The new contents are
/// copied to memory first, since an output may be an input that is mapped.
/// Before the first byte is overwritten, the old contents are read, and the
/// system must have shown that there is room for the new ones. If a write fails
/// then, restore() puts the old contents, size and times back. Signals wait
/// meanwhile, so that none ends the program halfway.
///
//===----------------------------------------------------------------------===//

#include "InPlaceFile.h"
#include "SignalsWait.h"
#include "WriteSpans.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace lld::cuda;

int InPlaceFile::prepare(const std::string &target, uint64_t length,
                         ArrayRef<OutputSpan> spans) {
  path = target;
  isNew = ::stat(path.c_str(), &status) != 0 && errno == ENOENT;
  // What is there is read, to be put back if writing fails. (To open a pipe for
  // both would not wait for its reader.) With O_CREAT, though it is there: in a
  // directory such as /tmp the system then refuses files that somebody else may
  // have put there to get the contents (fs.protected_regular).
  const int flags = O_CREAT | O_CLOEXEC;
  if (isNew || S_ISREG(status.st_mode))
    fd = ::open(path.c_str(), flags | O_RDWR, 0666);
  if (fd < 0)
    fd = ::open(path.c_str(), flags | O_WRONLY, 0666);
  if (fd < 0 || ::fstat(fd, &status) != 0)
    return errno;
  return copySpans(length, spans);
}

int InPlaceFile::prepareStandardOutput(uint64_t length,
                                       ArrayRef<OutputSpan> spans) {
  isStream = true;
  fd = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  return fd < 0 ? errno : copySpans(length, spans);
}

int InPlaceFile::copySpans(uint64_t length, ArrayRef<OutputSpan> spans) {
  size = length;
  copy.reset(new (std::nothrow) uint8_t[size]());
  if (!copy)
    return ENOMEM;
  for (const OutputSpan &span : spans)
    if (!span.bytes.empty())
      memcpy(copy.get() + span.offset, span.bytes.data(), span.bytes.size());
  return 0;
}

void InPlaceFile::discard() {
  if (fd < 0)
    return;
  ::close(fd);
  fd = -1;
  if (isNew && !isWritten)
    ::unlink(path.c_str());
}

int InPlaceFile::write() {
  int error;
  if (isRegular()) {
    error = overwrite();
  } else {
    // Nobody may read what is written to a pipe, so signals don't wait.
    error = writeSpans(fd, size, OutputSpan{0, ArrayRef(copy.get(), size)});
    if (::close(std::exchange(fd, -1)) != 0 && !error)
      error = errno;
  }
  isWritten = !error;
  return error;
}

/// Some file systems write, and fail, when a file is closed.
static int flushByClosing(int fd) {
  const int other = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return other >= 0 && ::close(other) != 0 ? errno : 0;
}

int InPlaceFile::overwrite() {
  const uint64_t needed = status.st_size;
  old.reset(new (std::nothrow) uint8_t[needed]);
  if (!old)
    return ENOMEM;
  // Without the right to read the file, its contents can't be kept.
  for (oldSize = 0; oldSize != needed;) {
    ssize_t n = ::pread(fd, old.get() + oldSize, needed - oldSize, oldSize);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno != EBADF)
      return errno;
    if (n <= 0)
      break;
    oldSize += n;
  }
  SignalsWait wait;
  // Before anything is overwritten there must be room for all of it, and it
  // must be possible to cut the file again. It grows when it is written, not
  // before.
  if (::ftruncate(fd, status.st_size) != 0)
    return errno;
  int error = preallocate(fd, size, FALLOC_FL_KEEP_SIZE);
  if (!error)
    error = writeSpans(fd, size, OutputSpan{0, ArrayRef(copy.get(), size)});
  if (!error && ::ftruncate(fd, size) != 0)
    error = errno;
  if (!error)
    error = flushByClosing(fd);
  if (error)
    restore();
  return error;
}

void InPlaceFile::restore() {
  if (::lseek(fd, 0, SEEK_SET) == 0)
    writeSpans(fd, oldSize, OutputSpan{0, ArrayRef(old.get(), oldSize)});
  const timespec times[] = {status.st_atim, status.st_mtim};
  // Cutting the file also gives back the room that was taken beforehand.
  if (::ftruncate(fd, status.st_size) == 0)
    ::futimens(fd, times);
}

void InPlaceFile::undo() {
  if (!isWritten || !isRegular())
    return;
  SignalsWait wait;
  restore();
  isWritten = false;
}
