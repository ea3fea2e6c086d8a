//===- Stages.cpp - Where a link spends its time ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
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
