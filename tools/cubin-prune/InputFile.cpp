//===- InputFile.cpp - A file that is to be pruned ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-prune's main() opens the file that it prunes with InputFile::open()
/// and calls checkUnchanged() before the result takes its place. Its size and
/// times tell whether another process writes to it meanwhile. If the result
/// replaces it, two more things count: which file its name stands for, and a
/// lease, which the kernel grants only while nobody has the file open to write.
/// The clock of file times moves in steps of some milliseconds, so a file that
/// has just been written is read 20 ms later; a write after that can't leave
/// the times as they were.
///
//===----------------------------------------------------------------------===//

#include "InputFile.h"
#include "lld-cuda/Support/RegularFile.h"
#include "llvm/Support/MathExtras.h"
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace lld::cuda {

static Error lastError() {
  return errorCodeToError({errno, std::generic_category()});
}

static bool isEqual(const timespec &a, const timespec &b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static void sleepMilliseconds(long count) {
  const timespec time = {0, count * 1000000};
  ::nanosleep(&time, nullptr);
}

/// Kernels before 6.13 mark writes with a clock that moves every 4 ms, or 10:
/// after a write to come the file's times must be others than now.
static void waitForNextTick(const struct stat &status) {
  constexpr int64_t Tick = 10;
  timespec now;
  if (::clock_gettime(CLOCK_REALTIME, &now) != 0)
    return;
  const int64_t age = (now.tv_sec - status.st_ctim.tv_sec) * 1000 +
                      (now.tv_nsec - status.st_ctim.tv_nsec) / 1000000;
  if (age >= 0 && age < 2 * Tick)
    sleepMilliseconds(2 * Tick);
}

/// A lease for reading can be had only while nobody has the file open to write.
/// It is given back at once. Who may not ask, and where the file system can't
/// tell, gets no answer.
static bool isOpenToWrite(int fd) {
  // Sent to those who have a lease when somebody opens the file to write.
  std::signal(SIGIO, SIG_IGN);
  if (::fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
    return errno == EAGAIN;
  ::fcntl(fd, F_SETLEASE, F_UNLCK);
  return false;
}

/// The compiler that has just written the file, or what that has started, may
/// still be about to end.
Error PrunedFile::checkWriters() const {
  constexpr int Attempts = 50, Pause = 10;
  for (int i = 0; isReplaced && isOpenToWrite(fd); ++i) {
    if (i == Attempts)
      return createStringError("another process has it open to write");
    sleepMilliseconds(Pause);
  }
  return Error::success();
}

Expected<std::unique_ptr<PrunedFile>> PrunedFile::open(StringRef path,
                                                       bool isReplaced) {
  std::unique_ptr<PrunedFile> file(new PrunedFile(path, isReplaced));
  struct stat &status = file->before;
  ErrorOr<int> fd = openRegularFile(file->path);
  if (!fd)
    return errorCodeToError(fd.getError());
  file->fd = *fd;
  if (::fstat(file->fd, &status) != 0)
    return lastError();
  if (Error e = file->checkWriters())
    return e;
  waitForNextTick(status);
  if (::fstat(file->fd, &status) != 0)
    return lastError();
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getOpenFile(file->fd, path, status.st_size,
                                /*RequiresNullTerminator=*/false);
  if (!buffer)
    return errorCodeToError(buffer.getError());
  file->buffer = std::move(*buffer);
  return file;
}

Expected<std::unique_ptr<PrunedFile>> PrunedFile::readStandardInput() {
  std::unique_ptr<PrunedFile> file(new PrunedFile("-", /*isReplaced=*/false));
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = readRegularFileOrStdin("-");
  if (!buffer)
    return errorCodeToError(buffer.getError());
  file->buffer = std::move(*buffer);
  file->before.st_mode = 0666;
  file->before.st_size = file->contents().size();
  constexpr uint64_t BlockSize = 512;
  file->before.st_blocks = divideCeil(file->contents().size(), BlockSize);
  return file;
}

PrunedFile::~PrunedFile() {
  if (fd >= 0)
    ::close(fd);
}

Error PrunedFile::checkUnchanged() const {
  if (fd < 0) // Standard input was copied.
    return Error::success();
  struct stat now, named;
  if (::fstat(fd, &now) != 0)
    return lastError();
  if (isReplaced && ::lstat(path.c_str(), &named) != 0)
    return lastError();
  if (isReplaced &&
      (named.st_ino != before.st_ino || named.st_dev != before.st_dev))
    return createStringError("another file replaced it while it was pruned");
  if (now.st_size != before.st_size || !isEqual(now.st_mtim, before.st_mtim) ||
      !isEqual(now.st_ctim, before.st_ctim))
    return createStringError("another process wrote to it while it was pruned");
  return checkWriters();
}

} // namespace lld::cuda
