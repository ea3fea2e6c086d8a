//===- FrameRows.h - Call frames as lists of rules --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The call frame description of one function (an FDE of .debug_frame, see
/// CallFrame.h) as a list of rules, each with its place (the code offset from
/// which on it holds), and a function that adds rules to the description.
/// DebugFrame.cpp uses them when it rewrites .debug_frame in links for sm_100
/// and later, where the rules of the native code are completed from those of
/// its Mercury form, the second form in which such cubins hold their code
/// (docs/reference/mercury.md).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALIZE_FRAMEROWS_H
#define LLD_CUDA_FINALIZE_FRAMEROWS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace lld::cuda {

/// A rule that holds from a place in the code on. If `rule` is empty, the row
/// is only an advance to the place.
struct FrameRow {
  uint64_t place; ///< From the function's start, in the CIE's code alignments.
  llvm::ArrayRef<uint8_t> rule; ///< A part of the FDE that was read.
};
using FrameRows = llvm::SmallVector<FrameRow, 4>;

/// Returns the rules of a frame in their order and, at the end, the place to
/// which an advance after the last rule leads. Returns an empty list if there
/// are no rules. The rules refer to `fde`.
FrameRows readFrame(llvm::ArrayRef<uint8_t> fde);

/// Returns the rules of a function without a stack frame, which say only that
/// there is none: at the entry, or later in kernels and unoptimized code.
/// Returns an empty list if the frame has any other rule.
FrameRows readPlainFrame(llvm::ArrayRef<uint8_t> fde);

void sortByPlace(FrameRows &rows);

/// Merges rows, in the order of their places, into the FDE at the end of `out`.
void addRows(llvm::ArrayRef<FrameRow> rows, uint64_t fdeOffset,
             llvm::SmallVectorImpl<char> &out);

} // namespace lld::cuda

#endif
