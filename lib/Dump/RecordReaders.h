//===- RecordReaders.h - Readers of sections' records -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that read the records of a cubin's section as facts, one function
/// for each kind of record. The table in RecordFacts.cpp says which section is
/// read by which function; cubin-dump and cubin-diff get a section's reader
/// from there, by recordReaderFor(), when they dump or compare the section. All
/// have the signature of RecordReader: they pass each record of section
/// `section` to `visit`, and fail if one is malformed.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_DUMP_RECORDREADERS_H
#define LLD_CUDA_LIB_DUMP_RECORDREADERS_H

#include "lld-cuda/Dump/Facts.h"

namespace lld::cuda {

#define RECORD_READER(NAME)                                                    \
  llvm::Error NAME(const CubinFile &file, const Labels &labels,                \
                   unsigned section, FactVisitor visit);
RECORD_READER(readSymbols)
RECORD_READER(readRelocations)
RECORD_READER(readInfo)
RECORD_READER(readCompat)
RECORD_READER(readCallGraph)
RECORD_READER(readPrototypes)
RECORD_READER(readNotes)
RECORD_READER(readCapmerc)
#undef RECORD_READER

} // namespace lld::cuda

#endif
