//===- FrameRows.h - Rules of call frames and their places ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The description of one function's call frame (an FDE of .debug_frame, see
/// CallFrame.h) as a list of rules, each with its place in the code, and how
/// rules are added. DebugFrame.cpp does that from sm_100 on, where registers
/// are joined into pairs.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALIZE_FRAMEROWS_H
#define LLD_CUDA_FINALIZE_FRAMEROWS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace lld::cuda {

/// A rule that holds from a place in the code on; without a rule, just an
/// advance to it.
struct FrameRow {
  uint64_t place; ///< In units of the CIE's code alignment.
  llvm::ArrayRef<uint8_t> rule;
};
using FrameRows = llvm::SmallVector<FrameRow, 4>;

/// The rules of a frame in their order, and where an advance after the last
/// one leads to. Nothing if there are no rules.
FrameRows readFrame(llvm::ArrayRef<uint8_t> fde);

/// What the frame of a function without a stack frame says: at the entry, or
/// somewhere after it in kernels and in what isn't optimized, that there is
/// none. Nothing if there are other rules.
FrameRows readPlainFrame(llvm::ArrayRef<uint8_t> fde);

void sortByPlace(FrameRows &rows);

/// Merges rows, in the order of their places, into the FDE at the end of `out`.
void addRows(llvm::ArrayRef<FrameRow> rows, uint64_t fdeOffset,
             llvm::SmallVectorImpl<char> &out);

} // namespace lld::cuda

#endif
