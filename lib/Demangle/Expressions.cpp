//===- Expressions.cpp - Expressions in mangled names ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of nvlink's demangler (Parser.h) that reads expressions, which
/// occur in template arguments, array bounds and decltype. Demangle.cpp and
/// Types.cpp call it when a C++ name that has one is printed in nvlink's style,
/// by -dump-callgraph for example. nvlink's text has no parentheses for
/// precedence, but always some around member accesses; this was found by
/// comparing its output for many names [demangling].
///
//===----------------------------------------------------------------------===//

#include "Parser.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda;

namespace {
struct Token {
  StringLiteral code, text;
};
} // namespace

static constexpr Token binaryTokens[] = {
    {"pl", "+"},   {"mi", "-"},   {"ml", "*"},   {"dv", "/"},  {"rm", "%"},
    {"an", "&"},   {"or", "|"},   {"eo", "^"},   {"aS", "="},  {"pL", "+="},
    {"mI", "-="},  {"mL", "*="},  {"dV", "/="},  {"rM", "%="}, {"aN", "&="},
    {"oR", "|="},  {"eO", "^="},  {"ls", "<<"},  {"rs", ">>"}, {"lS", "<<="},
    {"rS", ">>="}, {"eq", "=="},  {"ne", "!="},  {"lt", "<"},  {"gt", ">"},
    {"le", "<="},  {"ge", ">="},  {"ss", "<=>"}, {"aa", "&&"}, {"oo", "||"},
    {"cm", ","},   {"pm", "->*"}, {"ds", ".*"}};

static constexpr Token unaryTokens[] = {
    {"nt", "!"},  {"ng", "-"},      {"ps", "+"},       {"ad", "&"},
    {"de", "*"},  {"co", "~"},      {"pp_", "++"},     {"mm_", "--"},
    {"gs", "::"}, {"tw", "throw "}, {"dl", "delete "}, {"da", "delete[] "}};

/// Operators with the operand in parentheses; `isType` when it is a type.
static constexpr struct {
  StringLiteral code, text;
  bool isType;
} functionTokens[] = {{"st", "sizeof", true},    {"sz", "sizeof", false},
                      {"at", "alignof", true},   {"az", "alignof", false},
                      {"ti", "typeid", true},    {"te", "typeid", false},
                      {"nx", "noexcept", false}, {"sZ", "sizeof...", false}};

static StringRef textOf(ArrayRef<Token> tokens, StringRef code) {
  for (const Token &t : tokens)
    if (code == t.code)
      return t.text;
  return {};
}

std::string DemangleParser::parseExpressions(char end) {
  std::string text;
  for (bool first = true; !failed && peek() != end; first = false)
    text += (first ? "" : ", ") + parseExpression();
  rest = rest.drop_front(!rest.empty());
  return text;
}

std::string DemangleParser::parseExpression() {
  DepthGuard guard(*this);
  if (failed)
    return {};
  charge(1);
  if (peek() == 'L')
    return parseLiteral();
  if (peek() == 'T') {
    Type type{parseTemplateParam(), "", true, false, false, ""};
    remember(type);
    return type.left;
  }
  if (peek() == 'f' && (peek(1) == 'p' || (peek(1) == 'L' && isDigit(peek(2)))))
    return parseFunctionParam();
  if (isDigit(peek()))
    return parseBaseUnresolvedName();

  for (const Token &t : unaryTokens)
    if (consume(t.code))
      return t.text.str() + parseExpression();
  for (auto &t : functionTokens) {
    if (!consume(t.code))
      continue;
    std::string operand = t.isType ? parseTypeText() : parseExpression();
    return t.text.str() + "(" + operand + ")";
  }
  StringRef code = rest.take_front(2);
  rest = rest.drop_front(code.size());
  if (StringRef token = textOf(binaryTokens, code); !token.empty()) {
    std::string left = parseExpression();
    return left + token.str() + parseExpression();
  }
  return parseOtherExpression(code);
}

std::string DemangleParser::parseOtherExpression(StringRef code) {
  if (code == "pp" || code == "mm")
    return parseExpression() + (code == "pp" ? "++" : "--");
  if (code == "cl") {
    std::string callee = parseExpression();
    return callee + "(" + parseExpressions() + ")";
  }
  if (code == "dt" || code == "pt") {
    std::string object = parseExpression();
    return "(" + object + (code == "dt" ? "." : "->") +
           parseBaseUnresolvedName() + ")";
  }
  if (code == "ix") {
    std::string array = parseExpression();
    return array + "[" + parseExpression() + "]";
  }
  if (code == "qu") {
    std::string condition = parseExpression(), yes = parseExpression();
    return condition + "?" + yes + ":" + parseExpression();
  }
  if (code == "cv")
    return parseConversion();
  if (code == "sc")
    return parseCast("static_cast");
  if (code == "dc")
    return parseCast("dynamic_cast");
  if (code == "cc")
    return parseCast("const_cast");
  if (code == "rc")
    return parseCast("reinterpret_cast");
  if (code == "tl") {
    std::string type = parseTypeText();
    return type + "{" + parseExpressions() + "}";
  }
  if (code == "il") {
    const std::string list = parseExpressions();
    return "{" + list + "}";
  }
  if (code == "nw" || code == "na")
    return parseNew(code == "na");
  if (code == "sp")
    return parseExpression() + "...";
  if (code == "tr")
    return "throw";
  if (code == "sr")
    return parseUnresolvedName();
  if (code == "fl" || code == "fr" || code == "fL" || code == "fR")
    return parseFold(code[1]);
  if (code == "on" || code == "dn") {
    rest = StringRef(rest.data() - 2, rest.size() + 2);
    return parseBaseUnresolvedName();
  }
  return fail();
}

/// "fp" is the innermost function's; "fL0p" one of the function around it.
std::string DemangleParser::parseFunctionParam() {
  std::string scope;
  if (consume("fL")) {
    unsigned levels = parseNumber() + 1;
    scope = "[up " + utostr(levels) + (levels == 1 ? " level]" : " levels]");
    expect("p");
  } else {
    expect("fp");
  }
  if (consume("T"))
    return "this";
  std::string qualifiers;
  if (consume("r"))
    qualifiers = "restrict ";
  if (consume("V"))
    qualifiers = "volatile " + qualifiers;
  if (consume("K"))
    qualifiers = "const " + qualifiers;
  if (peek() != '_' && !isDigit(peek()))
    return fail();
  return qualifiers + "param#" + utostr(parseIndex() + 1) + scope;
}

std::string DemangleParser::parseConversion() {
  std::string type = parseTypeText();
  if (consume("_"))
    return type + "(" + parseExpressions() + ")";
  return "(" + type + ")" + parseExpression();
}

std::string DemangleParser::parseCast(const char *keyword) {
  std::string type = parseTypeText();
  return std::string(keyword) + "<" + type + ">(" + parseExpression() + ")";
}

std::string DemangleParser::parseNew(bool isArray) {
  std::string text = isArray ? "new[] " : "new ";
  if (std::string placement = parseExpressions('_'); !placement.empty())
    text += "(" + placement + ") ";
  text += parseTypeText();
  if (consume("pi"))
    return text + "(" + parseExpressions() + ")";
  expect("E");
  return text;
}

std::string DemangleParser::parseFold(char kind) {
  StringRef code = rest.take_front(2);
  StringRef token = textOf(binaryTokens, code);
  if (token.empty())
    return fail();
  rest = rest.drop_front(2);
  std::string first = parseExpression();
  if (kind == 'l')
    return "(..." + token.str() + first + ")";
  if (kind == 'r')
    return "(" + first + token.str() + "...)";
  return "(" + first + token.str() + "..." + token.str() + parseExpression() +
         ")";
}

/// After "sr": a type or a list of scopes, then a name in it.
std::string DemangleParser::parseUnresolvedName() {
  std::string text;
  if (isDigit(peek())) {
    while (!failed && peek() != 'E')
      text += parseBaseUnresolvedName() + "::";
    expect("E");
  } else {
    text = parseTypeText() + "::";
  }
  return text + parseBaseUnresolvedName();
}

std::string DemangleParser::parseBaseUnresolvedName() {
  std::string text;
  if (consume("on"))
    text = parseOperatorName(nullptr);
  else if (consume("dn"))
    return "~" +
           (isDigit(peek()) ? parseBaseUnresolvedName() : parseTypeText());
  else
    text = parseSourceName();
  if (peek() == 'I')
    text += parseTemplateArgs();
  return text;
}

std::string DemangleParser::parseLiteral() {
  expect("L");
  if (consume("_Z")) {
    // Its address: the name alone.
    Name name = parseName();
    if (peek() != 'E') {
      if (name.hasTemplateArgs && name.hasReturnType)
        parseType();
      parseParameters(/*isTopLevel=*/false);
    }
    expect("E");
    return name.text;
  }
  if (peek() == 'Z' || failed)
    return fail();
  if (consume("DnE"))
    return "nullptr";
  bool isFloat = peek() == 'f', isDouble = peek() == 'd',
       isArray = peek() == 'A';
  std::string type = parseTypeText();
  if (isArray) {
    expect("E");
    return "(" + type + ")\"...\"";
  }
  StringRef value = rest.take_until([](char c) { return c == 'E'; });
  rest = rest.drop_front(value.size());
  expect("E");
  std::string text;
  if (isFloat || isDouble) {
    uint64_t bits;
    if (value.size() != (isFloat ? 8 : 16) || value.getAsInteger(16, bits))
      return fail();
    double number = isFloat ? double(bit_cast<float>(uint32_t(bits)))
                            : bit_cast<double>(bits);
    char buffer[40];
    snprintf(buffer, sizeof(buffer), "%g", number);
    text = buffer;
    if (StringRef(text).find_first_not_of("-0123456789") == StringRef::npos)
      text += ".0";
  } else {
    if (value.consume_front("n"))
      text = "-";
    if (value.empty() || !all_of(value, isDigit))
      return fail();
    text += value;
  }
  return "(" + type + ")" + text;
}
