//===- OpenFile.cpp - Opening and reading inputs --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Input/OpenFile.h"
#include "Ctx.h"
#include "Input/InputStore.h"
#include "lld-cuda/Support/RegularFile.h"
#include <cerrno>
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

/// Of devices only /dev/null is an input; others may never end.
static bool isAtEnd(int fd) {
  char byte;
  return ::read(fd, &byte, 1) == 0;
}

/// As openToRead() of one that may be a device or a pipe.
static FileToRead openRegularToRead(const std::string &path) {
  FileToRead file;
  ErrorOr<int> fd = openRegularFile(path);
  file.error = fd.getError();
  if (fd) {
    file.fd = *fd;
    ::fstat(file.fd, &file.status);
  }
  return file;
}

FileToRead lld::cuda::openToRead(const std::string &path, FileKinds kinds) {
  return kinds == FileKinds::Regular ? openRegularToRead(path)
                                     : openToRead(path);
}

FileToRead lld::cuda::openToRead(const Ctx &ctx, const std::string &path) {
  auto it = ctx.job.files.find(path);
  if (it == ctx.job.files.end())
    return openToRead(path);
  FileToRead file;
  file.memory = it->second;
  file.status.st_size = it->second.getBufferSize();
  return file;
}

/// Whoever gave the bytes may name them as a file is named.
FileToRead lld::cuda::openToRead(const Ctx &ctx, const LinkInput &input) {
  if (!input.contents)
    return openToRead(ctx, input.path);
  FileToRead file;
  file.memory = MemoryBufferRef(*input.contents, input.name);
  file.status.st_size = input.contents->size();
  return file;
}

FileToRead lld::cuda::openToRead(const std::string &path) {
  FileToRead file;
  file.error = sys::fs::openFileForRead(path, file.fd, sys::fs::OF_None);
  if (file.error) {
    file.fd = -1;
    return file;
  }
  if (::fstat(file.fd, &file.status) == 0 && !S_ISDIR(file.status.st_mode) &&
      (!S_ISCHR(file.status.st_mode) || isAtEnd(file.fd)))
    return file;
  file.error = std::make_error_code(S_ISDIR(file.status.st_mode)
                                        ? std::errc::is_a_directory
                                        : std::errc::invalid_seek);
  ::close(file.fd);
  file.fd = -1;
  return file;
}

OpenedFile lld::cuda::readOpenFile(const Ctx &ctx, const std::string &path,
                                   const FileToRead &file, bool lazy) {
  OpenedFile result;
  if (file.memory) {
    // No device has this number; the bytes' address tells files apart.
    result.id = sys::fs::UniqueID(~uint64_t(0),
                                  uint64_t(file.memory->getBufferStart()));
    result.buffer = InputBuffer::copy(*file.memory);
    return result;
  }
  const bool mayStayOpen = ctx.openInputs < MaxOpenInputs;
  InputBuffer::Options options;
  options.mayMap = ctx.job.inputMode == InputMode::Map && mayStayOpen;
  options.lazy = lazy;
  options.whole = ctx.config.lld.reproduce.has_value() || !mayStayOpen;
  result = readOpenFile(path, file, options);
  if (result.buffer && result.buffer->isOpen())
    ++ctx.openInputs;
  return result;
}

OpenedFile lld::cuda::readOpenFile(const std::string &path,
                                   const FileToRead &file,
                                   InputBuffer::Options options) {
  OpenedFile result;
  if (file.fd < 0) {
    result.error = file.error;
    return result;
  }
  result.id = sys::fs::UniqueID(file.status.st_dev, file.status.st_ino);
  InputBuffer::Problem problem;
  errno = 0;
  result.buffer =
      InputBuffer::read(file.fd, path, file.status, options, problem);
  if (problem == InputBuffer::Problem::CannotRead)
    result.error = std::error_code(errno, std::generic_category());
  result.changed = problem == InputBuffer::Problem::Changed;
  ::close(file.fd);
  return result;
}

OpenedFile lld::cuda::openFile(const Ctx &ctx, const std::string &path,
                               bool lazy) {
  return readOpenFile(ctx, path, openToRead(ctx, path), lazy);
}

OpenedFile lld::cuda::openInput(const Ctx &ctx, const LinkInput &input) {
  if (ctx.job.store && !input.contents)
    return ctx.job.store->open(input.path, /*lazy=*/false);
  return readOpenFile(ctx, input.path, openToRead(ctx, input), /*lazy=*/false);
}

OpenedFile lld::cuda::openInput(const Ctx &ctx, const std::string &path,
                                bool lazy) {
  return ctx.job.store ? ctx.job.store->open(path, lazy)
                       : openFile(ctx, path, lazy);
}

OpenedFile lld::cuda::openMember(const Ctx &ctx, const std::string &path,
                                 bool lazy) {
  if (ctx.job.store)
    return ctx.job.store->open(path, lazy, FileKinds::Regular);
  const FileToRead file = ctx.job.files.count(path) ? openToRead(ctx, path)
                                                    : openRegularToRead(path);
  return readOpenFile(ctx, path, file, lazy);
}

Diagnostic lld::cuda::changedError(StringRef path) {
  return Diagnostic(DiagId::InputChanged, {"Input file ", diag::file(path),
                                           " was written to during the link"});
}

Diagnostic lld::cuda::openError(const OpenedFile &file, StringRef path) {
  if (file.changed)
    return changedError(path);
  Diagnostic d(DiagId::CannotOpenInput,
               {"Could not open input file ", diag::file(path)});
  if (file.error)
    d.notes.push_back(file.error.message());
  return d;
}
