//===- Pairs.h - Pairs the images of two files ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pairing of images: for each image of one file, the image of the other
/// file that corresponds to it, even if its position, name or number differs.
/// CompareFiles.cpp calls pairImages() when both files are listed, before it
/// compares anything.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_PAIRS_H
#define LLD_CUDA_CUBIN_DIFF_PAIRS_H

#include "ImageList.h"
#include "llvm/ADT/ArrayRef.h"

namespace lld::cuda {

/// Indices in the two lists.
struct ImagePair {
  size_t first, second;
};

/// The result of the pairing, as indices in the two lists.
struct ImagePairs {
  std::vector<ImagePair> pairs; ///< In ascending order of `first`.
  std::vector<size_t> onlyFirst, onlySecond;
};

/// Pairs images of the same architecture and form that are the same thing in
/// two builds.
ImagePairs pairImages(llvm::ArrayRef<ListedImage> first,
                      llvm::ArrayRef<ListedImage> second);

} // namespace lld::cuda

#endif
