//===- SaveFile.h - What a link writes --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The outputs of a link go to files or stay in memory, as its job says.
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
  bool afterErrors;
};

/// What a link writes at its end, all or none.
struct LinkOutputs {
  OutputSet files;
  std::vector<MemoryOutput> inMemory; ///< With OutputMode::Memory.
  /// Of files that are read back; the outputs refer to them.
  std::vector<std::unique_ptr<FileChange>> changes;

  LinkOutputs();
  ~LinkOutputs();
};

/// Adds to the link's outputs, with the error reported as nvlink would. Does
/// nothing when the link has none.
/// `readBack`, if given, gets the bytes as they were written.
void saveFile(const Inputs &inputs, llvm::StringRef path, uint64_t size,
              std::vector<OutputSpan> spans,
              const std::function<void(llvm::StringRef)> &readBack = nullptr);
void saveFile(const Inputs &inputs, llvm::StringRef path, std::string contents);
/// Keeps a file that nvlink writes after errors, too, unless they are fatal.
void saveFileAfterErrors(const Inputs &inputs, llvm::StringRef path,
                         std::string contents);

/// Puts all outputs in place, if nothing went wrong.
void commitOutputs(const Inputs &inputs);

} // namespace lld::cuda

#endif
