//===- Types.cpp - Types in mangled names ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of nvlink's demangler (Parser.h) that reads types and declarators.
/// Demangle.cpp and Expressions.cpp call it for each type in a C++ name that is
/// printed in nvlink's style, by -dump-callgraph for example. A blank before
/// '*' or '&' depends on how the name was mangled, as in nvlink's text: a type
/// that is spelled out has the blank (`ns::S *`); one that repeats an earlier
/// part of the name with template arguments of its own has none
/// (`std::allocator<int>&`) [demangling].
///
//===----------------------------------------------------------------------===//

#include "Parser.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lld::cuda;

std::string DemangleParser::print(const Type &type) {
  return type.left + (type.blank && !type.right.empty() ? " " : "") +
         type.right;
}

void DemangleParser::addDeclarator(Type &type, StringRef token) {
  if (type.blank)
    type.left += ' ';
  if (type.needsParentheses) {
    type.left += '(';
    type.right = ")" + type.right;
  }
  type.left += token;
  type.blank = type.needsParentheses = false;
  type.isPointer = true;
}

DemangleParser::Type DemangleParser::parseType() {
  DepthGuard guard(*this);
  switch (peek()) {
  case 'P':
    return parsePointerType("*");
  case 'R':
    return parsePointerType("&");
  case 'O':
    return parsePointerType("&&");
  case 'r':
  case 'V':
  case 'K':
    return parseQualifiedType();
  case 'F':
    return parseFunctionType("");
  case 'A':
    return parseArrayType();
  case 'M':
    return parseMemberPointerType();
  case 'D':
    return parseExtendedType();
  case 'S':
    if (peek(1) != 't')
      return parseTypeFromSubstitution();
    return parseClassType();
  case 'N':
  case 'Z':
    return parseClassType();
  case 'T': {
    Type type{parseTemplateParam(), "", true, false, false, ""};
    remember(type);
    if (peek() == 'I' && !inConversion) {
      type.left += parseTemplateArgs();
      remember(type);
    }
    return type;
  }
  case 'C': {
    consume("C");
    Type type = parseType();
    type.left = "_Complex " + type.left + " ";
    type.blank = false;
    type.isPointer = true;
    remember(type);
    return type;
  }
  case 'U': {
    consume("U");
    std::string qualifier = parseSourceName();
    if (peek() == 'I')
      qualifier += parseTemplateArgs();
    Type type = parseType();
    type.left += " " + qualifier;
    type.blank = false;
    remember(type);
    return type;
  }
  case 'u': {
    consume("u");
    Type type{parseSourceName(), "", true, false, false, ""};
    remember(type);
    return type;
  }
  default:
    if (isDigit(peek()))
      return parseClassType();
    return parseBuiltinType();
  }
}

DemangleParser::Type DemangleParser::parseBuiltinType() {
  static constexpr struct {
    char code;
    StringLiteral text;
  } types[] = {{'v', "void"},        {'w', "wchar_t"},
               {'b', "bool"},        {'c', "char"},
               {'a', "signed char"}, {'h', "unsigned char"},
               {'s', "short"},       {'t', "unsigned short"},
               {'i', "int"},         {'j', "unsigned int"},
               {'l', "long"},        {'m', "unsigned long"},
               {'x', "long long"},   {'y', "unsigned long long"},
               {'n', "__int128"},    {'o', "unsigned __int128"},
               {'f', "float"},       {'d', "double"},
               {'e', "long double"}, {'g', "__float128"},
               {'z', "..."}};
  for (auto &t : types)
    if (peek() == t.code) {
      rest = rest.drop_front();
      return {t.text.str(), "", true, false, false, ""};
    }
  fail();
  return {};
}

DemangleParser::Type DemangleParser::parseExtendedType() {
  static constexpr struct {
    StringLiteral code, text;
  } types[] = {{"Dn", "std::nullptr_t"}, {"Di", "char32_t"},
               {"Ds", "char16_t"},       {"Du", "char8_t"},
               {"Da", "auto"},           {"Dc", "decltype(auto)"},
               {"Dh", "__fp16"},         {"DF16_", "_Float16"},
               {"DF32_", "_Float32"},    {"DF64_", "_Float64"},
               {"DF128_", "_Float128"},  {"DF16b", "std::bfloat16_t"}};
  for (auto &t : types)
    if (consume(t.code))
      return {t.text.str(), "", true, false, false, ""};
  if (peek(1) == 't' || peek(1) == 'T') {
    Type type{parseDecltype(), "", true, false, false, ""};
    remember(type);
    return type;
  }
  if (consume("Dp")) {
    Type type{parseTypeText() + "...", "", false, false, false, ""};
    remember(type);
    return type;
  }
  if (peek(1) == 'v')
    return parseVectorType();
  if (consume("Do"))
    return parseFunctionType(" noexcept");
  fail();
  return {};
}

std::string DemangleParser::parseDecltype() {
  if (consume("Dt")) {
    std::string text = "decltype(" + parseExpression() + ")";
    expect("E");
    return text;
  }
  expect("DT");
  std::string text = "decltype((" + parseExpression() + "))";
  expect("E");
  return text;
}

DemangleParser::Type DemangleParser::parseQualifiedType() {
  StringRef before = rest;
  bool isRestrict = consume("r"), isVolatile = consume("V"),
       isConst = consume("K");
  if (peek() == 'F' || rest.starts_with("DoF")) {
    rest = before;
    std::string qualifiers = parseMemberQualifiers();
    if (consume("Do"))
      qualifiers += " noexcept";
    return parseFunctionType(qualifiers);
  }
  std::string text;
  if (isConst)
    text += "const ";
  if (isVolatile)
    text += "volatile ";
  if (isRestrict)
    text += "restrict ";
  Type type = parseType();
  if (type.isPointer) {
    type.left += text;
    type.blank = false;
  } else if (!type.needsParentheses) {
    // Arrays are as qualified as their elements.
    type.left = text + type.left;
  }
  remember(type);
  return type;
}

DemangleParser::Type DemangleParser::parsePointerType(const char *token) {
  rest = rest.drop_front();
  Type type = parseType();
  addDeclarator(type, token);
  remember(type);
  return type;
}

DemangleParser::Type DemangleParser::parseMemberPointerType() {
  consume("M");
  std::string scope = parseTypeText();
  Type type = parseType();
  addDeclarator(type, " :: " + scope + "::*");
  remember(type);
  return type;
}

DemangleParser::Type DemangleParser::parseFunctionType(StringRef qualifiers) {
  expect("F");
  consume("Y");
  Type type = parseType();
  std::string text = "(" + parseParameters(/*isTopLevel=*/false) + ")";
  text += qualifiers;
  if (consume("R"))
    text += " &";
  else if (consume("O"))
    text += " &&";
  expect("E");
  type.right = text + type.right;
  type.needsParentheses = true;
  type.isPointer = false;
  remember(type);
  return type;
}

DemangleParser::Type DemangleParser::parseArrayType() {
  consume("A");
  std::string bound;
  if (isDigit(peek()))
    bound = utostr(parseNumber());
  else if (peek() != '_')
    bound = parseExpression();
  expect("_");
  Type type = parseType();
  type.right = "[" + bound + "]" + type.right;
  type.needsParentheses = true;
  type.isPointer = false;
  remember(type);
  return type;
}

DemangleParser::Type DemangleParser::parseVectorType() {
  consume("Dv");
  if (!isDigit(peek())) {
    fail();
    return {};
  }
  std::string count = utostr(parseNumber());
  expect("_");
  std::string element = parseTypeText();
  Type type{element + " __attribute((vector_size(" + count + "*sizeof(" +
                element + ")))) ",
            "",
            true,
            false,
            false,
            ""};
  remember(type);
  return type;
}

DemangleParser::Type DemangleParser::parseTypeFromSubstitution() {
  Type type;
  if (!parseSubstitution(type)) {
    fail();
    return type;
  }
  if (peek() == 'I') {
    type.left += parseTemplateArgs();
    type.blank = false;
    remember(type);
  }
  return type;
}

DemangleParser::Type DemangleParser::parseClassType() {
  Name name = parseName();
  if (!name.qualifiers.empty() || !name.suffix.empty())
    fail();
  Type type{name.text, "", true, false, false, name.lastName};
  remember(type);
  return type;
}
