//===- Debug.h - Debug sections of finalized code ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For sm_100 and later, nvlink makes the debug sections that describe the
/// SASS code anew: functions that are not in the output leave no trace in call
/// frames (DebugFrame.cpp) and line tables, and offsets follow the edits of the
/// code [debug-rebuilt-tables]. Other debug sections are merged as
/// they are.
///
/// These functions know nothing about the link but what they are told about
/// functions.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_DEBUG_H
#define LLD_CUDA_FINALCODE_DEBUG_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace lld::cuda {

class CodeEdit;
class MercuryOffsets;

/// What becomes of a function of an input.
struct DebugFunction {
  bool reachable = false;         ///< This input's definition is in the output.
  uint32_t order = 0;             ///< Index of its text section in the output.
  const CodeEdit *edit = nullptr; ///< Null: its code stays as it is.
  /// Another definition is in the output, whose code this is told about. Of
  /// register ranges: the native ones are to be made from the Mercury ones.
  bool isReplaced = false;
};

/// A relocation of a line table: its symbol is a function, and it sets the
/// address of the function's line sequence.
struct DebugReference {
  uint64_t offset;
  DebugFunction function;
  /// If not empty, the sequence is made anew from these rows, which are about
  /// Mercury offsets, perhaps those of other code. They become offsets of the
  /// function's native code of `codeSize` bytes, or stay without `offsets`.
  llvm::ArrayRef<uint8_t> mercuryRows = {};
  const MercuryOffsets *offsets = nullptr;
  uint64_t codeSize = 0;
};

/// What replaces one input section.
struct RebuiltLineTable {
  struct Reference {
    uint64_t newOffset;
    size_t index; ///< In the references that were passed.
  };
  /// Where a unit began and begins.
  struct Unit {
    uint64_t oldOffset, newOffset;
    uint64_t headerSize;
  };

  llvm::SmallVector<uint8_t, 0> bytes;
  std::vector<Reference> references; ///< Those left, by their new offsets.
  std::vector<Unit> units;           ///< By offset.
};

/// Rewrites the addresses in a call frame (FDE) of .debug_frame, which follows
/// edited code. `cie` is the CIE that it goes with, `start` the offset in the
/// code where what it describes begins.
llvm::Error moveCallFrame(const CodeEdit &edit, llvm::ArrayRef<uint8_t> cie,
                          llvm::MutableArrayRef<uint8_t> fde,
                          uint64_t start = 0);

/// Rewrites a frame of an object that places operations of collective parts
/// where those begin (Collectives.h); `code` is the function's, not edited.
llvm::Error moveFrameIntoCollectives(llvm::ArrayRef<uint8_t> code,
                                     llvm::ArrayRef<uint8_t> cie,
                                     llvm::MutableArrayRef<uint8_t> fde,
                                     uint64_t start = 0);

/// Rebuilds .debug_line, .nv_debug_line_sass or .nv.tileir.debug_line.
/// `references` are sorted by offset. `endsEmptyUnits`: a unit without
/// reachable functions ends a sequence that it doesn't have.
llvm::Expected<RebuiltLineTable>
rebuildLineTable(llvm::ArrayRef<uint8_t> section,
                 llvm::ArrayRef<DebugReference> references,
                 bool endsEmptyUnits = false);

/// The bytes of each reference's sequence. `references` are sorted by offset.
llvm::Expected<std::vector<llvm::ArrayRef<uint8_t>>>
splitLineTable(llvm::ArrayRef<uint8_t> section,
               llvm::ArrayRef<DebugReference> references);

/// Where a register holds a value: two offsets of a function's code.
using LocationRange = std::pair<uint32_t, uint32_t>;

/// Where a register's range begins in edited code: at the same instruction,
/// or, if that was removed, at the one before it (all of 79 in generated
/// links).
uint64_t moveRangeStart(const CodeEdit &edit, uint64_t start);

/// Rewrites .nv_debug_info_reg_sass in place. Functions are found by name.
/// `replace` gives the ranges of a definition that was replaced, in order.
llvm::Error rewriteRegisterRanges(
    llvm::MutableArrayRef<uint8_t> section,
    llvm::function_ref<DebugFunction(llvm::StringRef)> find,
    llvm::function_ref<std::vector<LocationRange>(llvm::StringRef)> replace);

/// The ranges of one function in .nv_debug_info_reg_sass of the Mercury view,
/// in the order of the native view: by register.
llvm::Expected<std::vector<LocationRange>>
readRegisterRanges(llvm::ArrayRef<uint8_t> section, llvm::StringRef function);

} // namespace lld::cuda

#endif
