//===- KernelFilter.h - Kernels by name -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which kernels stay, by the patterns of --keep-kernels and --drop-kernels.
/// Filled from the command line, then asked for each kernel of each cubin, on
/// several threads.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_KERNELFILTER_H
#define LLD_CUDA_CUBIN_PRUNE_KERNELFILTER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"
#include <atomic>
#include <deque>
#include <string>
#include <vector>

namespace lld::cuda {

class KernelFilter {
public:
  /// A glob pattern, for mangled or demangled names, or @FILE with one a line.
  /// Without a pattern to keep, all are kept; what is to be dropped goes in any
  /// case.
  llvm::Error keep(llvm::StringRef text) { return add(text, /*keeps=*/true); }
  llvm::Error drop(llvm::StringRef text) { return add(text, /*keeps=*/false); }
  bool empty() const { return patterns.empty(); }

  /// Whether a kernel stays. May be asked on several threads.
  bool keeps(llvm::StringRef symbol) const;
  /// Whether a kernel stayed since this was asked last, or may have, in another
  /// object of a device link.
  bool keptAny() const { return hasKept.exchange(false); }
  void mayKeepElsewhere() const { hasKept = true; }
  /// Patterns that no kernel has matched so far.
  std::vector<std::string> unmatched() const;

private:
  struct Pattern {
    llvm::StringRef text;
    llvm::GlobPattern glob;
    bool keeps;
    mutable std::atomic<bool> isUsed{false};

    Pattern(llvm::StringRef text, llvm::GlobPattern glob, bool keeps)
        : text(text), glob(std::move(glob)), keeps(keeps) {}
  };
  llvm::Error add(llvm::StringRef text, bool keeps);
  llvm::Error addPattern(llvm::StringRef text, bool keeps);

  std::deque<std::string> texts; ///< The patterns'; they stay in place.
  std::deque<Pattern> patterns;
  mutable std::atomic<bool> hasKept{false};
};

} // namespace lld::cuda

#endif
