//===- RecordReaders.h - The readers behind recordReaderFor() ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One function for each kind of record; all have RecordReader's signature.
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
