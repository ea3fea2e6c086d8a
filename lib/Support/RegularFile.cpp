//===- RegularFile.cpp - Reads regular files only -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// openRegularFile() checks the kind of a file twice. It asks by the name
/// before it opens the file, because opening some devices has an effect (a tape
/// rewinds), and by the descriptor afterwards, because the name may be another
/// file's by then. O_NONBLOCK keeps the call from waiting for the other end of
/// a pipe. The tools read their inputs with these functions; the linker opens
/// files with the first of them (Input/OpenFile.cpp).
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/RegularFile.h"
#include "lld-cuda/Support/Limits.h"
#include "lld-cuda/Support/Sandbox.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace llvm;

namespace lld::cuda {

namespace {
class NotRegular final : public std::error_category {
public:
  const char *name() const noexcept override { return "lld-cuda.file"; }
  std::string message(int) const override { return "not a regular file"; }
};
} // namespace

static std::error_code makeError() {
  return explainDenied({errno, std::generic_category()});
}

/// Returns an error that says what the file is, if it isn't a regular one.
static std::error_code checkKind(const struct stat &status) {
  static const NotRegular category;
  if (S_ISREG(status.st_mode))
    return {};
  if (S_ISDIR(status.st_mode))
    return std::make_error_code(std::errc::is_a_directory);
  return {1, category};
}

ErrorOr<int> openRegularFile(const std::string &path) {
  // The kind is checked before the file is opened, since opening alone rewinds
  // a tape, and again afterwards, since the name may be another file's by then.
  struct stat status;
  if (::stat(path.c_str(), &status))
    return makeError();
  if (std::error_code ec = checkKind(status))
    return ec;
  int fd;
  do
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  while (fd < 0 && errno == EINTR);
  if (fd < 0)
    return makeError();
  std::error_code ec = ::fstat(fd, &status) ? makeError() : checkKind(status);
  if (!ec)
    return fd;
  ::close(fd);
  return ec;
}

ErrorOr<std::unique_ptr<MemoryBuffer>> readRegularFile(StringRef path,
                                                       bool endsWithNull) {
  ErrorOr<int> fd = openRegularFile(path.str());
  if (!fd)
    return fd.getError();
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getOpenFile(*fd, path, /*FileSize=*/-1, endsWithNull);
  ::close(*fd);
  if (!buffer)
    return explainNoMemory(buffer.getError());
  return buffer;
}

/// Refuses a device as standard input, except one that ends at once such as
/// /dev/null.
static std::error_code checkStandardInput() {
  struct stat status;
  if (::fstat(STDIN_FILENO, &status))
    return makeError();
  if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
    return {};
  char byte;
  if (S_ISCHR(status.st_mode) && !::isatty(STDIN_FILENO) &&
      ::read(STDIN_FILENO, &byte, 1) == 0)
    return {};
  return checkKind(status);
}

ErrorOr<std::unique_ptr<MemoryBuffer>> readRegularFileOrStdin(StringRef path) {
  if (path != "-")
    return readRegularFile(path);
  if (std::error_code ec = checkStandardInput())
    return ec;
  return MemoryBuffer::getSTDIN();
}

} // namespace lld::cuda
