//===- RejectedEntries.h - Relocations of lost definitions ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rule for relocation entries that refer to a definition that lost to
/// another object's: in some sections they are treated as if they had never
/// been read. MergeSections.cpp asks before it creates a relocation section,
/// SectionRelocator before it applies entries, and Check/Entries.cpp when
/// --check looks at the output. A rejected entry isn't applied, and a
/// relocation section isn't created for it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_MERGE_REJECTEDENTRIES_H
#define LLD_CUDA_MERGE_REJECTEDENTRIES_H

#include "Input/ObjectFile.h"

namespace lld::cuda {

struct Inputs;

/// Tells which relocation entries of one output section are rejected.
class RejectedEntries {
public:
  /// `native` is the section to which the relocations apply or, for a section
  /// of the Mercury view (docs/reference/mercury.md), the native section whose
  /// twin it is.
  RejectedEntries(const Inputs &inputs, const OutputSection &native);

  /// Returns whether the section is a line table or .debug_frame in which
  /// entries that refer to a lost definition are rejected (rule
  /// [debug-replaced-entries] of docs/reference).
  bool isFrameOrLineTable() const { return isTable; }

  /// Returns whether rejects() can be true for any entry of `obj`.
  bool rejectsAny(const ObjectFile &obj) const {
    return (isTable && !obj.lost.empty()) || losesReplaced;
  }

  /// Returns whether an entry of `obj` that refers to symbol `symbolIndex` of
  /// the object's symbol table is rejected.
  bool rejects(const ObjectFile &obj, uint32_t symbolIndex) const {
    return (isTable && obj.isLost(symbolIndex)) ||
           (losesReplaced && isReplacedDefinition(obj, symbolIndex));
  }

private:
  static bool isReplacedDefinition(const ObjectFile &obj, uint32_t symbolIndex);

  bool isTable;
  /// The section is a constant bank that loses the addresses of definitions
  /// that another object replaced [constants-addresses-of-replaced].
  bool losesReplaced;
};

} // namespace lld::cuda

#endif
