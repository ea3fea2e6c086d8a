//===- Reports.h - What the lld flavour tells about a link ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each report is made only if the command line asks for it; the passes call
/// these at the points where what they tell is known.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_REPORTS_H
#define LLD_CUDA_REPORTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lld::cuda {

struct Ctx;
struct Resources;

/// After the inputs are read: --trace, --verbose, --dependency-file,
/// --why-extract. Reports.cpp.
void reportInputs(Ctx &ctx);
/// After liveness: --print-gc-sections, --trace-symbol, --cref. Reports.cpp.
void reportSymbols(Ctx &ctx);
/// --print-memory-usage. MemoryUsage.cpp.
void reportMemoryUsage(Ctx &ctx, Resources &resources);
/// After the output is laid out: -Map and --print-map. MapFile.cpp.
void reportMap(Ctx &ctx);
/// --reproduce: the inputs, and the command line without them. Reproduce.cpp.
void writeReproducer(Ctx &ctx, llvm::ArrayRef<std::string> options);

/// Writes to a file, or to standard output if it is "-".
void writeReport(Ctx &ctx, llvm::StringRef path, llvm::StringRef text);

} // namespace lld::cuda

#endif
