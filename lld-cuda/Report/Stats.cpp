//===- Stats.cpp - Where a link spends its time ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// reportStats() prints counts and the time of each stage of a link (--stats),
/// and writes the stages in the form that chrome://tracing and Perfetto show
/// (--time-trace). runLink() in Link.cpp calls it at the end of each link whose
/// inputs could be read, even if the link failed later. The times come from
/// Stages (Messages/Stages.h).
///
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Messages/Stages.h"
#include "Numbered.h"
#include "Output/SaveFile.h"
#include "Program.h"
#include "Report/Reports.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace lld::cuda;

static double milliseconds(Stages::Clock::duration d) {
  return std::chrono::duration<double, std::milli>(d).count();
}

static void printCounts(const Inputs &inputs, Program &program,
                        const Numbered &numbered) {
  auto print = [&](const char *what, uint64_t count) {
    inputs.out << left_justify(what, 24)
               << right_justify(Twine(count).str(), 12) << '\n';
  };
  uint64_t bytes = 0, groups = 0, kept = 0;
  for (const InputFile &file : inputs.files)
    if (file.buffer)
      bytes += file.buffer->getBufferSize();
  auto count = [&](const Creations &made) {
    for (const OutputSection &sec : made.sectionStorage) {
      groups += sec.relocations.size();
      kept += sec.kept.size();
    }
  };
  count(program);
  llvm::for_each(program.parts, count);
  print("input files", inputs.files.size());
  print("input bytes", bytes);
  print("objects", program.objects.size());
  print("objects in batches", program.objectsInBatches);
  print("functions", program.functions.size());
  print("kernels", program.countedKernels().size());
  print("variables", program.variables.size());
  print("components of calls", program.callGraph.componentCount());
  print("relocation sections", groups);
  print("relocations kept", kept);
  print("output sections", numbered.finalSections.size());
  print("output symbols", numbered.finalSymbols.size());
}

/// Time of each stage, and the peak of memory that it leaves.
static void printStages(const Inputs &inputs, Stages::Clock::time_point end) {
  ArrayRef<Stages::Stage> stages = inputs.clock.list();
  inputs.out << left_justify("stage", 24) << right_justify("ms", 12)
             << right_justify("peak in KiB", 14) << '\n';
  auto print = [&](const char *name, Stages::Clock::duration d, uint64_t peak) {
    inputs.out << left_justify(name, 24)
               << format("%12.3f%14llu\n", milliseconds(d),
                         static_cast<unsigned long long>(peak));
  };
  const uint64_t lastPeak = Stages::peakMemory();
  for (size_t i = 0; i != stages.size(); ++i) {
    const bool isLast = i + 1 == stages.size();
    print(stages[i].name,
          (isLast ? end : stages[i + 1].begin) - stages[i].begin,
          isLast ? lastPeak : stages[i + 1].peakBefore);
  }
  if (!stages.empty())
    print("total", end - stages.front().begin, lastPeak);
}

static void writeTrace(const Inputs &inputs, Stages::Clock::time_point end) {
  ArrayRef<Stages::Stage> stages = inputs.clock.list();
  std::string text;
  raw_string_ostream os(text);
  os << "{\"traceEvents\":[\n";
  for (size_t i = 0; i != stages.size(); ++i) {
    const auto stop = i + 1 == stages.size() ? end : stages[i + 1].begin;
    os << (i ? ",\n" : "") << "{\"name\":\"" << stages[i].name
       << "\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":"
       << format("%.1f",
                 milliseconds(stages[i].begin - stages.front().begin) * 1e3)
       << ",\"dur\":"
       << format("%.1f", milliseconds(stop - stages[i].begin) * 1e3) << '}';
  }
  os << "\n]}\n";
  saveFile(inputs, *inputs.config.timeTraceFile, std::move(text));
}

void lld::cuda::reportStats(const Inputs &inputs, Program &program,
                            const Numbered &numbered) {
  if (!inputs.config.stats && !inputs.config.timeTraceFile)
    return;
  const auto end = Stages::Clock::now();
  if (inputs.config.timeTraceFile)
    writeTrace(inputs, end);
  if (!inputs.config.stats)
    return;
  printCounts(inputs, program, numbered);
  printStages(inputs, end);
}
