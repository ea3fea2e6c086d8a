//===- Facts.h - What is known of the files that are checked ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Files are read one after the other, and their images on several threads, a
/// few at a time; of each some numbers and the names of its kernels are kept.
/// Checks work on these facts and read nothing.
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

/// A kernel that not every GPU can launch, or that needs something of its
/// caller.
struct DemandingKernel {
  uint32_t name = 0; ///< A number of Facts::names.
  uint64_t shared = 0;
  uint32_t registers = 0;
  uint32_t threads = 0; ///< A block has so many, as the source promises.
  uint32_t cluster = 0; ///< Blocks of a cluster; 0: not said.
  bool isStackUnbounded = false;
};

struct ImageFacts {
  ImageForm form = ImageForm::Other;
  elf::Architecture arch;
  bool isForDeviceLink = false, isInLinkedFile = false; ///< As of FoundImage.
  bool isRelocatable = false;
  bool isRead = false; ///< It is sound, as far as was looked at.
  /// A cubin that has neither code nor data. Device links of nothing, which
  /// nvcc makes with every program, leave such an image.
  bool isEmpty = false;
  uint32_t container = 0;
  uint64_t containerOffset = 0;
  Version ptx = {0, 0}; ///< The language's version; PTX only.
  /// The version of a cubin's toolkit, ten times; 0: not known.
  unsigned toolkit = 0;
  Version ltoVersion = {0, 0}; ///< LTO IR's own.
  uint64_t stored = 0, unpacked = 0;
  uint64_t hash = 0;             ///< A hash of a cubin's bytes.
  uint64_t debugBytes = 0;       ///< Debug information of a cubin, unpacked.
  std::vector<uint32_t> kernels; ///< Sorted; numbers of Facts::names.
  std::vector<DemandingKernel> demanding;
  uint32_t undefined = 0; ///< A function that nobody defines; 0: none.
  uint32_t undefinedCount = 0;
  bool usesDeviceRuntime = false; ///< Kernels that launch kernels.
};

struct FileFacts {
  std::string name;
  int loader = -1;      ///< The file that loads it; -1: none.
  bool isAsked = false; ///< The user has named it.
  /// Which file this is, if it was named or loaded: the same one may come by
  /// several ways.
  std::optional<llvm::sys::fs::UniqueID> identity;
  std::vector<ImageFacts> images;
  std::optional<HostFile> host; ///< What an ELF program or library says.
  /// Device variables whose name the host code shares with other files: numbers
  /// of Facts::names.
  std::vector<uint32_t> sharedVariables;
  bool hasLinkedCode = false; ///< A device link has been in it.
  bool isDamaged = false;     ///< Something in it can't be read.

  bool hasDeviceCode() const {
    return llvm::any_of(images,
                        [](const ImageFacts &image) { return !image.isEmpty; });
  }
};

/// Fills FileFacts::hasLinkedCode, once all else is known.
void findLinkedCode(FileFacts &file);

/// Files that are loaded together.
struct Process {
  std::string name; ///< That of its first file.
  /// A library that the user has named: whoever loads it isn't known.
  bool isNamedLibrary = false;
  bool isAsked = false;      ///< The user has named its first file.
  std::vector<size_t> files; ///< In Facts::files; those with device code.
};

struct Facts {
  NameTable names;
  std::vector<FileFacts> files;
  std::vector<Process> processes;
  std::vector<Finding> findings; ///< What was found while reading.
  uint64_t otherFiles = 0;       ///< Without device code.
};

struct ReadOptions {
  std::string temporaryFolder;
  std::optional<uint64_t> memoryLimit;
  unsigned threads = 1;
  /// Whether the libraries are read that a program loads.
  bool followsLibraries = true;
  SearchOptions search;
};

/// Adds the files of a path, and what they load.
void readFiles(llvm::StringRef path, const ReadOptions &options, Facts &facts);

} // namespace lld::cuda

#endif
