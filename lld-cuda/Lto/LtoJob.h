//===- LtoJob.h - Work for lld-cuda-lto -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The linker's side of include/lld-cuda/Lto/Protocol.h.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LTO_LTOJOB_H
#define LLD_CUDA_LTO_LTOJOB_H

#include "Input/Compilers.h"
#include "llvm/ADT/SmallVector.h"

namespace lld::cuda {

struct Inputs;

/// Makes the directory that a link's jobs share. Returns false after an error.
bool createJobDirectory(const Inputs &inputs, TemporaryDirectory &directory);

class LtoJob {
public:
  LtoJob(const TemporaryDirectory &directory, llvm::StringRef command);

  /// A record: its key and its words.
  void add(std::initializer_list<llvm::StringRef> words);
  void addInput(llvm::StringRef kind, llvm::StringRef bytes,
                llvm::StringRef name);

  /// Runs the helper. A `problem` in the result says why it couldn't work.
  ToolResult run(const Config &config);

private:
  const TemporaryDirectory &directory;
  std::string command, records;
  std::string data;
};

} // namespace lld::cuda

#endif
