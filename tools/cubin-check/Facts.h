//===- Facts.h - Facts about the files that are checked ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What cubin-check knows about the files and the libraries that they load.
/// cubin-check.cpp calls readFiles() for each path of the command line before
/// the checks (Check.h), which work on these facts alone. Files are read one
/// after the other and their images on several threads, a few at a time; only
/// numbers and the names of kernels are kept of an image, so memory doesn't
/// grow with the size of files.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_CHECK_FACTS_H
#define LLD_CUDA_CUBIN_CHECK_FACTS_H

#include "Findings.h"
#include "lld-cuda/Finished/Coverage.h"
#include "lld-cuda/Finished/HostFile.h"
#include "lld-cuda/Finished/Images.h"
#include "lld-cuda/Finished/LibrarySearch.h"
#include "lld-cuda/Finished/NameTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

/// A kernel with a requirement that not every GPU or caller meets.
struct DemandingKernel {
  uint32_t name = 0;   ///< An index into Facts::names.
  uint64_t shared = 0; ///< Bytes of static shared memory.
  uint32_t registers = 0;
  uint32_t threads = 0; ///< Threads of a block, by the launch bounds.
  uint32_t cluster = 0; ///< Blocks of a cluster; 0 if the source names none.
  bool isStackUnbounded = false;
};

/// What is known of one image: a cubin, PTX or LTO IR for one architecture.
struct ImageFacts {
  ImageForm form = ImageForm::Other;
  elf::Architecture arch;
  bool isForDeviceLink = false, isInLinkedFile = false; ///< See FoundImage.
  bool isRelocatable = false;
  bool isRead = false; ///< All parts that the checks need could be read.
  /// The image is a cubin without code and data. nvcc runs a device link for
  /// every program; without relocatable code, such an image is its result.
  bool isEmpty = false;
  uint32_t container = 0;
  uint64_t containerOffset = 0;
  Version ptx = {0, 0}; ///< The PTX ISA version, for PTX only.
  /// The toolkit that made a cubin: 130 for 13.0; 0 if it isn't known.
  unsigned toolkit = 0;
  Version ltoVersion = {0, 0}; ///< The version of LTO IR, for LTO IR only.
  uint64_t stored = 0, unpacked = 0; ///< Sizes in bytes.
  uint64_t hash = 0;                 ///< A hash of a cubin's bytes.
  uint64_t debugBytes = 0;       ///< Debug information of a cubin, unpacked.
  std::vector<uint32_t> kernels; ///< Sorted indices into Facts::names.
  std::vector<DemandingKernel> demanding;
  uint32_t undefined = 0; ///< An undefined symbol's name; 0 if there is none.
  uint32_t undefinedCount = 0;
  bool usesDeviceRuntime = false; ///< A kernel launches kernels.
};

/// What is known of one file, archive member or wheel member.
struct FileFacts {
  std::string name;
  int loader = -1;      ///< Index of the file that loads it; -1 if none does.
  bool isAsked = false; ///< The user named it on the command line.
  /// Device and inode of a file that was named or loaded, because one file may
  /// be reached under several names.
  std::optional<llvm::sys::fs::UniqueID> identity;
  std::vector<ImageFacts> images;
  std::optional<HostFile> host; ///< The host side of an ELF program or library.
  /// Device variables whose host symbol other files can share: indices into
  /// Facts::names.
  std::vector<uint32_t> sharedVariables;
  bool hasLinkedCode = false; ///< It contains the result of a device link.
  bool isDamaged = false;     ///< A part of it can't be read.

  bool hasDeviceCode() const {
    return llvm::any_of(images,
                        [](const ImageFacts &image) { return !image.isEmpty; });
  }
};

/// Sets FileFacts::hasLinkedCode. The other members must be set before.
void findLinkedCode(FileFacts &file);

/// Files that are loaded into one process: a program with its libraries.
struct Process {
  std::string name; ///< The name of its first file.
  /// The first file is a library; the program that loads it isn't known.
  bool isNamedLibrary = false;
  bool isAsked = false;      ///< The user named its first file.
  std::vector<size_t> files; ///< Indices of its files with device code.
};

/// The facts about all files.
struct Facts {
  NameTable names;
  std::vector<FileFacts> files;
  std::vector<Process> processes;
  std::vector<Finding> findings; ///< Problems found while reading.
  uint64_t otherFiles = 0;       ///< Number of files without device code.
};

struct ReadOptions {
  std::string temporaryFolder;
  /// In bytes; if nullopt, the machine decides.
  std::optional<uint64_t> memoryLimit;
  unsigned threads = 1;
  /// Whether to read the libraries that a program loads.
  bool followsLibraries = true;
  SearchOptions search;
};

/// Adds the file, or all files of the directory or wheel, at `path` to `facts`,
/// and the libraries that they load. Errors become findings.
void readFiles(llvm::StringRef path, const ReadOptions &options, Facts &facts);

} // namespace lld::cuda

#endif
