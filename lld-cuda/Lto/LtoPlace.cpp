//===- LtoPlace.cpp - Where optimized code stands in a link ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// In a link that is LTO in part the cubin made of the LTO IR stands in the
/// place of an input; since 13.5 it stands in front of all [lto-cubin-first].
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Input/InputFiles.h"
#include "Passes.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace lld::cuda {

/// Its unit keeps the memory.
static std::optional<LoadedCubin> takeOptimized(Ctx &ctx) {
  for (InputFile &file : ctx.inputs)
    for (InputUnit &unit : file.units) {
      auto found = find_if(
          unit.holds.cubins, [](const LoadedCubin &c) { return c.isOptimizedHere; });
      if (found == unit.holds.cubins.end())
        continue;
      LoadedCubin cubin = std::move(*found);
      unit.holds.cubins.erase(found);
      return cubin;
    }
  return std::nullopt;
}

void placeOptimizedCode(Ctx &ctx) {
  if (!ctx.config.lto || !ctx.rules.placesOptimizedFirst())
    return;
  std::optional<LoadedCubin> cubin = takeOptimized(ctx);
  if (!cubin)
    return;
  InputFile &file = ctx.inputs.emplace_back();
  file.path = cubin->label;
  InputUnit &unit = file.units.emplace_back();
  unit.label = cubin->label;
  // Like a bare cubin it doesn't tell which kernels host code refers to, so all
  // stay.
  unit.host.countsForHostInfo = true;
  unit.holds.cubins.push_back(std::move(*cubin));
  std::rotate(ctx.inputs.begin(),
              std::next(ctx.inputs.begin(), ctx.inputs.size() - 1),
              ctx.inputs.end());
}

} // namespace lld::cuda
