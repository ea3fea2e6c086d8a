//===- Side.h - A cubin that is compared ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One of the two cubins that cubin-diff compares: checked more strictly than a
/// linker must, with labels by which things of two files can be recognised.
/// Labels have no indices, and are different for local things with the same
/// name. Compare.cpp creates two Sides unless the files are byte for byte
/// equal; Meaning.cpp and the sources that it calls read them.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_SIDE_H
#define LLD_CUDA_CUBIN_DIFF_SIDE_H

#include "lld-cuda/Dump/Names.h"
#include "lld-cuda/Object/Cubin.h"
#include "llvm/Support/Error.h"

namespace lld::cuda {

/// One cubin, which refers to the buffer that it was created from.
struct Side {
  CubinFile file;
  Labels labels;
  std::vector<std::string> sectionNames; ///< Without hashes (StableNames.h).

  const Elf_Shdr &section(unsigned i) const { return file.sections()[i]; }
  unsigned sectionCount() const { return file.sections().size(); }
  /// Returns a section's contents without what has no meaning: the section
  /// index at the start of a capmerc section, and the bytes of sections for
  /// which isUnspecified() is true.
  llvm::ArrayRef<uint8_t> meaningfulBytes(unsigned i) const;

  /// Reads and checks a cubin: all of a CubinFile's checks, every record of
  /// every section, and what no tool writes (alignment of file offsets, unused
  /// header fields, segments outside of the file). Fails if anything is wrong.
  static llvm::Expected<Side> create(llvm::MemoryBufferRef buffer);
};

/// Returns whether the bytes of a section mean nothing. Reserved shared memory
/// in the Mercury view represents uninitialised memory but takes space in the
/// file, which nvlink fills with whatever its buffers hold. (From sm_100 on a
/// cubin holds its code twice: native code, and NVIDIA's "Mercury" form, from
/// which nvlink makes native code anew.)
bool isUnspecified(const Elf_Shdr &section);

} // namespace lld::cuda

#endif
