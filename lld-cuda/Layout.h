//===- Layout.h - Third stage: addresses and contents -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the passes between the merge and the numbers settle for the whole link.
/// Each variable and each section has its own address and its own contents.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LAYOUT_H
#define LLD_CUDA_LAYOUT_H

#include "Pool.h"
#include <cstdint>

namespace lld::cuda {

class CodeEdit;

/// The driver's own part in front of .nv.shared.reserved.0, in bytes
/// [shared-reserved-variables].
constexpr uint64_t DriverSharedSize = 64;

/// What a bank of constants can hold.
constexpr uint64_t MaxConstantBank = 0x10000;

struct Layout {
  Layout();
  ~Layout();

  /// Where texture slots begin in every kernel's parameter bank.
  uint64_t textureBase = 0;
  Pool<CodeEdit> codeEdits; ///< That functions refer to.
};

} // namespace lld::cuda

#endif
