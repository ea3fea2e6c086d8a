//===- Names.cpp - Names of templates without arguments -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tables.cpp calls getTemplateFamily() for each function when cubin-size makes
/// the table --by=template: `void ns::f<float>(float *)` and `void
/// ns::f<int>(int *)` become `ns::f`, so that one row sums up all instances.
/// FamilyName copies a demangled name and skips template arguments; at a blank
/// it forgets what it has, since that was the return type, and at the
/// parameters it ends. Operators are the hard part, for their names consist of
/// brackets: `operator<<int>` is operator< with an argument, and `operator<<(`
/// is operator<<.
///
//===----------------------------------------------------------------------===//

#include "Names.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {
namespace {

/// Copies a demangled name piece by piece.
class FamilyName {
public:
  explicit FamilyName(StringRef name) : rest(name) {}

  std::string take() {
    while (!rest.empty() && step())
      ;
    return std::move(text);
  }

private:
  /// Copies the next part of the name. Returns false at the parameters, where
  /// the name ends.
  bool step() {
    if (isOperator())
      copyOperator();
    else if (rest.front() == '<')
      skip('<', '>');
    else if (rest.starts_with("(anonymous namespace)"))
      copyUpTo(')');
    else if (rest.front() == '{')
      copyUpTo('}'); // {lambda(int)#1}
    else if (rest.front() == '(' && StringRef(text).ends_with("decltype"))
      skip('(', ')');
    else if (rest.front() == '(')
      return false;
    else if (rest.front() == ' ') {
      // The text so far is the type of the result.
      text.clear();
      rest = rest.drop_front();
    } else {
      text += rest.front();
      rest = rest.drop_front();
    }
    return true;
  }

  void copyUpTo(char last) {
    StringRef part = rest.take_until([=](char c) { return c == last; });
    part = rest.take_front(part.size() + 1);
    text += part;
    rest = rest.drop_front(part.size());
  }

  bool isOperator() const {
    return rest.starts_with("operator") &&
           (text.empty() || text.back() == ':') &&
           !isAlnum(rest.drop_front(8).empty() ? ' ' : rest[8]) &&
           !rest.drop_front(8).starts_with("_");
  }

  /// Its characters may be brackets.
  void copyOperator() {
    StringRef name = rest.take_front(8);
    rest = rest.drop_front(8);
    StringRef sign = rest.take_while([](char c) { return !isAlnum(c); });
    const size_t angles =
        sign.take_while([](char c) { return c == '<'; }).size();
    // `operator<<int>` is operator< of int, `operator<<(` is operator<<.
    const bool hasArguments = angles && !sign.substr(angles).starts_with("(") &&
                              !sign.substr(angles).starts_with("=");
    if (sign.starts_with("()"))
      sign = "()";
    else if (hasArguments)
      sign = sign.take_front(angles - 1);
    else
      sign = sign.take_until([](char c) { return c == '('; });
    text += name;
    text += sign;
    rest = rest.drop_front(sign.size());
  }

  void skip(char open, char close) {
    unsigned depth = 0;
    size_t i = 0;
    for (; i != rest.size(); ++i) {
      depth += rest[i] == open;
      if (rest[i] == close && rest[i ? i - 1 : 0] != '-' && !--depth)
        break;
    }
    rest = rest.drop_front(std::min(rest.size(), i + 1));
  }

  StringRef rest;
  std::string text;
};

} // namespace

std::string getTemplateFamily(StringRef demangled) {
  std::string family = FamilyName(demangled).take();
  return family.empty() ? demangled.str() : family;
}

} // namespace lld::cuda
