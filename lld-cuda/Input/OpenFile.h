//===- OpenFile.h - Opening and reading inputs ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// In two steps, so that the sizes of all inputs are known before any is read.
/// openFile() (InputFiles.h) does both.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_OPENFILE_H
#define LLD_CUDA_INPUT_OPENFILE_H

#include "Input/InputFiles.h"
#include <optional>
#include <sys/stat.h>

namespace lld::cuda {

/// An input that isn't read yet.
struct FileToRead {
  int fd = -1; ///< -1: it can't be opened, or is in memory.
  struct stat status = {};
  std::error_code error;                       ///< Why it can't be opened.
  std::optional<llvm::MemoryBufferRef> memory; ///< Stands for the file.
};

/// Devices and pipes are inputs where the command line names them.
enum class FileKinds : bool { All, Regular };

/// Files of which parts are read later stay open; so many at most.
constexpr unsigned MaxOpenInputs = 256;

FileToRead openToRead(const Inputs &inputs, const std::string &path);
FileToRead openToRead(const Inputs &inputs, const LinkInput &input);
OpenedFile openInput(const Inputs &inputs, const LinkInput &input);
FileToRead openToRead(const std::string &path);
FileToRead openToRead(const std::string &path, FileKinds kinds);
FileToRead openStandardInput();

/// Reads a file that no command line names: a thin archive does, or a search
/// has come upon it. It has to be a regular one; a pipe might never end.
OpenedFile openFound(const Inputs &inputs, const std::string &path, bool lazy);

/// Reads the file and closes it.
OpenedFile readOpenFile(const Inputs &inputs, const std::string &path,
                        const FileToRead &file, bool lazy);
OpenedFile readOpenFile(const std::string &path, const FileToRead &file,
                        InputBuffer::Options options);

} // namespace lld::cuda

#endif
