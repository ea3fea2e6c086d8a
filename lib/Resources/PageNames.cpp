//===- PageNames.cpp - Names on a resource report's page ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// HtmlReport.cpp shows each symbol by a full name and a brief one. fill()
/// makes both: the full one is demangled, and the brief one loses its arguments
/// if it is long (shortenName()), and its start if that isn't enough.
/// callsFrom() makes the chain of calls that needs the most stack, such as "f
/// 32 B → g 16 B". The page asks for the chain of one function many times, so
/// it is made once and kept.
///
//===----------------------------------------------------------------------===//

#include "PageParts.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda::report {

/// What compilers make of names begins with '_', '$', '.' or '?'.
bool mayBeMangled(StringRef symbol) {
  return symbol.empty() || !isAlpha(symbol.front());
}

/// Without arguments, and at worst its end.
static std::string shorten(StringRef full) {
  constexpr size_t Longest = 80;
  std::string name = shortenName(full);
  if (name.size() > Longest)
    name = "…" + name.substr(name.size() - Longest + 1);
  return name;
}

void PageNames::fill(ShownName &name, StringRef symbol) {
  constexpr size_t Longest = 60;
  name.full = symbol;
  name.isPlain = !mayBeMangled(symbol);
  if (!name.isPlain) {
    const std::string demangled = demangleDeviceName(symbol);
    name.isPlain = symbol == demangled;
    if (!name.isPlain && !demangled.empty())
      name.full = saver.save(StringRef(demangled));
  }
  name.brief = name.full;
  if (name.full.size() > Longest)
    name.brief = saver.save(StringRef(shorten(name.full)));
}

StringRef PageNames::callsFrom(int32_t function) {
  constexpr size_t MaxShown = 15;
  if (function < 0 || size_t(function) >= calls.size())
    return "";
  StringRef &known = calls[function];
  if (!known.empty())
    return known;
  page::Text text;
  size_t shown = 0;
  for (uint32_t f : image.deepestCalls(function, MaxShown)) {
    text << " → ";
    text.putHtml(this->function(f).brief);
    text << ' ' << image.functions[f].frame << " B";
    ++shown;
  }
  if (shown == MaxShown)
    text << " …";
  return known = saver.save(StringRef(text.str()));
}

} // namespace lld::cuda::report
