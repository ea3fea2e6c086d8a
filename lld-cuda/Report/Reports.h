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

#ifndef LLD_CUDA_REPORT_REPORTS_H
#define LLD_CUDA_REPORT_REPORTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <string>

namespace llvm {
class raw_ostream;
}

namespace lld::cuda {

struct Inputs;
struct Program;
struct Numbered;
struct InputUnit;
struct Resources;
namespace page {
class Text;
}

/// Appends lines to the table of -time; the header comes first in an empty
/// file. False: it can't be written, which is reported. Times.cpp.
bool addTimes(const Inputs &inputs, llvm::StringRef lines);
/// One line for each piece of PTX that was compiled; nothing else takes time
/// worth telling. Times.cpp.
void addCompileTimes(const Inputs &inputs);
/// After the inputs are read: --trace, --verbose, --dependency-file,
/// --why-extract. Reports.cpp.
void reportInputs(const Inputs &inputs);
/// After liveness: --print-gc-sections, --trace-symbol, --cref. Reports.cpp.
void reportSymbols(const Inputs &inputs, Program &program);
/// --print-memory-usage, and the facts for users of the library.
/// MemoryUsage.cpp.
void reportMemoryUsage(const Inputs &inputs, Program &program,
                       Resources &resources);
/// Writes what --resource-report and --budget ask for. ResourceReport.cpp.
void reportResources(const Inputs &inputs, Program &program,
                     Resources &resources);
/// --resource-report and --budget of an image that a compiler has made of
/// `units` as a whole. False: the image isn't to be written.
bool reportOptimizedImage(const Inputs &inputs, Program &program,
                          llvm::MemoryBufferRef cubin,
                          llvm::ArrayRef<InputUnit *> units);
/// --join-reports: what reports that were written earlier have, as one.
void joinReports(const Inputs &inputs, Program &program);
/// Says which reports there are none of where the image is the compiler's, of
/// LTO IR alone. Reports.cpp.
void tellMissingReports(const Inputs &inputs);
/// Prints the table of cross references (--cref). Reports.cpp.
void printCrossReferences(const Inputs &inputs, const Program &program,
                          llvm::raw_ostream &os);
/// After the output is laid out: -Map and --print-map. MapFile.cpp.
void reportMap(const Inputs &inputs, Program &program,
               const Numbered &numbered);
/// --stats and --time-trace, at the end of the link. Stats.cpp.
void reportStats(const Inputs &inputs, Program &program,
                 const Numbered &numbered);
/// --reproduce: the inputs, and the command line without them. Reproduce.cpp.
void writeReproducer(const Inputs &inputs, llvm::ArrayRef<std::string> options);

/// Writes to a file, or to standard output if it is "-".
void writeReport(const Inputs &inputs, llvm::StringRef path, std::string text);
void writeReport(const Inputs &inputs, llvm::StringRef path, page::Text text);

} // namespace lld::cuda

#endif
