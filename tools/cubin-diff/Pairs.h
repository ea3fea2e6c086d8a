//===- Pairs.h - Which image of two files is which --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which image of one file is the same thing as which of the other, though it
/// has another place, name or number. CompareFiles.cpp asks before it compares
/// anything.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_PAIRS_H
#define LLD_CUDA_CUBIN_DIFF_PAIRS_H

#include "ImageList.h"
#include "llvm/ADT/ArrayRef.h"

namespace lld::cuda {

/// Positions in two lists.
struct ImagePair {
  size_t first, second;
};

struct ImagePairs {
  std::vector<ImagePair> pairs; ///< By `first`.
  std::vector<size_t> onlyFirst, onlySecond;
};

/// Images of one architecture and form that are the same thing in two builds.
ImagePairs pairImages(llvm::ArrayRef<ListedImage> first,
                      llvm::ArrayRef<ListedImage> second);

} // namespace lld::cuda

#endif
