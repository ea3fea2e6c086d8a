//===- OutputFile.h - Writing files atomically -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes a file that is given as spans. A regular or absent target is written
/// as a preallocated temporary in the same directory and renamed, so that
/// nobody ever sees half of the contents, a link that fails or is killed leaves
/// the old file, and whoever has that open keeps it; devices, pipes and files
/// with several links are written in place.
///
/// All outputs of a link are made beside their targets first, and put in place
/// together when nothing can go wrong any more: all are written or none.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_OUTPUTFILE_H
#define LLD_CUDA_SUPPORT_OUTPUTFILE_H

#include "lld-cuda/Support/OutputSet.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

/// Bytes at an offset of the file. Spans are sorted and don't overlap; the gaps
/// between them are zero.
struct OutputSpan {
  uint64_t offset;
  llvm::ArrayRef<uint8_t> bytes;
};

/// An output. What the spans refer to lives until the commit.
struct OutputRequest {
  std::string path;
  uint64_t size = 0;
  std::vector<OutputSpan> spans;
  std::string text; ///< All of the contents, instead of spans.
  /// Also written if the link fails; see OutputSet::discardAfterErrors().
  bool afterErrors = false;

  OutputRequest(llvm::StringRef path, uint64_t size,
                std::vector<OutputSpan> spans)
      : path(path), size(size), spans(std::move(spans)) {}
  OutputRequest(llvm::StringRef path, std::string text)
      : path(path), size(text.size()), text(std::move(text)) {}
};

/// Errors are distinguished: a file that can't be opened or created gives
/// std::errc::permission_denied and the like as ECError from `open`; failing
/// writes give an Error whose message starts with "writing".
llvm::Error writeOutputFile(llvm::StringRef path, uint64_t size,
                            llvm::ArrayRef<OutputSpan> spans);

/// The path of the file that would be written: symbolic links are followed.
/// Empty if they go round in circles.
std::string followLinks(llvm::StringRef path);

/// A file that is there or will be.
struct FileIdentity {
  llvm::sys::fs::UniqueID id; ///< Of a file that isn't there: its directory's.
  std::string name;           ///< In the directory; empty if the file is there.

  bool operator==(const FileIdentity &other) const {
    return id == other.id && name == other.name;
  }
};

/// Nothing for devices and pipes, and where no file can be.
std::optional<FileIdentity> identifyFile(llvm::StringRef path);

} // namespace lld::cuda

#endif
