//===- OutputFile.h - Output files, written atomically ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The one way in which all programs write their output files: a request
/// describes a file, and OutputSet (OutputSet.h) writes it. The linker
/// (SaveFile.cpp, DeviceLink.cpp), the program in fatbinary's place and
/// cubin-prune make requests when the contents are ready; the linker's
/// Reproduce.cpp, cubin-dump and lld-cuda-lto write a file at once with
/// writeOutputFile().
///
/// A regular file is written as a temporary file in the same directory, which
/// replaces the target when it is complete. Nobody sees a half-written file; if
/// the program fails or is killed, the old file remains; processes that have
/// the old file open keep it. The old file's owner, group, mode and extended
/// attributes are preserved. Devices, pipes, files with several hard links, and
/// files whose owner or attributes couldn't be given to a new file, are written
/// in place.
///
/// All outputs of a program are prepared first and put in place together at the
/// end, by OutputSet::commit(). If one fails, those before it are undone; only
/// what was written to devices and pipes can't be taken back.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_OUTPUTFILE_H
#define LLD_CUDA_SUPPORT_OUTPUTFILE_H

#include "lld-cuda/Support/OutputSet.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lld::cuda {

/// Bytes at an offset of the file. Spans are sorted and don't overlap; the gaps
/// between them are filled with zeros.
struct OutputSpan {
  uint64_t offset;
  llvm::ArrayRef<uint8_t> bytes;
};

/// Further wishes for an output, e.g. for cubin-prune, which replaces a program
/// by a smaller one.
struct FileChange {
  /// The mode of a new file, before the umask. An existing file keeps its own.
  mode_t mode = 0666;
  /// Gaps between spans become holes, which take no space on the disk.
  bool leavesHoles = false;
  /// If set, called with the contents as written, before they replace the
  /// target. After an error the target remains as it was.
  std::function<llvm::Error(llvm::StringRef)> check;

  /// The target is the only copy of something that can't be made again. It is
  /// replaced only by a complete new file that was synced to the disk, never
  /// overwritten in place. Capabilities are preserved, too; what couldn't be
  /// preserved is listed in `losses`.
  bool replacesOnlyCopy = false;
  /// The path to which the old file is moved; it is an error if it exists. If
  /// empty, the old file isn't kept.
  std::string backup;
  /// If set, called last before the target is replaced; an error cancels that.
  std::function<llvm::Error()> checkOld;

  // Results, set when the new file is written.
  /// What couldn't be preserved, e.g. "owner 1000".
  std::vector<std::string> losses;
  uint64_t bytesOnDisk = 0; ///< Allocated for the new file.
};

/// A loop on several threads: calls fn(0) ... fn(n - 1), in any order, and
/// returns when all calls have returned.
using OutputLoop =
    std::function<void(size_t n, llvm::function_ref<void(size_t)> fn)>;

/// An output. The memory that `spans` refer to, and `*change`, must stay valid
/// until OutputSet::commit() returns.
struct OutputRequest {
  std::string path;
  uint64_t size = 0;
  std::vector<OutputSpan> spans;
  std::string text; ///< The whole contents, instead of spans.
  /// Whether the file is written although the link failed; see
  /// OutputSet::discardAfterErrors().
  bool afterErrors = false;
  FileChange *change = nullptr;
  /// The output is standard output, and `path` is only its name in messages.
  bool toStandardOutput = false;
  /// Runs the loop over the blocks of a large file. If it is empty, the calling
  /// thread writes them all.
  OutputLoop loop;

  OutputRequest(llvm::StringRef path, uint64_t size,
                std::vector<OutputSpan> spans)
      : path(path), size(size), spans(std::move(spans)) {}
  OutputRequest(llvm::StringRef path, std::string text)
      : path(path), size(text.size()), text(std::move(text)) {}
};

/// Writes a file at once. If it can't be opened or created, the error has the
/// std::error_code of open(), such as permission_denied; if writing fails, its
/// message starts with "writing".
llvm::Error writeOutputFile(llvm::StringRef path, uint64_t size,
                            llvm::ArrayRef<OutputSpan> spans);

} // namespace lld::cuda

#endif
