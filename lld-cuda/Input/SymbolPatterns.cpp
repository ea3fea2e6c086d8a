//===- SymbolPatterns.cpp - Patterns of symbols' names in options ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A SymbolPattern matches symbols with a pattern of --localize, --export or a
/// version script, in each form in which people write a name: _ZN2ns1fEi,
/// ns::f(int) and ns::f. SymbolScopes.cpp asks, before objects are merged, for
/// each symbol that inputs define; --require-kernels uses the forms alone. A
/// name is demangled when the first pattern needs that, and once. A pattern
/// without special characters is plain text, which SymbolControl finds by its
/// hash, so there may be thousands; other patterns are limited in length and
/// number of alternatives, since braces multiply: {a,b}{a,b} is four.
///
//===----------------------------------------------------------------------===//

#include "Input/SymbolPatterns.h"
#include "lld-cuda/Demangle/Demangle.h"

using namespace llvm;

namespace lld::cuda {

/// Where the parameters of a demangled function begin, or the end.
static size_t findParameters(StringRef name) {
  if (!name.ends_with(")"))
    return name.size();
  unsigned depth = 0;
  for (size_t i = name.size(); i-- != 0;) {
    if (name[i] == ')')
      ++depth;
    else if (name[i] == '(' && !--depth)
      return i;
  }
  return name.size();
}

/// Instances of templates have a return type in front, up to the last blank
/// outside of brackets.
static size_t findName(StringRef name) {
  unsigned depth = 0;
  size_t start = 0;
  for (size_t i = 0; i != name.size(); ++i) {
    const char c = name[i];
    if (c == '<' || c == '(')
      ++depth;
    else if ((c == '>' || c == ')') && depth)
      --depth;
    else if (c == ' ' && !depth && !name.substr(i + 1).starts_with("const"))
      start = i + 1;
    else if (!depth && name.substr(i).starts_with("operator"))
      break;
  }
  return start;
}

void SymbolForms::demangle() {
  longForm = symbol.starts_with("_Z") ? demangleDeviceName(symbol) : "";
  if (*longForm == symbol)
    longForm->clear();
  shortForm = StringRef(*longForm).take_front(findParameters(*longForm));
  shortForm = shortForm.drop_front(findName(shortForm));
}

StringRef SymbolForms::demangled() {
  if (!longForm)
    demangle();
  return longForm->empty() ? symbol : StringRef(*longForm);
}

StringRef SymbolForms::withoutParameters() {
  if (!longForm)
    demangle();
  return longForm->empty() ? symbol : shortForm;
}

Expected<SymbolPattern> SymbolPattern::create(StringRef text, bool isExact,
                                              NameForm form) {
  // Alternatives in braces are multiplied out.
  constexpr size_t MaxAlternatives = 64, MaxLength = 1 << 14;
  SymbolPattern pattern;
  pattern.written = text;
  pattern.form = form;
  if (text.empty())
    return createStringError("an empty name");
  if (isExact || text.find_first_of("?*[{\\") == StringRef::npos)
    return pattern;
  if (text.size() > MaxLength)
    return createStringError("a pattern of more than 16 KB");
  Expected<GlobPattern> glob = GlobPattern::create(text, MaxAlternatives);
  if (!glob)
    return glob.takeError();
  pattern.glob = std::make_unique<GlobPattern>(std::move(*glob));
  return pattern;
}

bool SymbolPattern::matches(SymbolForms &name) const {
  if (form != NameForm::Demangled && matchesText(name.mangled()))
    return true;
  if (form == NameForm::Mangled)
    return false;
  return matchesText(name.demangled()) || matchesText(name.withoutParameters());
}

} // namespace lld::cuda
