//===- LtoJob.h - Work for lld-cuda-lto -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes the file that tells lld-cuda-lto what to optimize, starts it, and
/// takes what it leaves: the linker's side of lld-cuda/Lto/Protocol.h. For the
/// two passes of link-time optimization, LtoNvidia.cpp and LtoLlvm.cpp.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LTO_LTOJOB_H
#define LLD_CUDA_LTO_LTOJOB_H

#include "Input/CompileCache.h"
#include "Input/Compilers.h"
#include "llvm/ADT/SmallVector.h"

namespace lld::cuda {

struct Inputs;

/// Makes the directory that a link's jobs share. Returns false after an error.
bool createJobDirectory(const Inputs &inputs, TemporaryDirectory &directory);

class LtoJob {
public:
  LtoJob(const TemporaryDirectory &directory, llvm::StringRef command);

  /// A record: its key and its words, on which the result depends.
  void add(std::initializer_list<llvm::StringRef> words);
  void addInput(llvm::StringRef kind, llvm::StringRef bytes,
                llvm::StringRef name);

  /// A library that may do it; the first that can be loaded does.
  void addLibrary(llvm::StringRef path);
  /// Where the result goes.
  void setOutput(llvm::StringRef path) { setOutputs(path, 0); }
  /// A prefix: `count` files with a number behind it, not all of which have to
  /// be made. 0: one file, and no number.
  void setOutputs(llvm::StringRef prefix, size_t count);
  /// Not all that the result depends on is in the job.
  void dontKeep() { isKept = false; }

  /// Runs the helper, or writes what it has made in an earlier link. A
  /// `problem` in the result says why it couldn't work.
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
  std::string files;   ///< Records that say where something is.
  std::string library; ///< The likeliest of those that are there.
  std::vector<std::string> outputs;
  bool isKept = true;
};

} // namespace lld::cuda

#endif
