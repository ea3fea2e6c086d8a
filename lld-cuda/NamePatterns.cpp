//===- NamePatterns.cpp - Lists of names that host code refers to ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NamePatterns.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda;

void NamePatterns::add(StringRef list) {
  for (StringRef name : splitNames(list)) {
    auto [prefix, rest] = name.split('*');
    if (prefix.size() == name.size()) {
      exact.insert(CachedHashStringRef(name));
      continue;
    }
    prefixLengths.insert(prefix.size());
    SmallVector<StringRef, 1> &globs =
        globsByPrefix[CachedHashStringRef(prefix)];
    if (!is_contained(globs, rest))
      globs.push_back(rest);
  }
}

/// Whether `name`, of which the text in front of a pattern's first '*' is gone,
/// matches what follows that '*'.
static bool matchesRest(StringRef rest, StringRef name) {
  while (rest.contains('*')) {
    auto [piece, tail] = rest.split('*');
    size_t at = name.find(piece);
    if (at == StringRef::npos)
      return false;
    name = name.drop_front(at + piece.size());
    rest = tail;
  }
  return name.ends_with(rest);
}

bool NamePatterns::matches(StringRef name) const {
  if (exact.contains(CachedHashStringRef(name)))
    return true;
  for (size_t length : prefixLengths) {
    if (length > name.size())
      break;
    auto it = globsByPrefix.find(CachedHashStringRef(name.take_front(length)));
    if (it == globsByPrefix.end())
      continue;
    StringRef tail = name.drop_front(length);
    if (any_of(it->second,
               [&](StringRef rest) { return matchesRest(rest, tail); }))
      return true;
  }
  return false;
}
