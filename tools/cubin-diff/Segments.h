//===- Segments.h - Program headers without offsets -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Program headers as texts that can be compared: by the sections that a
/// segment covers instead of by offsets, which may differ. Meaning.cpp compares
/// the lists of two files.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_SEGMENTS_H
#define LLD_CUDA_CUBIN_DIFF_SEGMENTS_H

#include "Side.h"

namespace lld::cuda {

struct SegmentText {
  std::string text; ///< For people.
  std::string key;  ///< Equal for segments that mean the same.
};
std::vector<SegmentText> segmentTexts(const Side &side);

} // namespace lld::cuda

#endif
