//===- Relayout.h - Cubins that differ in notes only ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The test for the verdict IDENTICAL-BUT-NOTE: two outputs differ only in what
/// the linkers wrote about themselves, and in the offsets that this changes.
/// Compare.cpp calls differOnlyInNotes() when the bytes of two cubins aren't
/// equal; Records.cpp asks findOwnNotes() which notes don't count.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_RELAYOUT_H
#define LLD_CUDA_CUBIN_DIFF_RELAYOUT_H

#include "lld-cuda/Object/Cubin.h"

namespace lld::cuda {

/// The records of .note.nv.tkinfo that linkers wrote about themselves: the
/// first record, those of the same tool (from -r links of the inputs), and
/// those of nvlink or lld-cuda.
struct OwnNotes {
  struct Record {
    unsigned position;   ///< Index among all records of the section.
    size_t offset, size; ///< In the section, in bytes.
  };
  unsigned section = 0; ///< The section's index; 0 for none.
  std::vector<Record> records;

  bool contains(unsigned position) const;
};

OwnNotes findOwnNotes(const CubinFile &file);

/// Returns whether `other` is `file` with other texts in its own notes. Lays
/// `file` out again with the notes of `other`; the result must equal `other`.
/// Number, positions, names and versions of the notes must agree. Bytes without
/// meaning are not compared.
bool differOnlyInNotes(const CubinFile &file, const CubinFile &other);

} // namespace lld::cuda

#endif
