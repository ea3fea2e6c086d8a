//===- Job.h - The job of lld-cuda-lto --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The job of lld-cuda-lto, the program that generates code for LTO. The linker
/// writes a job file (see lld-cuda/Lto/Protocol.h for its format) and starts
/// lld-cuda-lto, whose main() reads it with Job::read() and calls one of the
/// three functions below.
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

/// An input of the job. Refers to the job's data file.
struct JobInput {
  llvm::StringRef kind, data;
  const char *name; ///< Ends with a NUL, as all texts of a job do.
  std::vector<llvm::StringRef> resolutions;
};

/// A job. All texts refer to buffers that the job owns.
struct Job {
  /// Reads a job file and its data file. Fails if one can't be read or isn't
  /// valid.
  static llvm::Expected<Job> read(llvm::StringRef path);

  llvm::StringRef command, output;
  llvm::StringRef loaded; ///< Empty if not asked for.
  std::vector<const char *> libraries, options;
  std::vector<JobInput> inputs;
  llvm::StringMap<std::vector<llvm::StringRef>> settings;

  /// Returns the last value of a setting, or "" if there is none.
  llvm::StringRef get(llvm::StringRef key) const {
    auto it = settings.find(key);
    return it == settings.end() ? "" : it->second.back();
  }

private:
  llvm::Error addInput(llvm::ArrayRef<llvm::StringRef> words);

  std::unique_ptr<llvm::MemoryBuffer> words, data;
};

/// Carry out the commands "nvjitlink" (compile LTO IR by NVIDIA's library),
/// "symbols" (list the symbols of bitcode) and "llvm" (optimize bitcode and
/// generate code by LLVM). Each returns the program's exit status.
int runNvJitLink(const Job &job);
int listSymbols(const Job &job);
int runLlvmLto(const Job &job);

/// Replaces the file at `path` as a whole, so that the linker never reads half
/// of an answer.
llvm::Error writeAnswer(llvm::StringRef path, llvm::StringRef contents);

} // namespace lld::cuda::lto

#endif
