//===- Suggestions.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Suggestions.h"
#include "Messages/Diagnostics.h"
#include "lld-cuda/BinaryFormat/Architectures.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {

void explainArchitectures(Diagnostics &diag, StringRef word) {
  constexpr unsigned MaxNumber = 200, Far = 3;
  const std::string wanted = word.lower();
  std::string list, nearest;
  unsigned best = Far;
  for (unsigned number = 1; number != MaxNumber; ++number) {
    if (!elf::getArchitectureLimits(number))
      continue;
    const std::string name = "sm_" + utostr(number);
    list += (list.empty() ? "" : ", ") + name;
    // Who writes 90 means sm_90.
    const unsigned distance =
        wanted == utostr(number) ? 0 : countEdits(wanted, name, Far);
    if (distance == best)
      nearest.clear(); // Nobody knows which.
    if (distance >= best || !isLikelyTypo(wanted, distance))
      continue;
    best = distance;
    nearest = name;
  }
  if (!nearest.empty())
    diag.explain("did you mean " + nearest + "?");
  diag.explain("known: " + list);
}

} // namespace lld::cuda
