//===- Relayout.h - A cubin with other notes --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decides the verdict IDENTICAL-BUT-NOTE: two outputs differ in nothing but
/// what the linkers wrote about themselves, and in what that moved. Compare.cpp
/// asks when the bytes of two files aren't the same.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_RELAYOUT_H
#define LLD_CUDA_CUBIN_DIFF_RELAYOUT_H

#include "lld-cuda/Object/Cubin.h"

namespace lld::cuda {

/// The tkinfo records that linkers wrote about themselves, in
/// .note.nv.tkinfo: the first record, those of the same tool (from -r links of
/// the inputs) and of nvlink or lld-cuda.
struct OwnNotes {
  struct Record {
    unsigned position; ///< Among all records of the section.
    size_t offset, size;
  };
  unsigned section = 0; ///< 0: the file has none.
  std::vector<Record> records;

  bool contains(unsigned position) const;
};

OwnNotes findOwnNotes(const CubinFile &file);

/// Whether `other` is `file` with other texts in its own notes: `file` is laid
/// out again with the notes of `other` in place and must then equal it. Number,
/// positions, names and versions of the notes must agree. Bytes without meaning
/// are not compared.
bool differOnlyInNotes(const CubinFile &file, const CubinFile &other);

} // namespace lld::cuda

#endif
