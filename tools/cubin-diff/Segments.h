//===- Segments.h - Program headers as texts --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Program headers as texts that can be compared: with the sections that a
/// segment covers instead of offsets, which may differ. Meaning.cpp compares
/// the lists of the two cubins.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_SEGMENTS_H
#define LLD_CUDA_CUBIN_DIFF_SEGMENTS_H

#include "Side.h"

namespace lld::cuda {

/// The texts of one program header.
struct SegmentText {
  std::string text; ///< Shown to people.
  std::string key;  ///< Equal for segments that mean the same.
};
/// Returns a text for each program header, in the file's order.
std::vector<SegmentText> segmentTexts(const Side &side);

} // namespace lld::cuda

#endif
