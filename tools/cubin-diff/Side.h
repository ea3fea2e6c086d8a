//===- Side.h - One of the two files that are compared ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A cubin, checked more strictly than a linker must, with labels by which
/// things of two files can be recognised: without indices, and different for
/// local things of one name.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_SIDE_H
#define LLD_CUDA_CUBIN_DIFF_SIDE_H

#include "lld-cuda/Dump/Names.h"
#include "lld-cuda/Object/Cubin.h"
#include "llvm/Support/Error.h"

namespace lld::cuda {

struct Side {
  CubinFile file;
  Labels labels;
  std::vector<std::string> sectionNames; ///< Without hashes.

  const Elf_Shdr &section(unsigned i) const { return file.sections()[i]; }
  unsigned sectionCount() const { return file.sections().size(); }
  /// Contents without what has no meaning: the section index at the start of a
  /// capmerc section; the bytes of reserved shared memory in the Mercury view.
  llvm::ArrayRef<uint8_t> meaningfulBytes(unsigned i) const;

  /// Reads and checks a file: all of a CubinFile's checks, every record of
  /// every section, and what no tool writes (alignment of file offsets, unused
  /// header fields, segments outside of the file).
  static llvm::Expected<Side> create(llvm::MemoryBufferRef buffer);
};

/// Whether the bytes of a section mean nothing: reserved shared memory in the
/// Mercury view stands for uninitialised memory but takes room in the file;
/// nvlink leaves there whatever its buffers hold.
bool isUnspecified(const Elf_Shdr &section);

} // namespace lld::cuda

#endif
