//===- LtoJob.h - A job for lld-cuda-lto ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A job for lld-cuda-lto, the helper program that does link-time optimization
/// outside the linker's process. The two passes of link-time optimization,
/// LtoNvidia.cpp (LTO IR, with NVIDIA's libnvJitLink) and LtoLlvm.cpp (LLVM
/// bitcode), fill a job in and run it after inputs are read and before objects
/// are merged. It writes the job file of lld-cuda/Lto/Protocol.h, starts the
/// program, and collects its messages; or takes the result of an earlier link
/// from the cache.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LTO_LTOJOB_H
#define LLD_CUDA_LTO_LTOJOB_H

#include "Input/CompileCache.h"
#include "Input/Compilers.h"
#include "llvm/ADT/SmallVector.h"

namespace lld::cuda {

struct Inputs;

/// Creates the temporary directory for the files of a link's jobs. Returns
/// false, with the error reported, if that fails.
bool createJobDirectory(const Inputs &inputs, TemporaryDirectory &directory);

/// One run of lld-cuda-lto. Texts that are passed to it are copied.
class LtoJob {
public:
  /// `command` is the first word of the job file, such as "nvjitlink".
  /// `directory` must outlive the job.
  LtoJob(const TemporaryDirectory &directory, llvm::StringRef command);

  /// Adds a record to the job file: its key and its values. The result depends
  /// on it, so that it is part of the cache's key.
  void add(std::initializer_list<llvm::StringRef> words);
  /// Adds a module to be optimized.
  void addInput(llvm::StringRef kind, llvm::StringRef bytes,
                llvm::StringRef name);

  /// Adds a candidate for the optimizer's library. The program uses the first
  /// one that can be loaded.
  void addLibrary(llvm::StringRef path);
  /// Sets the file to which the result is written.
  void setOutput(llvm::StringRef path) { setOutputs(path, 0); }
  /// Sets several output files: `prefix` followed by a number from 0 to
  /// `count` - 1. The program needn't write all of them. If `count` is 0, there
  /// is one file, whose path is `prefix`.
  void setOutputs(llvm::StringRef prefix, size_t count);
  /// Keeps the result out of the cache, because it depends on something that
  /// isn't in the job.
  void dontKeep() { isKept = false; }

  /// Runs lld-cuda-lto, or writes the output files of an equal job of an
  /// earlier link from the cache. If the program couldn't do its work, the
  /// result's `problem` says why; errors of the compiler are in its `output`.
  ToolResult run(const Inputs &inputs);

private:
  std::optional<CompileCache::Compile> beginCompile(const Inputs &inputs,
                                                    const std::string &helper);
  bool takeOver(const ContentCache::Entry &kept, ToolResult &result) const;
  void keep(const Inputs &inputs, const CompileCache::Compile &compile,
            const ToolResult &result) const;
  ToolResult runHelper(const Config &config, const std::string &helper);

  const TemporaryDirectory &directory;
  std::string command, records;
  std::string data;
  std::string files;   ///< Records with paths; not part of the cache's key.
  std::string library; ///< The first candidate that is a path.
  std::vector<std::string> outputs;
  bool isKept = true;
};

} // namespace lld::cuda

#endif
