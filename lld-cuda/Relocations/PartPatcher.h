//===- PartPatcher.h - Copy-on-write of sections' bytes ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Copy-on-write for the bytes of an output section. SectionRelocator has a
/// PartPatcher for each section that it relocates, and asks for the bytes of
/// each field that it writes. Until its first write, a part (the contribution
/// of one input section) refers to the input's own bytes. That write copies the
/// whole part or, in large debug sections with few relocations, only the block
/// of 256 bytes that holds the field.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RELOCATIONS_PARTPATCHER_H
#define LLD_CUDA_RELOCATIONS_PARTPATCHER_H

#include "OutputSection.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include <cstddef>
#include <cstdint>
#include <optional>

namespace lld::cuda {

struct Inputs;

/// Makes the copies for one section. Copies live in the link's memory.
class PartPatcher {
public:
  PartPatcher(const Inputs &inputs, OutputSection &sec)
      : inputs(inputs), sec(sec) {}

  /// Must be called before a relocation group is applied: the relocations of
  /// one input section, which apply to one part. `groupIndex` is the group's
  /// position in sec.relocations.
  void begin(size_t groupIndex) {
    group = groupIndex;
    part = &sec.parts[sec.relocations[groupIndex].part];
    byBlocks.reset();
  }
  /// Must be called after each group.
  void end() {
    if (!blocks.empty())
      addPatches();
  }
  /// Must be called after the last group.
  void finish() {
    if (!sec.patches().empty())
      sortPatches();
  }

  /// Returns the bytes of the group's part from `offset` on, for writing. They
  /// reach to the end of the part, or at least as far as a relocation's field
  /// may. The result is empty if `offset` is not in the part.
  llvm::MutableArrayRef<uint8_t> bytesAt(uint64_t offset);

private:
  bool copiesBlocks() const;
  llvm::MutableArrayRef<uint8_t> blockAt(uint64_t offset);
  void copyWhole();
  void addPatches();
  void sortPatches();

  const Inputs &inputs;
  OutputSection &sec;
  size_t group = 0; ///< The current group's index in sec.relocations.
  SectionPart *part = nullptr;
  /// Whether blocks are copied rather than the part; decided at the first
  /// write.
  std::optional<bool> byBlocks;
  llvm::DenseMap<uint64_t, uint8_t *> blocks; ///< Keyed by offset in the part.
};

} // namespace lld::cuda

#endif
