//===- Reports.h - Reports about a link -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions that write reports about a link for users, such as --trace,
/// --cref, -Map and --resource-report. Link.cpp calls each of them at the point
/// of the link where what it reports is known; each returns at once unless the
/// command line asks for its report. LtoNvidia.cpp calls some of them for an
/// image that a compiler has made as a whole.
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

/// Appends lines to the table of -time, with a header first if the file is
/// empty. Returns false, with the error reported, if it can't be written.
/// Times.cpp.
bool addTimes(const Inputs &inputs, llvm::StringRef lines);
/// Adds a line to the table of -time for each piece of PTX that was compiled.
/// Called when the inputs are read. Times.cpp.
void addCompileTimes(const Inputs &inputs);
/// Makes the reports about inputs: --trace, --verbose, --dependency-file,
/// --why-extract, --reproduce. Called when the inputs are read. Reports.cpp.
void reportInputs(const Inputs &inputs);
/// Makes the reports about symbols: --print-gc-sections, --trace-symbol,
/// --cref. Called when memory is laid out. Reports.cpp.
void reportSymbols(const Inputs &inputs, Program &program);
/// Writes the report of --print-memory-usage, and fills in LinkJob::facts for
/// the library. Called when resources are propagated. MemoryUsage.cpp.
void reportMemoryUsage(const Inputs &inputs, Program &program,
                       Resources &resources);
/// Writes what --resource-report and --budget ask for. ResourceReport.cpp.
void reportResources(const Inputs &inputs, Program &program,
                     Resources &resources);
/// Writes what --resource-report and --budget ask for about an image that a
/// compiler has made of `units` as a whole. Returns false if the image must not
/// be written.
bool reportOptimizedImage(const Inputs &inputs, Program &program,
                          llvm::MemoryBufferRef cubin,
                          llvm::ArrayRef<InputUnit *> units);
/// Joins reports that were written earlier (--join-reports, in place of a
/// link). ResourceReport.cpp.
void joinReports(const Inputs &inputs, Program &program);
/// Says which of the wanted reports can't be made because the image is made by
/// the compiler, of LTO IR alone. Reports.cpp.
void tellMissingReports(const Inputs &inputs);
/// Prints the table of cross references (--cref). Reports.cpp.
void printCrossReferences(const Inputs &inputs, const Program &program,
                          llvm::raw_ostream &os);
/// Writes the map (-Map and --print-map). Called when the output has its
/// layout, after writeImage(). MapFile.cpp.
void reportMap(const Inputs &inputs, Program &program,
               const Numbered &numbered);
/// Writes the reports of --stats and --time-trace. Called at the end of the
/// link. Stats.cpp.
void reportStats(const Inputs &inputs, Program &program,
                 const Numbered &numbered);
/// Writes the archive of --reproduce: the inputs, and `options`, the command
/// line without them. Called by reportInputs(). Reproduce.cpp.
void writeReproducer(const Inputs &inputs, llvm::ArrayRef<std::string> options);

/// Writes a report to standard output if `path` is "-". Otherwise the report
/// becomes an output of the link, which is put in place with the image or not
/// at all. Reports.cpp.
void writeReport(const Inputs &inputs, llvm::StringRef path, std::string text);
void writeReport(const Inputs &inputs, llvm::StringRef path, page::Text text);

} // namespace lld::cuda

#endif
