//===- Selection.h - Which images stay --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What is removed from files and what stays, as cubin-prune's command line
/// says: by architecture and kind of image, by kernel, by what was linked
/// already. Filled once, then asked for each image.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_SELECTION_H
#define LLD_CUDA_CUBIN_PRUNE_SELECTION_H

#include "PruneCubin.h"
#include "lld-cuda/Object/FatbinWriter.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/GlobPattern.h"
#include <atomic>
#include <deque>
#include <string>
#include <vector>

namespace lld::cuda {

class Selection {
public:
  /// Patterns of targets, as getTargetName() says: "sm_90", "sm_8*",
  /// "compute_90", and "elf", "ptx", "tile", "lto" for all of a kind. Without a
  /// pattern to keep, all is kept; what is to be dropped goes in any case.
  llvm::Error keep(llvm::StringRef list);
  llvm::Error drop(llvm::StringRef list);
  /// The values of code= of an nvcc -gencode option.
  llvm::Error keepGencode(llvm::StringRef option);
  bool empty() const {
    return kept.empty() && dropped.empty() && !dropsRelocatable &&
           linked.empty() && !usesOwnImage && cubins.empty() && !compression;
  }

  /// Code for a device link goes: all, or that of architectures that were
  /// linked. `usesOwnImage`: those of which the file itself has linked code.
  bool dropsRelocatable = false;
  bool usesOwnImage = false;
  llvm::StringSet<> linked;

  /// What goes of cubins that stay.
  CubinSelection cubins;
  /// How images that stay are compressed anew: by which method, or not at all.
  std::optional<FatbinCompression> compression;
  /// Signatures of files that are changed go.
  bool removesSignature = false;

  /// Whether the image stays. `isRelocatable`: it is code for a device link.
  bool keeps(const FatbinEntry &entry, bool isRelocatable,
             const llvm::StringSet<> &ownImages) const;

  /// Patterns of targets that no image has matched so far.
  std::vector<std::string> unmatched() const;

  /// One kind of images, or any. Images may be compared on several threads.
  struct TargetPattern {
    std::string text;
    std::optional<FatbinKind> kind;
    llvm::GlobPattern glob;
    mutable std::atomic<bool> isUsed{false};

    TargetPattern(llvm::StringRef text, std::optional<FatbinKind> kind,
                  llvm::GlobPattern glob)
        : text(text), kind(kind), glob(std::move(glob)) {}
  };

private:
  std::deque<TargetPattern> kept, dropped;
};

} // namespace lld::cuda

#endif
