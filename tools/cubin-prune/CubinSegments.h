//===- CubinSegments.h - Program headers of cubins --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Program headers of a cubin that is written anew. CubinCopy.cpp checks with
/// it that the original is laid out as expected, and makes those of the copy.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_CUBINSEGMENTS_H
#define LLD_CUDA_CUBIN_PRUNE_CUBINSEGMENTS_H

#include "lld-cuda/Object/Cubin.h"
#include <vector>

namespace lld::cuda {

/// A section where it is in a copy.
struct PlacedSection {
  const Elf_Shdr *header; ///< The original's.
  uint64_t offset, size;
};

/// The program headers of a copy, which stand at `table` [segments]; none if
/// the original has none. Sections are in the order of their headers.
std::vector<Elf_Phdr> makeSegments(const CubinFile &file,
                                   llvm::ArrayRef<PlacedSection> sections,
                                   uint64_t table);

/// Fails unless the file's own program headers are those that makeSegments()
/// makes of its sections.
llvm::Error checkSegments(const CubinFile &file);

} // namespace lld::cuda

#endif
