//===- KernelFilter.h - Patterns of kernels to keep -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The kernels that cubin-prune keeps, as patterns of --keep-kernels and
/// --drop-kernels. main() fills it from the command line; PruneCubin.cpp then
/// asks for each kernel of each cubin, on several threads.
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

/// The patterns, with notes which of them have matched.
class KernelFilter {
public:
  /// Adds a glob pattern for mangled or demangled names, or @FILE with one
  /// pattern a line. If there is no pattern to keep, all kernels are kept. A
  /// kernel that matches a pattern to drop is dropped in any case. Fails for a
  /// bad pattern or file.
  llvm::Error keep(llvm::StringRef text) { return add(text, /*keeps=*/true); }
  llvm::Error drop(llvm::StringRef text) { return add(text, /*keeps=*/false); }
  bool empty() const { return patterns.empty(); }

  /// Returns whether a kernel is kept. Can be called from several threads.
  bool keeps(llvm::StringRef symbol) const;
  /// Returns whether, since the last call, a kernel was kept or may have been
  /// kept in another object of a device link.
  bool keptAny() const { return hasKept.exchange(false); }
  void mayKeepElsewhere() const { hasKept = true; }
  /// Returns the patterns that no kernel has matched so far.
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

  std::deque<std::string> texts; ///< Owns the patterns' texts.
  std::deque<Pattern> patterns;
  mutable std::atomic<bool> hasKept{false};
};

} // namespace lld::cuda

#endif
