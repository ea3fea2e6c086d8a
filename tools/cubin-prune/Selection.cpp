//===- Selection.cpp - Chooses images by target and kind ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-prune's main() fills a Selection from the options, and PruneFile.cpp
/// asks keeps() for each image of a file. A target is a word such as "sm_90" or
/// "compute_90", and the options take patterns of these; "elf" is short for
/// "sm_*" and "lto" for "lto_*". PTX and Tile IR have the same targets, so
/// "ptx" and "tile" also say which kind is meant. An image that matches both a
/// pattern to keep and one to drop is removed. Each pattern notes that it has
/// matched, so that main() can tell of those that match nothing.
///
//===----------------------------------------------------------------------===//

#include "Selection.h"
#include "lld-cuda/Object/DeviceCode.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace lld::cuda {

static Error addPatterns(StringRef list,
                         std::deque<Selection::TargetPattern> &patterns) {
  SmallVector<StringRef, 8> words;
  list.split(words, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (words.empty())
    return createStringError("no target in '" + list + "'");
  for (StringRef word : words) {
    StringRef text = StringSwitch<StringRef>(word)
                         .Case("elf", "sm_*")
                         .Case("ptx", "compute_*")
                         .Case("tile", "compute_*")
                         .Case("lto", "lto_*")
                         .Default(word);
    if (!text.starts_with("sm_") && !text.starts_with("compute_") &&
        !text.starts_with("lto_"))
      return createStringError(
          "'" + word +
          "' is not a target: sm_*, compute_*, lto_*, elf, ptx, tile or lto");
    Expected<GlobPattern> pattern = GlobPattern::create(text);
    if (!pattern)
      return pattern.takeError();
    // Tile IR has the targets that PTX has.
    const auto kind = StringSwitch<std::optional<FatbinKind>>(word)
                          .Case("ptx", FatbinKind::PTX)
                          .Case("tile", FatbinKind::TileIR)
                          .Default(std::nullopt);
    patterns.emplace_back(word, kind, std::move(*pattern));
  }
  return Error::success();
}

Error Selection::keep(StringRef list) { return addPatterns(list, kept); }
Error Selection::drop(StringRef list) { return addPatterns(list, dropped); }

Error Selection::keepGencode(StringRef option) {
  const size_t at = option.find("code=");
  if (!option.starts_with("arch=") || at == StringRef::npos)
    return createStringError("'" + option +
                             "': expected arch=...,code=..., as for nvcc");
  StringRef list = option.substr(at + StringRef("code=").size());
  return keep(list.trim("[]"));
}

bool Selection::keeps(const FatbinEntry &entry, bool isRelocatable,
                      const StringSet<> &ownImages) const {
  const std::string target = getTargetName(entry);
  auto matchesOne = [&](const std::deque<TargetPattern> &patterns) {
    bool found = false;
    for (const TargetPattern &pattern : patterns)
      if ((!pattern.kind || *pattern.kind == entry.kind) &&
          pattern.glob.match(target)) {
        pattern.isUsed.store(true, std::memory_order_relaxed);
        found = true;
      }
    return found;
  };
  const bool isKept = matchesOne(kept) || kept.empty();
  if (matchesOne(dropped) || !isKept)
    return false;
  if (!isRelocatable)
    return true;
  return !dropsRelocatable && !linked.contains(target) &&
         !(usesOwnImage && ownImages.contains(target));
}

std::vector<std::string> Selection::unmatched() const {
  std::vector<std::string> list;
  for (const std::deque<TargetPattern> *patterns : {&kept, &dropped})
    for (const TargetPattern &pattern : *patterns)
      if (!pattern.isUsed)
        list.push_back(pattern.text);
  return list;
}

} // namespace lld::cuda
