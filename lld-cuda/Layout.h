//===- Layout.h - Third stage: results of the layout ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The third of a link's four stages (see Inputs.h): what the passes between
/// the merge and the numbering settle for the link as a whole. It is a member
/// of Ctx. The passes of Layout/ and Finalize/ fill it; those of Finalize/ and
/// Check/ read it. Addresses and contents of single variables and sections
/// aren't here but in their Variable and OutputSection.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LAYOUT_H
#define LLD_CUDA_LAYOUT_H

#include "Pool.h"
#include <cstdint>

namespace lld::cuda {

class CodeEdit;

/// The size in bytes of the part at the start of .nv.shared.reserved.0 that the
/// CUDA driver uses (rule [shared-reserved-variables] of docs/reference).
constexpr uint64_t DriverSharedSize = 64;

/// The largest size of a constant bank, in bytes.
constexpr uint64_t MaxConstantBank = 0x10000;

/// Results of the layout that don't belong to one symbol or section.
struct Layout {
  Layout();
  ~Layout();

  /// The offset in bytes at which texture slots begin in the parameter bank of
  /// every kernel.
  uint64_t textureBase = 0;
  Pool<CodeEdit> codeEdits; ///< Owns the edits to which functions point.
};

} // namespace lld::cuda

#endif
