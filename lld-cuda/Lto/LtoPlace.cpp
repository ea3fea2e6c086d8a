//===- LtoPlace.cpp - Moving optimized code in front of all inputs --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// In a link with LTO IR and other code, the cubin that was made of the LTO IR
/// takes part in the place of an input. From nvlink 13.5 on it is the first of
/// all inputs instead [lto-cubin-first], which changes the order of symbols in
/// the output. placeOptimizedCode() moves it there. chooseRules() in Link.cpp
/// calls it right after the release is settled, before the merge: whether to
/// move it depends on the release.
///
//===----------------------------------------------------------------------===//

#include "Input/InputFiles.h"
#include "Inputs.h"
#include "Passes.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace lld::cuda {

/// Takes the optimized cubin out of its unit, which keeps owning the memory.
static std::optional<LoadedCubin> takeOptimized(Inputs &inputs) {
  for (InputFile &file : inputs.files)
    for (InputUnit &unit : file.units) {
      auto found = find_if(unit.holds.cubins, [](const LoadedCubin &c) {
        return c.isOptimizedHere;
      });
      if (found == unit.holds.cubins.end())
        continue;
      const LoadedCubin cubin = *found;
      unit.holds.cubins.erase(found);
      return cubin;
    }
  return std::nullopt;
}

void placeOptimizedCode(Inputs &inputs) {
  if (!inputs.config.lto || !inputs.rules.placesOptimizedFirst())
    return;
  std::optional<LoadedCubin> cubin = takeOptimized(inputs);
  if (!cubin)
    return;
  InputFile &file = inputs.files.emplace_back();
  file.path = cubin->label;
  InputUnit &unit = file.units.emplace_back();
  unit.label = cubin->label;
  // Like a bare cubin it doesn't tell which kernels host code refers to, so all
  // stay.
  unit.host.countsForHostInfo = true;
  unit.holds.cubins.push_back(*cubin);
  std::rotate(inputs.files.begin(),
              std::next(inputs.files.begin(), inputs.files.size() - 1),
              inputs.files.end());
}

} // namespace lld::cuda
