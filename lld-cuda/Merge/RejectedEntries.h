//===- RejectedEntries.h - Entries that count as never read -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// When a definition loses to another object's, some of what its object says
/// about it goes as well. An entry that is rejected brings no relocation
/// section and is not applied.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_MERGE_REJECTEDENTRIES_H
#define LLD_CUDA_MERGE_REJECTEDENTRIES_H

#include "Input/ObjectFile.h"
#include "Program.h"

namespace lld::cuda {

class RejectedEntries {
public:
  /// Looks at the relocations of a native section or its twin.
  RejectedEntries(const Inputs &inputs, const OutputSection &native);

  /// Line tables and frames: what names a rejected definition is not read
  /// [debug-replaced-entries].
  bool isFrameOrLineTable() const { return isTable; }

  /// Whether there is anything to ask entries for.
  bool rejectsAny() const { return isTable || losesReplaced; }

  bool rejects(const ObjectFile &obj, uint32_t symbolIndex) const {
    return (isTable && obj.isLost(symbolIndex)) ||
           (losesReplaced && isReplacedDefinition(obj, symbolIndex));
  }

private:
  static bool isReplacedDefinition(const ObjectFile &obj, uint32_t symbolIndex);

  bool isTable;
  /// Constants drop what names a definition that another object replaced
  /// [constants-addresses-of-replaced].
  bool losesReplaced;
};

} // namespace lld::cuda

#endif
