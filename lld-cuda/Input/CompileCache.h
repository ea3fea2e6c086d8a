//===- CompileCache.h - What compilers made in earlier links ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// --cache-dir: PTX, LTO IR and bitcode are compiled once, and later links take
/// over what came of it. A compile's key has all that it depends on: the input,
/// the options, and the content of the compilers, wherever they are. Compiles
/// of which not all is known are done each time.
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

/// Of one link. All functions but report() may be called by several threads.
class CompileCache {
public:
  /// A compile that is about to be done.
  struct Compile {
    ContentHash key;
    std::vector<HashedFile> compilers;
  };
  /// `key` has the input and the options. Nothing: there is no cache, or a
  /// compiler can't be read.
  std::optional<Compile> begin(const Config &config, ContentKey key,
                               llvm::ArrayRef<std::string> compilers);
  /// What an earlier link has made of it.
  bool find(const Compile &compile, ContentCache::Entry &entry);
  /// Keeps what came of it, unless a compiler was replaced meanwhile.
  void keep(const Compile &compile, llvm::ArrayRef<llvm::StringRef> parts);
  /// A compile that no cache is asked for, as not all is known of it.
  void passBy(const Config &config);

  /// Says what was wrong with the folder, and with --cache-stats what the cache
  /// was good for.
  void report(const Inputs &inputs);

private:
  ContentCache *open(const Config &config);
  std::optional<HashedFile> hashCompiler(const std::string &path);

  std::once_flag isOpened;
  std::unique_ptr<ContentCache> store;
  bool mayWrite = true;
  std::string problem; ///< Why there is none.
  std::atomic<unsigned> hits{0}, misses{0}, damaged{0}, passed{0};

  std::mutex mutex; ///< Of what follows.
  llvm::StringMap<std::optional<HashedFile>> hashes;
  std::string writeProblem; ///< The first one.
};

} // namespace lld::cuda

#endif
