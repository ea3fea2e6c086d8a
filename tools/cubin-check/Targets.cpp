//===- Targets.cpp - The GPUs and the driver that are asked about ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-check's main() calls parseTargets() for --gpu and parseDriver() for
/// --driver, and Policy.cpp parses an exception's GPU with it. "sm_90a" and
/// "sm_90" mean the same GPU here: the question is whether a GPU of that number
/// can run the code. A list as in CMake's CUDA_ARCHITECTURES says more:
/// "90-real" asks for machine code and "90-virtual" for PTX. If a GPU is listed
/// twice, it is one target for which both are required. "all" is every GPU that
/// the newest toolkits compile for.
///
//===----------------------------------------------------------------------===//

#include "Targets.h"
#include "lld-cuda/BinaryFormat/Architectures.h"
#include "lld-cuda/Finished/Coverage.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <limits>

using namespace llvm;

namespace lld::cuda {

std::vector<Target> allTargets() {
  std::vector<Target> targets;
  for (const GpuFacts &gpu : allGpus()) {
    const elf::ArchitectureLimits *limits =
        elf::getArchitectureLimits(gpu.number);
    if (limits && limits->until == std::numeric_limits<unsigned>::max()) {
      Target target;
      target.number = gpu.number;
      targets.push_back(target);
    }
  }
  return targets;
}

/// Returns what nvcc's -arch=all-major means: the first target of each major
/// number, and the oldest one.
static std::vector<Target> allMajorTargets() {
  std::vector<Target> targets;
  for (const Target &target : allTargets())
    if (targets.empty() || target.number % 10 == 0)
      targets.push_back(target);
  return targets;
}

static Expected<Target> parseTarget(StringRef word, bool isCMake) {
  Target target;
  StringRef name = word;
  if (isCMake) {
    target.wantsCode = name.consume_back("-real");
    target.wantsPtx = !target.wantsCode && name.consume_back("-virtual");
  } else if (!name.consume_front("sm_")) {
    target.wantsPtx = name.consume_front("compute_");
  }
  if (!name.empty() && (name.back() == 'a' || name.back() == 'f'))
    name = name.drop_back();
  if (name.getAsInteger(10, target.number) || !findGpu(target.number))
    return createStringError("'" + word + "' is not a known GPU");
  return target;
}

Expected<std::vector<Target>> parseTargets(StringRef list) {
  const bool isCMake = list.consume_front("cmake:");
  std::vector<Target> targets;
  SmallVector<StringRef, 8> words;
  list.split(words, isCMake ? ';' : ',');
  for (StringRef word : words) {
    std::vector<Target> more;
    if (word == "all")
      more = allTargets();
    else if (word == "all-major")
      more = allMajorTargets();
    else if (Expected<Target> target = parseTarget(word, isCMake))
      more.push_back(*target);
    else
      return target.takeError();
    for (const Target &target : more) {
      auto it = find_if(targets, [&](const Target &other) {
        return other.number == target.number;
      });
      if (it == targets.end()) {
        targets.push_back(target);
        continue;
      }
      it->wantsCode |= target.wantsCode;
      it->wantsPtx |= target.wantsPtx;
    }
  }
  llvm::stable_sort(targets, [](const Target &a, const Target &b) {
    return a.number < b.number;
  });
  return targets;
}

Expected<unsigned> parseDriver(StringRef version) {
  auto [branch, rest] = version.split('.');
  unsigned number;
  if (branch.getAsInteger(10, number) ||
      rest.find_first_not_of("0123456789.") != StringRef::npos)
    return createStringError("'" + version +
                             "' is not a driver version such as 570.86.10");
  return number;
}

std::string listGpus(ArrayRef<unsigned> numbers) {
  std::string text;
  for (unsigned number : numbers)
    text += (text.empty() ? "sm_" : ", sm_") + std::to_string(number);
  return text;
}

} // namespace lld::cuda
