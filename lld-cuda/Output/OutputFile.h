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

#ifndef LLD_CUDA_OUTPUT_OUTPUTFILE_H
#define LLD_CUDA_OUTPUT_OUTPUTFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

struct Ctx;

/// Bytes at an offset of the file. Spans are sorted and don't overlap; the gaps
/// between them are zero.
struct OutputSpan {
  uint64_t offset;
  llvm::ArrayRef<uint8_t> bytes;
};

/// Errors are distinguished: a file that can't be opened or created gives
/// std::errc::permission_denied and the like as ECError from `open`; failing
/// writes give an Error whose message starts with "writing".
llvm::Error writeOutputFile(llvm::StringRef path, uint64_t size,
                            llvm::ArrayRef<OutputSpan> spans);

class PendingOutput;

/// The outputs of one link until they are put in place.
class OutputSet {
public:
  OutputSet();
  ~OutputSet();

  /// Makes a file beside its target. What the spans refer to lives until the
  /// commit, or is `text`. Errors are those of writeOutputFile().
  llvm::Error add(llvm::StringRef path, uint64_t size,
                  std::vector<OutputSpan> spans, std::string text = {},
                  bool afterErrors = false);
  /// Puts all in place. After an error no more.
  llvm::Error commit();
  void discard();
  /// The link has failed: what isn't to be written `afterErrors` goes.
  void discardAfterErrors();
  bool empty() const { return files.empty(); }

private:
  std::vector<std::unique_ptr<PendingOutput>> files;
};

/// An output that isn't written to a file.
struct MemoryOutput {
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  bool afterErrors;
};

/// Adds to the link's outputs, with the error reported as nvlink would. Does
/// nothing when the link has none. SaveFile.cpp.
void saveFile(Ctx &ctx, llvm::StringRef path, uint64_t size,
              std::vector<OutputSpan> spans);
void saveFile(Ctx &ctx, llvm::StringRef path, std::string contents);
/// The same, for what nvlink writes after errors, too, unless they are fatal.
void saveFileAfterErrors(Ctx &ctx, llvm::StringRef path, std::string contents);

/// Puts all outputs in place, if nothing went wrong. SaveFile.cpp.
void commitOutputs(Ctx &ctx);

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

/// Nothing for devices and pipes, and where no file can be. OutputNames.cpp.
std::optional<FileIdentity> identifyFile(llvm::StringRef path);

} // namespace lld::cuda

#endif
