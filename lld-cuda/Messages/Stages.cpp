//===- Stages.cpp - The stages of a link, for --stats and --progress ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Stages notes each stage that a link enters, with the time and the largest
/// memory so far. Link.cpp calls begin() with the stage's name ("merge"),
/// InputFiles.cpp and LtoLlvm.cpp do so for compiles, and Report/Stats.cpp
/// prints the list in the end. Without --stats and --time-trace nothing is
/// noted and no clock is read; without --progress nobody is told.
///
//===----------------------------------------------------------------------===//

#include "Messages/Stages.h"
#include "Messages/Progress.h"
#include <sys/resource.h>

using namespace lld::cuda;

uint64_t Stages::peakMemory() {
  rusage usage;
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
}

void Stages::begin(const char *name) {
  if (progress)
    progress->enter(name);
  if (enabled)
    stages.push_back({name, Clock::now(), peakMemory()});
}

void Stages::advance(size_t count) {
  if (progress)
    progress->advance(count);
}
