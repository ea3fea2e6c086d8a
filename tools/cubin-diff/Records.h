//===- Records.h - Records that are compared --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reader of sections that are compared record by record instead of byte by
/// byte (symbols, relocations, attributes). Meaning.cpp calls it for each
/// section that both cubins have. Two records mean the same if and only if
/// their `meaning` texts are equal.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_RECORDS_H
#define LLD_CUDA_CUBIN_DIFF_RECORDS_H

#include "Side.h"
#include "lld-cuda/Dump/Facts.h"

namespace lld::cuda {

/// A symbol, relocation, attribute or the like.
struct Record {
  /// What the record is about, such as "relocation at 0x10". Records with the
  /// same identity but different meanings are shown as one difference.
  std::string identity;
  /// Equal if the records mean the same; includes the identity.
  std::string meaning;
  Fact fact;
};

/// Returns the function that reads the records of section `section`, a static
/// object, or null if the section is compared as bytes. `side` is one of the
/// two cubins.
const RecordReader *comparedReader(const Side &side, unsigned section);

/// Returns the records, in file order, of a section for which comparedReader()
/// isn't null.
std::vector<Record> readRecords(const Side &side, unsigned section);

/// Tells how the records `a` and `b`, which have the same identity, differ:
/// "size 0x80 vs 0x90".
std::string describeChange(const Record &a, const Record &b);

} // namespace lld::cuda

#endif
