//===- Records.h - Records that can be compared -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sections that are compared record by record instead of byte by byte
/// (symbols, relocations, attributes): reads them into records that mean the
/// same if their texts are equal. Meaning.cpp calls it for each section that
/// two files have.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_RECORDS_H
#define LLD_CUDA_CUBIN_DIFF_RECORDS_H

#include "Side.h"
#include "lld-cuda/Dump/Facts.h"

namespace lld::cuda {

/// A symbol, relocation, attribute, ...
struct Record {
  /// Which thing it is about: "relocation at 0x10". Records of one identity but
  /// other meaning are shown as one difference.
  std::string identity;
  /// Equal if the records mean the same; holds the identity.
  std::string meaning;
  Fact fact;
};

/// The reader of sections whose contents are compared record by record; null
/// for those that are compared as bytes.
const RecordReader *comparedReader(const Side &side, unsigned section);

/// The records of a section that has a comparedReader(), in file order.
std::vector<Record> readRecords(const Side &side, unsigned section);

/// How the records `a` and `b` of one identity differ: "size 0x80 vs 0x90".
std::string describeChange(const Record &a, const Record &b);

} // namespace lld::cuda

#endif
