//===- Job.h - What the linker asks for -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the job file of lld-cuda/Lto/Protocol.h.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LTO_JOB_H
#define LLD_CUDA_LTO_JOB_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <vector>

namespace lld::cuda::lto {

struct JobInput {
  llvm::StringRef kind, data;
  const char *name; ///< Ended by a NUL, as all words are.
  std::vector<llvm::StringRef> resolutions;
};

struct Job {
  static llvm::Expected<Job> read(llvm::StringRef path);

  llvm::StringRef command, output;
  llvm::StringRef loaded; ///< Empty: nobody asks.
  std::vector<const char *> libraries, options;
  std::vector<JobInput> inputs;
  llvm::StringMap<std::vector<llvm::StringRef>> settings;

  /// The last value of a setting, or "".
  llvm::StringRef get(llvm::StringRef key) const {
    auto it = settings.find(key);
    return it == settings.end() ? "" : it->second.back();
  }

private:
  llvm::Error addInput(llvm::ArrayRef<llvm::StringRef> words);

  std::unique_ptr<llvm::MemoryBuffer> words, data;
};

int runNvJitLink(const Job &job);
int listSymbols(const Job &job);
int runLlvmLto(const Job &job);

/// Puts an answer in its place, as a whole.
llvm::Error writeAnswer(llvm::StringRef path, llvm::StringRef contents);

} // namespace lld::cuda::lto

#endif
