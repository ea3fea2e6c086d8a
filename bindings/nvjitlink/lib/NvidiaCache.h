//===- NvidiaCache.h - Caches what NVIDIA's library makes -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The cache of links that NVIDIA's library does, in the folder that
/// LLDCUDA_CACHE_DIR names. Delegate.cpp asks it before such a link is
/// completed, which is when NVIDIA's library compiles, and afterwards keeps
/// what that has made.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_NVJITLINK_NVIDIACACHE_H
#define LLD_CUDA_BINDINGS_NVJITLINK_NVIDIACACHE_H

#include "Nvidia.h"
#include "lldcuda.h"
#include <string>
#include <vector>

namespace lld::cuda::nvjitlink {

/// What NVIDIA's library has made of a link, and what it has said about it.
struct NvidiaOutputs {
  std::string cubin, ptx, ltoIR, infos;
};

/// The place of one link in the cache. The options and inputs must exist as
/// long as it does.
class NvidiaCache {
public:
  NvidiaCache(lldcuda_link *link, const NvidiaLibrary &library,
              const std::vector<std::string> &options);
  /// Adds an input, on which the result depends.
  void add(const Input &input);
  /// Takes the outputs of such a link from the cache. Returns false, with
  /// `outputs` empty, if they aren't there.
  bool find(NvidiaOutputs &outputs) const;
  /// Stores the outputs for later links.
  void keep(const NvidiaOutputs &outputs) const;

private:
  template <typename Fn> void withKey(Fn fn) const;

  lldcuda_link *const link;
  const NvidiaLibrary &library;
  bool isOff = false; ///< An option forbids caching.
  std::vector<std::string_view> texts;
};

} // namespace lld::cuda::nvjitlink

#endif
