//===- Selection.h - What cubin-prune keeps and removes ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What cubin-prune removes from files and what it keeps, as its command line
/// says: by architecture and kind of image, by kernel, by what was linked
/// already. main() fills it once; PruneFile.cpp and PruneFatbin.cpp then ask
/// for each image, on several threads.
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
  /// Adds patterns of targets as getTargetName() writes them ("sm_90", "sm_8*",
  /// "compute_90"), or "elf", "ptx", "tile", "lto" for all images of a kind. If
  /// there is no pattern to keep, all images are kept. An image that matches a
  /// pattern to drop is dropped in any case. Fails for a bad pattern.
  llvm::Error keep(llvm::StringRef list);
  llvm::Error drop(llvm::StringRef list);
  /// Adds the values of code= of an nvcc -gencode option, as patterns to keep.
  llvm::Error keepGencode(llvm::StringRef option);
  bool empty() const {
    return kept.empty() && dropped.empty() && !dropsRelocatable &&
           linked.empty() && !usesOwnImage && cubins.empty() && !compression;
  }

  /// Whether code for a device link is dropped: all of it, or only that for the
  /// architectures in `linked` and, with `usesOwnImage`, for those for which
  /// the file itself contains linked code.
  bool dropsRelocatable = false;
  bool usesOwnImage = false;
  llvm::StringSet<> linked;

  /// What is removed from cubins that are kept.
  CubinSelection cubins;
  /// How kept images are compressed anew: by which method, or not at all.
  /// nullopt leaves them as they are.
  std::optional<FatbinCompression> compression;
  /// Whether changed files lose their signature. Without it a signed file isn't
  /// pruned.
  bool removesSignature = false;

  /// Returns whether an image is kept. `isRelocatable`: it is code for a device
  /// link. `ownImages` are the targets for which the file itself contains
  /// linked code.
  bool keeps(const FatbinEntry &entry, bool isRelocatable,
             const llvm::StringSet<> &ownImages) const;

  /// Returns the patterns that no image has matched so far.
  std::vector<std::string> unmatched() const;

  /// A pattern for one kind of images, or for any. Can be matched from several
  /// threads.
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
