//===- Debug.h - Rewrites debug sections of native code ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that rewrite the debug sections that describe native (SASS) code
/// of sm_100 and later: call frames, line tables and register ranges. The
/// linker's DebugFrame.cpp and DebugTables.cpp call them when functions are
/// finalized, before relocations are processed, so that functions that aren't
/// in the output are removed and offsets follow the edits of the code
/// (CodeEdit.h; rule [debug-rebuilt-tables] of docs/reference). Other debug
/// sections are merged unchanged. These functions know nothing about the link
/// except what they are told about functions.
///
/// nvlink makes native code anew from NVIDIA's "Mercury" form of it, which a
/// cubin holds beside the native code ("Mercury view",
/// docs/reference/mercury.md), and makes these sections anew with it.
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

/// What the link does with a function of an input.
struct DebugFunction {
  bool reachable = false;         ///< This input's definition is in the output.
  uint32_t order = 0;             ///< Index of its text section in the output.
  const CodeEdit *edit = nullptr; ///< Null if its code stays unchanged.
  /// Another definition is in the output, and the other members are about its
  /// code. For register ranges: native ranges are made from the Mercury ones.
  bool isReplaced = false;
};

/// A relocation of a line table: its symbol is a function, and it sets the
/// address of the function's line sequence.
struct DebugReference {
  uint64_t offset;
  DebugFunction function;
  /// If not empty, the sequence is made anew from these rows, which have
  /// Mercury offsets, perhaps of another definition's code. `offsets`
  /// translates them to offsets of the function's native code, which has
  /// `codeSize` bytes; if it is null, they stay. Both must outlive the call.
  llvm::ArrayRef<uint8_t> mercuryRows = {};
  const MercuryOffsets *offsets = nullptr;
  uint64_t codeSize = 0;
};

/// The contents that replace one input section.
struct RebuiltLineTable {
  struct Reference {
    uint64_t newOffset;
    size_t index; ///< Index in the references that were passed.
  };
  /// The offsets of a unit before and after.
  struct Unit {
    uint64_t oldOffset, newOffset;
    uint64_t headerSize;
  };

  llvm::SmallVector<uint8_t, 0> bytes;
  /// The remaining ones, sorted by new offset.
  std::vector<Reference> references;
  std::vector<Unit> units; ///< Sorted by offset.
};

/// Rewrites the addresses in a call frame (FDE) of .debug_frame to follow
/// edited code. `cie` is the FDE's CIE, `start` the offset in the old code at
/// which the code that the FDE describes begins. Fails as
/// forEachFrameInstruction() does.
llvm::Error moveCallFrame(const CodeEdit &edit, llvm::ArrayRef<uint8_t> cie,
                          llvm::MutableArrayRef<uint8_t> fde,
                          uint64_t start = 0);

/// Corrects the offsets of collective operations in an FDE of an object of
/// ptxas 13.0.48 (Collectives.h). `code` is the function's code before edits.
llvm::Error moveFrameIntoCollectives(llvm::ArrayRef<uint8_t> code,
                                     llvm::ArrayRef<uint8_t> cie,
                                     llvm::MutableArrayRef<uint8_t> fde,
                                     uint64_t start = 0);

/// Rebuilds .debug_line, .nv_debug_line_sass or .nv.tileir.debug_line.
/// `references` are sorted by offset. With `endsEmptyUnits`, a unit without
/// reachable functions gets an end of sequence, though it has no sequence.
/// Fails on a damaged section.
llvm::Expected<RebuiltLineTable>
rebuildLineTable(llvm::ArrayRef<uint8_t> section,
                 llvm::ArrayRef<DebugReference> references,
                 bool endsEmptyUnits = false);

/// Returns the bytes of each reference's sequence, as slices of `section`.
/// `references` are sorted by offset.
llvm::Expected<std::vector<llvm::ArrayRef<uint8_t>>>
splitLineTable(llvm::ArrayRef<uint8_t> section,
               llvm::ArrayRef<DebugReference> references);

/// The range of code in which a register holds a value: two byte offsets from
/// the function's start.
using LocationRange = std::pair<uint32_t, uint32_t>;

/// Returns the start of a register's range in edited code: the same
/// instruction, or, if that was removed, the one before it (so in all 79 cases
/// of generated links).
uint64_t moveRangeStart(const CodeEdit &edit, uint64_t start);

/// Rewrites .nv_debug_info_reg_sass in place. `find` and `replace` are called
/// with functions' names; `replace` returns the ranges of a definition that was
/// replaced, in order. Fails on a damaged section.
llvm::Error rewriteRegisterRanges(
    llvm::MutableArrayRef<uint8_t> section,
    llvm::function_ref<DebugFunction(llvm::StringRef)> find,
    llvm::function_ref<std::vector<LocationRange>(llvm::StringRef)> replace);

/// Returns the ranges of one function in .nv_debug_info_reg_sass of the Mercury
/// view, in the order of the native view: sorted by register.
llvm::Expected<std::vector<LocationRange>>
readRegisterRanges(llvm::ArrayRef<uint8_t> section, llvm::StringRef function);

} // namespace lld::cuda

#endif
