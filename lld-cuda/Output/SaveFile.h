//===- SaveFile.h - The outputs of a link -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The set of outputs of a link, and the functions that add to it and write it.
/// Writer.cpp, RegisterFile.cpp, the reports (Report/) and link-time
/// optimization (Lto/) add outputs when they have made them. Driver.cpp,
/// Library.cpp and LinkSession.cpp commit all of them at the end of the link.
/// Whether they are written to files or stay in memory is LinkJob::outputs.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OUTPUT_SAVEFILE_H
#define LLD_CUDA_OUTPUT_SAVEFILE_H

#include "lld-cuda/Support/OutputSet.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lld::cuda {

struct FileChange;
struct Inputs;
struct OutputSpan;

/// An output that isn't written to a file.
struct MemoryOutput {
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  bool afterErrors; ///< It is an output even if the link has errors.
};

/// What a link writes at its end: all of it or, after errors, none.
struct LinkOutputs {
  OutputSet files;
  std::vector<MemoryOutput> inMemory; ///< With OutputMode::Memory.
  /// Owns the changes of outputs that are read back; `files` refers to them.
  std::vector<std::unique_ptr<FileChange>> changes;

  LinkOutputs();
  ~LinkOutputs();
};

/// Adds an output of `size` bytes to those of the link. Errors are reported as
/// nvlink reports them. Does nothing if the link has no outputs
/// (OutputMode). The bytes of `spans` must live until commitOutputs().
/// `readBack`, if given, is called with the bytes as they were written, before
/// they are put in place.
void saveFile(const Inputs &inputs, llvm::StringRef path, uint64_t size,
              std::vector<OutputSpan> spans,
              const std::function<void(llvm::StringRef)> &readBack = nullptr);
void saveFile(const Inputs &inputs, llvm::StringRef path, std::string contents);
/// Adds an output that nvlink writes even after errors, unless they are fatal.
void saveFileAfterErrors(const Inputs &inputs, llvm::StringRef path,
                         std::string contents);

/// Puts all outputs in place if the link had no errors.
void commitOutputs(const Inputs &inputs);

} // namespace lld::cuda

#endif
