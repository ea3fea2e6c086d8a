//===- OpenFile.h - Opening and reading inputs ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions that open and read an input file, in two steps, so that the
/// sizes of all inputs are known before any is read. InputFiles.cpp and
/// InputStore.cpp call them while a link loads its inputs; PreparedInput.cpp
/// does before a link. openFile() in InputFiles.h does both steps.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_OPENFILE_H
#define LLD_CUDA_INPUT_OPENFILE_H

#include "Input/InputFiles.h"
#include <optional>
#include <sys/stat.h>

namespace lld::cuda {

/// An input that isn't read yet. Its descriptor is closed by readOpenFile().
struct FileToRead {
  int fd = -1; ///< -1 if it can't be opened or is in memory.
  struct stat status = {};
  std::error_code error;                       ///< Why it can't be opened.
  std::optional<llvm::MemoryBufferRef> memory; ///< Stands for the file.
};

/// Which files may be opened: devices and pipes are inputs only if the command
/// line names them.
enum class FileKinds : bool { All, Regular };

/// The limit on files that stay open because parts of them are read later.
constexpr unsigned MaxOpenInputs = 256;

/// Opens a file for a link: the contents in LinkJob::files if `path` is there,
/// standard input for "-" in the lld flavour, or the file with that path.
FileToRead openToRead(const Inputs &inputs, const std::string &path);
/// Opens an input: its contents, if the job has them, or the file of its path.
FileToRead openToRead(const Inputs &inputs, const LinkInput &input);
/// Opens and reads an input. A prepared input, and one that is in the store of
/// the link, isn't read again.
OpenedFile openInput(const Inputs &inputs, const LinkInput &input);
// These functions open files without a link.
FileToRead openToRead(const std::string &path);
FileToRead openToRead(const std::string &path, FileKinds kinds);
FileToRead openStandardInput();

/// Reads a file that the command line doesn't name: a thin archive names it, or
/// a search has found it. It must be a regular file, as a pipe might never end.
OpenedFile openFound(const Inputs &inputs, const std::string &path, bool lazy);

/// Reads the file and closes it.
OpenedFile readOpenFile(const Inputs &inputs, const std::string &path,
                        const FileToRead &file, bool lazy);
OpenedFile readOpenFile(const std::string &path, const FileToRead &file,
                        InputBuffer::Options options);

} // namespace lld::cuda

#endif
