//===- Demangle.cpp - C++ names as nvlink prints them ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Demangles symbol names in nvlink's style and in LLVM's. demangleLikeNvlink()
/// prints what nvlink prints, for -dump-callgraph and messages about registers;
/// its parser's largest part is here (names, scopes, template arguments,
/// substitutions; Parser.h describes the whole). demangleDeviceName() is for
/// people: the linker's messages, resource reports and cubin-size call it for
/// each name that they show. It uses LLVM's demangler, except for names whose
/// text could grow to gigabytes: a mangled name refers back to parts of itself,
/// and 100 bytes are enough for that. Such a name is printed in nvlink's style,
/// whose parser has a limit [demangling].
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Demangle/Demangle.h"
#include "Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;
using namespace lld::cuda;

namespace {
struct Operator {
  StringLiteral code, text;
};
} // namespace

// The names of operators as nvlink prints them after "operator ".
static constexpr Operator operators[] = {
    {"nw", "new "},      {"na", "new[] "},   {"dl", "delete "},
    {"da", "delete[] "}, {"aw", "co_await"}, {"ps", "+"},
    {"ng", "-"},         {"ad", "&"},        {"de", "*"},
    {"co", "~"},         {"pl", "+"},        {"mi", "-"},
    {"ml", "*"},         {"dv", "/"},        {"rm", "%"},
    {"an", "&"},         {"or", "|"},        {"eo", "^"},
    {"aS", "="},         {"pL", "+="},       {"mI", "-="},
    {"mL", "*="},        {"dV", "/="},       {"rM", "%="},
    {"aN", "&="},        {"oR", "|="},       {"eO", "^="},
    {"ls", "<<"},        {"rs", ">>"},       {"lS", "<<="},
    {"rS", ">>="},       {"eq", "=="},       {"ne", "!="},
    {"lt", "<"},         {"gt", ">"},        {"le", "<="},
    {"ge", ">="},        {"ss", "<=>"},      {"nt", "!"},
    {"aa", "&&"},        {"oo", "||"},       {"pp", "++"},
    {"mm", "--"},        {"cm", ","},        {"pm", "->*"},
    {"pt", "->"},        {"cl", "()"},       {"ix", "[]"},
    {"qu", "?"},         {"ds", ".*"},
};

void DemangleParser::charge(size_t bytes) {
  charged += bytes;
  if (charged > MaxText)
    fail();
}

void DemangleParser::remember(Type type) {
  charge(type.left.size() + type.right.size());
  substitutions.push_back(std::move(type));
}

unsigned DemangleParser::parseNumber() {
  unsigned n = 0;
  StringRef digits = rest.take_while(isDigit);
  if (digits.size() > 9 || (!digits.empty() && digits.getAsInteger(10, n)))
    fail();
  rest = rest.drop_front(std::min(rest.size(), digits.size()));
  return n;
}

unsigned DemangleParser::parseIndex(unsigned radix) {
  if (consume("_"))
    return 0;
  StringRef digits = rest.take_until([](char c) { return c == '_'; });
  unsigned n = 0;
  if (digits.size() > 6 || digits.getAsInteger(radix, n) ||
      !all_of(digits, [](char c) { return isDigit(c) || isUpper(c); })) {
    fail();
    return 0;
  }
  rest = rest.drop_front(digits.size());
  expect("_");
  return n + 1;
}

std::string DemangleParser::parseMangledName() {
  std::string text = parseEncoding(/*isTopLevel=*/true);
  if (!rest.empty())
    fail();
  return text;
}

std::string DemangleParser::parseEncoding(bool isTopLevel) {
  DepthGuard guard(*this);
  if (peek() == 'T' || peek() == 'G')
    return parseSpecialName();
  Name name = parseName();
  bool isData = isTopLevel ? rest.empty() : peek() == 'E';
  if (failed || isData)
    return name.text + name.suffix;

  std::string text;
  if (name.hasTemplateArgs && name.hasReturnType)
    text = parseTypeText() + " ";
  text += name.text + "(" + parseParameters(isTopLevel) + ")";
  if (isTopLevel && consume("$")) {
    // A number alone tells nothing; other suffixes are names of clones.
    StringRef clone = std::exchange(rest, {});
    if (isDigit(clone.empty() ? '0' : clone.front())) {
      if (clone.empty() || !all_of(clone, isDigit))
        return fail();
    } else {
      if (cloneDepth == MaxCloneDepth)
        return fail();
      text = "[clone " + text + "] " + demangle(clone, cloneDepth + 1);
    }
  }
  text += name.qualifiers + name.suffix;
  charge(text.size());
  return text;
}

std::string DemangleParser::parseCallOffset() {
  auto offset = [&] {
    std::string sign = consume("n") ? "-" : "";
    std::string text = sign + utostr(parseNumber());
    expect("_");
    return text;
  };
  if (consume("h"))
    return "(offset " + offset() + ") ";
  expect("v");
  std::string fixed = offset();
  return "(offset " + fixed + ", virtual offset " + offset() + ") ";
}

std::string DemangleParser::parseSpecialName() {
  std::string text;
  if (consume("TV"))
    text = "Virtual function table for " + parseTypeText();
  else if (consume("TT"))
    text = "Virtual table table for " + parseTypeText();
  else if (consume("TI"))
    text = "Typeinfo for " + parseTypeText();
  else if (consume("TS"))
    text = "Typeinfo name for " + parseTypeText();
  else if (consume("TA"))
    text = "template parameter object for " + parseTemplateArg();
  else if (consume("TH"))
    text = "Thread-local initialization routine for " + parseName().text;
  else if (consume("TW"))
    text = "Thread-local wrapper routine for " + parseName().text;
  else if (consume("GV"))
    text = "Initialization guard variable for " + parseName().text;
  else if (consume("Tc")) {
    text = "Covariant thunk for " + parseCallOffset();
    text += parseCallOffset();
    text += parseEncoding(/*isTopLevel=*/true);
  } else if (peek() == 'T' && (peek(1) == 'h' || peek(1) == 'v')) {
    consume("T");
    text = "Thunk for " + parseCallOffset();
    text += parseEncoding(/*isTopLevel=*/true);
  } else
    fail();
  return text;
}

std::string DemangleParser::parseParameters(bool isTopLevel) {
  auto done = [&] {
    return isTopLevel
               ? atEnd()
               : rest.empty() || peek() == 'E' ||
                     ((peek() == 'R' || peek() == 'O') && peek(1) == 'E');
  };
  auto isLast = [&](size_t i) {
    char c = peek(i);
    return c == 0 || c == 'E' || c == '$' ||
           ((c == 'R' || c == 'O') && peek(i + 1) == 'E');
  };
  if (peek() == 'v' && isLast(1)) {
    consume("v");
    return {};
  }
  std::string text;
  bool first = true;
  if (done())
    return fail();
  while (!failed && !done()) {
    text += (first ? "" : ", ") + parseTypeText();
    first = false;
    charge(text.size() / 16);
  }
  return text;
}

std::string DemangleParser::parseMemberQualifiers() {
  bool isRestrict = consume("r"), isVolatile = consume("V"),
       isConst = consume("K");
  std::string text;
  if (isConst)
    text += " const";
  if (isVolatile)
    text += " volatile";
  if (isRestrict)
    text += " restrict";
  return text;
}

DemangleParser::Name DemangleParser::parseName() {
  DepthGuard guard(*this);
  if (peek() == 'N')
    return parseNestedName();
  if (peek() == 'Z')
    return parseLocalName();
  Name name;
  if (peek() == 'S' && peek(1) != 't') {
    Type type;
    if (!parseSubstitution(type) || peek() != 'I') {
      fail();
      return name;
    }
    name.text = type.left;
    name.lastName = type.lastName;
    name.fromSubstitution = true;
  } else {
    bool inStd = consume("St");
    std::string text = parseUnqualifiedName(name);
    name.text = inStd ? "std::" + text : text;
    if (peek() == 'I')
      remember({name.text, "", false, false, false, name.lastName});
  }
  if (peek() == 'I') {
    name.text += parseTemplateArgs();
    name.hasTemplateArgs = true;
  }
  return name;
}

bool DemangleParser::parseConstructorOrDestructor(Name &name) {
  static constexpr struct {
    StringLiteral code, prefix, suffix;
  } kinds[] = {{"C1", "", ""},
               {"C2", "", " [subobject]"},
               {"C3", "", " [allocating]"},
               {"D0", "~", " [deleting]"},
               {"D1", "~", ""},
               {"D2", "~", " [subobject]"}};
  for (auto &kind : kinds) {
    if (!consume(kind.code))
      continue;
    if (name.text.empty())
      fail();
    name.text += ("::" + kind.prefix).str() + name.lastName;
    name.suffix = kind.suffix.str();
    name.hasReturnType = false;
    return true;
  }
  return false;
}

/// One more component of a nested name, or template arguments of the last one.
void DemangleParser::parseComponent(Name &name) {
  if (peek() == 'I') {
    if (name.text.empty() || name.hasTemplateArgs)
      return void(fail());
    name.text += parseTemplateArgs();
    name.hasTemplateArgs = true;
    return;
  }
  name.hasTemplateArgs = false;
  name.suffix.clear();
  name.hasReturnType = true;
  if (parseConstructorOrDestructor(name))
    return;
  std::string text;
  if (peek() == 'T')
    text = parseTemplateParam();
  else if (peek() == 'D' && (peek(1) == 't' || peek(1) == 'T'))
    text = parseDecltype();
  else
    text = parseUnqualifiedName(name);
  if (!name.text.empty() && !text.empty())
    name.text += "::";
  name.text += text;
}

DemangleParser::Name DemangleParser::parseNestedName() {
  Name name;
  expect("N");
  std::string qualifiers = parseMemberQualifiers();
  if (consume("R"))
    qualifiers += " &";
  else if (consume("O"))
    qualifiers += " &&";

  if (consume("St")) {
    name.text = "std";
  } else if (peek() == 'S') {
    Type type;
    if (!parseSubstitution(type))
      fail();
    name.text = type.left + type.right;
    name.lastName = type.lastName;
  }
  unsigned components = 0;
  while (!failed && peek() != 'E') {
    if (rest.empty())
      fail();
    parseComponent(name);
    ++components;
    consume("M"); // A data member whose initializer holds the closure.
    // The whole is remembered by those who take it as a type.
    if (peek() != 'E')
      remember({name.text, "", false, false, false, name.lastName});
  }
  if (!components)
    fail();
  expect("E");
  name.qualifiers = qualifiers;
  return name;
}

std::string DemangleParser::parseDiscriminator() {
  if (peek() != '_')
    return {};
  unsigned n;
  if (consume("__")) {
    n = parseNumber();
    expect("_");
  } else {
    consume("_");
    if (!isDigit(peek()))
      return fail();
    n = peek() - '0';
    rest = rest.drop_front();
  }
  return " (instance " + utostr(n + 2) + ")";
}

DemangleParser::Name DemangleParser::parseLocalName() {
  expect("Z");
  std::string scope = parseEncoding(/*isTopLevel=*/false) + "::";
  expect("E");
  Name name;
  if (consume("s")) {
    name.text = scope + "string" + parseDiscriminator();
    return name;
  }
  if (consume("d")) {
    unsigned n = parseIndex();
    scope += "[default argument " + utostr(n + 1) + " (from end)]::";
  }
  name = parseName();
  name.text = scope + name.text;
  name.text += parseDiscriminator();
  return name;
}

std::string DemangleParser::parseSourceName() {
  if (!isDigit(peek()))
    return fail();
  unsigned length = parseNumber();
  if (failed || !length || length > rest.size())
    return fail();
  StringRef name = rest.take_front(length);
  rest = rest.drop_front(length);
  if (name.starts_with("_GLOBAL__N_"))
    return "<unnamed>";
  // What nvcc wraps around the internal names of a file.
  if (name.starts_with("_INTERNAL"))
    return {};
  return name.str();
}

std::string DemangleParser::parseOperatorName(Name *name) {
  if (consume("li"))
    return "operator \"\"" + parseSourceName();
  if (consume("cv")) {
    if (name)
      name->hasReturnType = false;
    // Arguments after T1 are the operator's, not those of a template T1.
    bool outer = std::exchange(inConversion, true);
    std::string text = "operator " + parseTypeText();
    inConversion = outer;
    return text;
  }
  for (const Operator &o : operators)
    if (consume(o.code))
      return ("operator " + o.text).str();
  return fail();
}

std::string DemangleParser::parseClosureName() {
  std::string text;
  if (consume("Ut")) {
    text = "[unnamed type";
  } else {
    expect("Ul");
    text = "[lambda(" + parseParameters(/*isTopLevel=*/false) + ")";
    expect("E");
  }
  return text + " (instance " + utostr(parseIndex() + 1) + ")]";
}

std::string DemangleParser::parseUnqualifiedName(Name &name) {
  std::string text;
  if (isDigit(peek()))
    text = parseSourceName();
  else if (peek() == 'U')
    text = parseClosureName();
  else
    text = parseOperatorName(&name);
  if (peek() == 'B') {
    std::string tags;
    while (consume("B"))
      tags += (tags.empty() ? "" : ",") + parseSourceName();
    text += "[abi:" + tags + "]";
  }
  name.lastName = text;
  return text;
}

std::string DemangleParser::parseTemplateParam() {
  expect("T");
  if (peek() != '_' && !isDigit(peek()))
    return fail();
  return "T" + utostr(parseIndex() + 1);
}

std::string DemangleParser::parseTemplateArg() {
  DepthGuard guard(*this);
  if (peek() == 'L')
    return parseLiteral();
  if (consume("X")) {
    std::string text = parseExpression();
    expect("E");
    return text;
  }
  if (consume("J")) {
    std::string text;
    for (bool first = true; !failed && peek() != 'E'; first = false)
      text += (first ? "" : ", ") + parseTemplateArg();
    expect("E");
    return text;
  }
  return parseTypeText();
}

std::string DemangleParser::parseTemplateArgs() {
  DepthGuard guard(*this);
  expect("I");
  std::string text = "<";
  for (bool first = true; !failed && peek() != 'E'; first = false)
    text += (first ? "" : ", ") + parseTemplateArg();
  expect("E");
  charge(text.size());
  return text + ">";
}

/// Reads a substitution, but not "St", which is only a scope.
bool DemangleParser::parseSubstitution(Type &type) {
  static constexpr struct {
    StringLiteral code, text, lastName;
  } abbreviations[] = {
      {"Sa", "std::allocator", "allocator"},
      {"Sb", "std::basic_string", "basic_string"},
      {"Ss",
       "std::basic_string<char, std::char_traits<char>, std::allocator<char>>",
       "basic_string"},
      {"Si", "std::basic_istream<char, std::char_traits<char>>",
       "basic_istream"},
      {"So", "std::basic_ostream<char, std::char_traits<char>>",
       "basic_ostream"},
      {"Sd", "std::basic_iostream<char, std::char_traits<char>>",
       "basic_iostream"}};
  for (auto &a : abbreviations) {
    if (!consume(a.code))
      continue;
    type = {a.text.str(), "", false, false, false, a.lastName.str()};
    return true;
  }
  if (!consume("S") || (peek() != '_' && !isDigit(peek()) && !isUpper(peek())))
    return false;
  unsigned i = parseIndex(36);
  if (failed || i >= substitutions.size())
    return false;
  type = substitutions[i];
  charge(type.left.size() + type.right.size());
  return true;
}

/// Static functions that were made external are their file, then their name.
static StringRef withoutFile(StringRef name) {
  StringRef rest = name;
  size_t length;
  if (!rest.consume_front("__nv_static_") || rest.consumeInteger(10, length) ||
      !rest.consume_front("_") || length >= rest.size() || rest[length] != '_')
    return name;
  return rest.drop_front(length + 1);
}

std::string DemangleParser::demangle(StringRef name, unsigned cloneDepth) {
  StringRef mangled = withoutFile(name);
  mangled.consume_front("$");
  if (!mangled.consume_front("_Z"))
    return name.str();
  DemangleParser parser(mangled, cloneDepth);
  std::string text = parser.parseMangledName();
  return parser.hasFailed() ? name.str() : text;
}

std::string lld::cuda::demangleLikeNvlink(StringRef name) {
  return DemangleParser::demangle(name, /*cloneDepth=*/0);
}

/// Variables of a function's scope are "$__name__number".
static StringRef withoutScope(StringRef name) {
  if (!name.starts_with("$__"))
    return name;
  size_t end = name.rfind("__");
  return end > 3 ? name.slice(3, end) : name;
}

/// References to earlier parts of a name can double its text each, and nested
/// expansions of packs multiply it: 100 bytes can stand for gigabytes. The
/// bounds keep it below some megabytes.
bool lld::cuda::isSafeToDemangle(StringRef name) {
  unsigned references = 0, packs = 0;
  for (size_t i = 0; i + 1 < name.size(); ++i) {
    const char next = name[i + 1];
    if (name[i] == 'S')
      references += isDigit(next) || isUpper(next) || next == '_';
    else if (name[i] == 'T')
      references += isDigit(next) || next == 'L' || next == '_';
    else if (name[i] == 'D')
      packs += next == 'p';
  }
  switch (packs) {
  case 0:
    return references <= 32;
  case 1:
    return references <= 12 && name.size() <= 4096;
  case 2:
    return references <= 12 && name.size() <= 512;
  default:
    return false;
  }
}

/// Does what llvm::demangle() does, except for names of Microsoft's compiler:
/// they begin with '?', which no name in PTX can have, and their reader would
/// be a part of each program.
static std::string demangleLikeLlvm(StringRef name) {
  std::string text;
  if (nonMicrosoftDemangle(name, text) ||
      (name.starts_with("_") && nonMicrosoftDemangle(name.drop_front(), text,
                                                     /*CanHaveLeadingDot=*/
                                                     false)))
    return text;
  return name.str();
}

std::string lld::cuda::demangleDeviceName(StringRef name) {
  name = withoutFile(withoutScope(name));
  // Ours is bounded, but drops the arguments of repeated templates.
  return isSafeToDemangle(name) ? demangleLikeLlvm(name)
                                : demangleLikeNvlink(name);
}
