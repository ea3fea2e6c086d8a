//===- CompileCache.h - Cache of compiled inputs ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The cache of compiled inputs, --cache-dir: PTX, LTO IR and bitcode are
/// compiled once, and later links reuse the results. Input/Compilers.cpp and
/// Lto/LtoJob.cpp ask it before each run of a compiler, and store the result
/// afterwards. Link.cpp calls report() at the end.
///
/// The key of a result is made of all that it depends on: the input, the
/// options, and the contents of the compilers. If not all of this is known, the
/// compiler runs each time.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_COMPILECACHE_H
#define LLD_CUDA_INPUT_COMPILECACHE_H

#include "lld-cuda/Support/ContentCache.h"
#include "llvm/ADT/StringMap.h"
#include <atomic>
#include <mutex>
#include <vector>

namespace lld::cuda {

struct Config;
struct Inputs;

/// The cache as one link uses it. All functions except report() are
/// thread-safe.
class CompileCache {
public:
  /// A run of compilers that is about to start.
  struct Compile {
    ContentHash key;
    std::vector<HashedFile> compilers;
  };
  /// Completes `key`, which has the input and the options, by the contents of
  /// the compilers. Returns nullopt if there is no cache or a compiler can't be
  /// read.
  std::optional<Compile> begin(const Config &config, ContentKey key,
                               llvm::ArrayRef<std::string> compilers);
  /// Looks up the result of an earlier link. Returns false if there is none.
  bool find(const Compile &compile, ContentCache::Entry &entry);
  /// Stores a result, unless a compiler has been replaced meanwhile.
  void keep(const Compile &compile, llvm::ArrayRef<llvm::StringRef> parts);
  /// Counts a run for which the cache can't be used, as not all that its result
  /// depends on is known.
  void passBy(const Config &config);

  /// Reports problems with the cache's folder and, with --cache-stats, how
  /// often results were reused.
  void report(const Inputs &inputs);

private:
  ContentCache *open(const Config &config);
  std::optional<HashedFile> hashCompiler(const std::string &path);

  std::once_flag isOpened;
  std::unique_ptr<ContentCache> store;
  bool mayWrite = true;
  std::string problem; ///< Why the cache can't be used, or "".
  std::atomic<unsigned> hits{0}, misses{0}, damaged{0}, passed{0};

  std::mutex mutex; ///< Guards the members below.
  llvm::StringMap<std::optional<HashedFile>> hashes;
  std::string writeProblem; ///< The first error of keep(), or "".
};

} // namespace lld::cuda

#endif
