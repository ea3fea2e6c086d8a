//===- Shorten.cpp - Demangled names without their arguments --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// shortenName() keeps tables and pages of reports readable: it replaces what
/// stands between the outermost brackets of a demangled name with dots, so
/// `void f<int, float>(char*)` becomes `void f<...>(...)`. The tables of
/// --resources, the pages of resource reports and of cubin-size, and the
/// linker's notes about chains of calls print names by it. Names of up to 80
/// characters stay as they are, and so does a name that has "operator" in it,
/// because the brackets of operator<, operator>> and operator() don't come in
/// pairs that could be counted. The words "(anonymous namespace)" stay, too,
/// unless they are inside of other brackets.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Demangle/Demangle.h"
#include <array>

using namespace llvm;

/// Brackets of operators are no brackets.
static bool namesOperator(StringRef demangled) {
  for (size_t at = demangled.find('o'); at != StringRef::npos;
       at = demangled.find('o', at + 1))
    if (demangled.substr(at).starts_with("operator"))
      return true;
  return false;
}

static constexpr auto Brackets = [] {
  std::array<bool, 256> table{};
  for (char c : {'<', '>', '(', ')'})
    table[uint8_t(c)] = true;
  return table;
}();

std::string lld::cuda::shortenName(StringRef demangled) {
  constexpr size_t MaxLength = 80;
  if (demangled.size() <= MaxLength || namesOperator(demangled))
    return demangled.str();
  std::string out;
  unsigned depth = 0;
  size_t copied = 0; // Up to here, or left out.
  for (size_t i = 0; i != demangled.size(); ++i) {
    const char c = demangled[i];
    if (!Brackets[uint8_t(c)])
      continue;
    if (c == '<' || c == '(') {
      constexpr StringLiteral unnamed = "(anonymous namespace)";
      if (!depth && demangled.substr(i).starts_with(unnamed)) {
        i += unnamed.size() - 1;
        continue;
      }
      if (!depth++) {
        out += demangled.slice(copied, i + 1);
        out += "...";
      }
    } else {
      if (!depth)
        return demangled.str();
      if (!--depth)
        copied = i;
    }
  }
  if (depth)
    return demangled.str();
  out += demangled.drop_front(copied);
  return out;
}
