//===- PartPatcher.h - Private copies of what is patched --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A section's parts are the inputs' bytes until something is written to them.
/// Then the part gets a private copy; of debug information, which comes in
/// large sections with few relocations, only the blocks that are written to.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RELOCATIONS_PARTPATCHER_H
#define LLD_CUDA_RELOCATIONS_PARTPATCHER_H

#include "Program.h"

namespace lld::cuda {

class PartPatcher {
public:
  PartPatcher(const Inputs &inputs, OutputSection &sec)
      : inputs(inputs), sec(sec) {}

  /// The relocation group of that index is applied next.
  void begin(size_t groupIndex);
  /// All of the group is applied.
  void end();
  /// The last group is applied.
  void finish();

  /// The bytes of the group's part from an offset on, to be written to: to the
  /// part's end, or as many as a relocation may need. Empty past the end.
  llvm::MutableArrayRef<uint8_t> bytesAt(uint64_t offset);

private:
  bool copiesBlocks(size_t groupIndex) const;
  llvm::MutableArrayRef<uint8_t> blockAt(uint64_t offset);
  void copyWhole();

  const Inputs &inputs;
  OutputSection &sec;
  SectionPart *part = nullptr;
  bool byBlocks = false;
  llvm::DenseMap<uint64_t, uint8_t *> blocks; ///< By offset in the part.
};

} // namespace lld::cuda

#endif
