//===- CubinSegments.h - Program headers of cubins --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that make the program headers of a cubin which cubin-prune writes
/// anew. CubinCopy.cpp calls checkSegments() before it writes anything, to see
/// whether the original is laid out as expected, and makeSegments() for the
/// copy.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_CUBINSEGMENTS_H
#define LLD_CUDA_CUBIN_PRUNE_CUBINSEGMENTS_H

#include "lld-cuda/Object/Cubin.h"
#include <vector>

namespace lld::cuda {

/// A section's place in a copy; offset and size are in bytes.
struct PlacedSection {
  const Elf_Shdr *header; ///< The section's header in the original.
  uint64_t offset, size;
};

/// Returns the program headers of a copy, whose table is at offset `table`
/// (rule [segments] of docs/reference). Returns none if the original has none.
/// `sections` are in the order of their headers.
std::vector<Elf_Phdr> makeSegments(const CubinFile &file,
                                   llvm::ArrayRef<PlacedSection> sections,
                                   uint64_t table);

/// Fails unless the file's own program headers are those that makeSegments()
/// makes of its sections.
llvm::Error checkSegments(const CubinFile &file);

} // namespace lld::cuda

#endif
