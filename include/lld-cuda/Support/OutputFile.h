//===- OutputFile.h - Writing files atomically ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All programs write their files this way. A file is given as spans. A regular
/// or absent target is written as a temporary in the same directory that takes
/// its place when it is complete, so that nobody ever sees half of the
/// contents, a program that fails or is killed leaves the old file, and whoever
/// has that open keeps it. Owner, group, mode and extended attributes stay.
/// Devices, pipes, files with several names, and those whose owner or
/// attributes a new file couldn't have, are written in place.
///
/// All outputs of a program are made beside their targets first, and put in
/// place together when nothing can go wrong any more: all are written or none.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_OUTPUTFILE_H
#define LLD_CUDA_SUPPORT_OUTPUTFILE_H

#include "lld-cuda/Support/OutputSet.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lld::cuda {

/// Bytes at an offset of the file. Spans are sorted and don't overlap; the gaps
/// between them are zero.
struct OutputSpan {
  uint64_t offset;
  llvm::ArrayRef<uint8_t> bytes;
};

/// For a file that is changed rather than made, such as a program that becomes
/// smaller.
struct FileChange {
  /// The mode of a file that isn't there yet, before the umask.
  mode_t mode = 0666;
  /// Gaps between spans take no space on the disk.
  bool leavesHoles = false;
  /// Looks at what was written, before that takes its place.
  std::function<llvm::Error(llvm::StringRef)> check;

  /// What stands at the target can't be made again. It is replaced as a whole
  /// by a file that is on the disk, never written over, and capabilities stay,
  /// too. What the new file can't have is told in `losses`.
  bool replacesOnlyCopy = false;
  /// Where the old file stays; an error if something is there.
  std::string backup;
  /// The last question before the target is replaced.
  std::function<llvm::Error()> checkOld;

  // What came of it.
  std::vector<std::string> losses; ///< "owner 1000"
  uint64_t bytesOnDisk = 0;
};

/// An output. What the spans and the change refer to lives until the commit.
struct OutputRequest {
  std::string path;
  uint64_t size = 0;
  std::vector<OutputSpan> spans;
  std::string text; ///< All of the contents, instead of spans.
  /// Also written if the link fails; see OutputSet::discardAfterErrors().
  bool afterErrors = false;
  FileChange *change = nullptr;
  /// The path is only a name for messages.
  bool toStandardOutput = false;

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

} // namespace lld::cuda

#endif
