//===- NamePatterns.cpp - Matching names with '*' -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Two ways to match names of kernels and variables with patterns in which '*'
/// is any text. NamePatterns has the lists that nvcc puts into host objects, of
/// what host code refers to: MarkReachable.cpp, LayoutUserConstants.cpp and
/// LazyMembers.cpp ask it what to keep [host-references], and
/// ResourceBudget.cpp uses it for the patterns of --budget.
/// matchesKernelFilter() is for the few patterns of --kernels-used and
/// --variables-used, in the merge, link-time optimization and the layout of
/// constants [kernels-used].
///
/// A list in a host object may have a pattern for each kernel, and trying all
/// of them on all kernels would take quadratic time. So patterns are found by
/// the text before their first '*', with one look-up in a hash table for each
/// length of it: _Z5scalePf is looked up as _Z5scale, if some pattern has eight
/// letters there.
///
//===----------------------------------------------------------------------===//

#include "Input/NamePatterns.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <optional>

using namespace llvm;

namespace lld::cuda {

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

/// What follows the pattern's first match in `name`; nothing if there is none.
/// The match ends with the pattern's last piece.
static std::optional<StringRef> findPattern(StringRef pattern, StringRef name) {
  for (StringRef piece : split(pattern, '*')) {
    const size_t at = name.find(piece);
    if (at == StringRef::npos)
      return std::nullopt;
    name = name.drop_front(at + piece.size());
  }
  return name;
}

/// Whether `name`, of which the text before a pattern's first '*' is gone,
/// matches what follows that '*'.
static bool matchesRest(StringRef rest, StringRef name) {
  if (!rest.contains('*'))
    return name.ends_with(rest);
  auto [middle, last] = rest.rsplit('*');
  std::optional<StringRef> tail = findPattern(middle, name);
  return tail && tail->ends_with(last);
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

bool matchesKernelFilter(StringRef name, ArrayRef<std::string> patterns) {
  return any_of(patterns, [&](StringRef pattern) {
    return findPattern(pattern, name).has_value();
  });
}

} // namespace lld::cuda
