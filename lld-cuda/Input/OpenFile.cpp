//===- OpenFile.cpp - Opening and reading inputs --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// openToRead() opens an input file and readOpenFile() reads it. The loader
/// (InputFiles.cpp) and the store of shared inputs call them when a link loads
/// its inputs, and the explanations of errors do for files that weren't linked.
/// Up to 64 inputs are all opened before the loader reads any: their sizes say
/// whether threads are worth it. A command line may name pipes and /dev/null,
/// but no directory and no terminal; a file that something else names, such as
/// a thin archive, has to be a regular one, since a pipe might never end. Files
/// of which parts are read later stay open, at most 256 of them; any further
/// ones are read as a whole.
///
//===----------------------------------------------------------------------===//

#include "Input/OpenFile.h"
#include "Input/InputStore.h"
#include "Input/PreparedInput.h"
#include "Inputs.h"
#include "lld-cuda/Support/Limits.h"
#include "lld-cuda/Support/RegularFile.h"
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;
using namespace lld::cuda;

/// Returns whether nothing follows in the file. The only device that may be an
/// input is /dev/null; others may never end.
static bool isAtEnd(int fd) {
  char byte;
  return ::read(fd, &byte, 1) == 0;
}

/// Opens a file that must be a regular one, not a device or a pipe.
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

/// Closes what isn't to be read, and says why.
static void refuseOthers(FileToRead &file) {
  if (::fstat(file.fd, &file.status) == 0 && !S_ISDIR(file.status.st_mode) &&
      (!S_ISCHR(file.status.st_mode) ||
       (!::isatty(file.fd) && isAtEnd(file.fd))))
    return;
  file.error = std::make_error_code(S_ISDIR(file.status.st_mode)
                                        ? std::errc::is_a_directory
                                        : std::errc::invalid_seek);
  ::close(file.fd);
  file.fd = -1;
}

FileToRead lld::cuda::openStandardInput() {
  FileToRead file;
  file.fd = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  if (file.fd < 0)
    file.error = {errno, std::generic_category()};
  else
    refuseOthers(file);
  return file;
}

FileToRead lld::cuda::openToRead(const Inputs &inputs,
                                 const std::string &path) {
  auto it = inputs.job.files.find(path);
  if (it == inputs.job.files.end())
    return path == "-" && inputs.config.isLld() ? openStandardInput()
                                                : openToRead(path);
  FileToRead file;
  file.memory = it->second;
  file.status.st_size = it->second.getBufferSize();
  return file;
}

/// Whoever gave the bytes may name them as a file is named.
FileToRead lld::cuda::openToRead(const Inputs &inputs, const LinkInput &input) {
  FileToRead file;
  if (input.prepared) {
    file.status.st_size = input.prepared->file.buffer->getBufferSize();
    return file;
  }
  if (!input.contents)
    return openToRead(inputs, input.path);
  file.memory = MemoryBufferRef(*input.contents, input.name);
  file.status.st_size = input.contents->size();
  return file;
}

FileToRead lld::cuda::openToRead(const std::string &path) {
  FileToRead file;
  file.error = sys::fs::openFileForRead(path, file.fd, sys::fs::OF_None);
  if (file.error)
    file.fd = -1;
  else
    refuseOthers(file);
  return file;
}

OpenedFile lld::cuda::readOpenFile(const Inputs &inputs,
                                   const std::string &path,
                                   const FileToRead &file, bool lazy) {
  OpenedFile result;
  if (file.memory) {
    // No device has this number; the bytes' address tells files apart.
    result.id = sys::fs::UniqueID(~uint64_t(0),
                                  uint64_t(file.memory->getBufferStart()));
    result.buffer = InputBuffer::copy(*file.memory);
    return result;
  }
  const bool mayStayOpen = inputs.counts.openInputs < MaxOpenInputs;
  InputBuffer::Options options;
  options.mayMap = inputs.job.inputMode == InputMode::Map && mayStayOpen;
  options.lazy = lazy;
  options.whole = inputs.config.lld.reproduce.has_value() || !mayStayOpen;
  result = readOpenFile(path, file, options);
  if (result.buffer && result.buffer->isOpen())
    ++inputs.counts.openInputs;
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
    result.error = explainNoMemory({errno, std::generic_category()});
  result.changed = problem == InputBuffer::Problem::Changed;
  ::close(file.fd);
  return result;
}

OpenedFile lld::cuda::openFile(const Inputs &inputs, const std::string &path,
                               bool lazy) {
  return readOpenFile(inputs, path, openToRead(inputs, path), lazy);
}

OpenedFile lld::cuda::openInput(const Inputs &inputs, const LinkInput &input) {
  if (input.prepared)
    return input.prepared->file;
  if (inputs.job.store && !input.contents)
    return inputs.job.store->open(input.path, /*lazy=*/false);
  return readOpenFile(inputs, input.path, openToRead(inputs, input),
                      /*lazy=*/false);
}

OpenedFile lld::cuda::openInput(const Inputs &inputs, const std::string &path,
                                bool lazy) {
  return inputs.job.store ? inputs.job.store->open(path, lazy)
                          : openFile(inputs, path, lazy);
}

OpenedFile lld::cuda::openFound(const Inputs &inputs, const std::string &path,
                                bool lazy) {
  if (inputs.job.store)
    return inputs.job.store->open(path, lazy, FileKinds::Regular);
  const FileToRead file = inputs.job.files.count(path)
                              ? openToRead(inputs, path)
                              : openRegularToRead(path);
  return readOpenFile(inputs, path, file, lazy);
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
