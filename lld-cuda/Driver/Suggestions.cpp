//===- Suggestions.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Suggestions.h"
#include "lld-cuda/BinaryFormat/Architectures.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {

bool isLikelyTypo(StringRef word, unsigned distance) {
  constexpr unsigned MaxDistance = 2, LettersForAnEdit = 3;
  return distance <= MaxDistance && distance * LettersForAnEdit <= word.size();
}

std::string listArchitectures() {
  constexpr unsigned MaxNumber = 200;
  std::string list;
  for (unsigned number = 1; number != MaxNumber; ++number)
    if (elf::getArchitectureLimits(number))
      list += (list.empty() ? "sm_" : ", sm_") + utostr(number);
  return list;
}

} // namespace lld::cuda
