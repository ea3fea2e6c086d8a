//===- VersionScript.cpp - Reading version scripts ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// readVersionScript() reads a version script into a list of patterns, each
/// global or local. SymbolControl.cpp calls it when the options of a link are
/// read, before the inputs. Names of versions are only collected, since symbols
/// of device code have none; the caller warns of them. A single colon ends a
/// word, but two colons are part of it, so "global:" is read as a keyword and
/// ns::f as one name. The first mistake ends the reading, with its line and
/// column.
///
//===----------------------------------------------------------------------===//

#include "Input/VersionScript.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <optional>

using namespace llvm;

namespace lld::cuda {

namespace {

/// A word, a quoted name or one of the characters {};: .
struct VersionToken {
  StringRef text; ///< Empty at the end of the file.
  bool isQuoted = false;
  const char *place;

  bool is(StringRef punctuation) const {
    return !isQuoted && text == punctuation;
  }
  bool isEnd() const { return !isQuoted && text.empty(); }
  bool isName() const {
    return isQuoted || (!isEnd() && !StringRef("{};:").contains(text));
  }
};

class VersionScriptReader {
public:
  explicit VersionScriptReader(StringRef text) : text(text), rest(text) {}
  Expected<VersionScript> run();

private:
  Error next();
  Error skipBlanks();
  Error takeQuoted();
  Error expect(StringRef punctuation, const Twine &where);
  Error readVersion();
  Error readSection();
  Error readBody(const char *brace);
  Error readPatterns(bool isCxx);
  Error readExtern();
  bool isSectionName() const;
  Error error(const char *place, const Twine &what) const;
  std::string describe(const VersionToken &t) const;

  StringRef text, rest;
  VersionToken token{};
  bool isGlobal = true;
  VersionScript script;
};

} // namespace

Error VersionScriptReader::error(const char *place, const Twine &what) const {
  const StringRef before(text.data(), place - text.data());
  const size_t line = before.count('\n') + 1;
  const size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0.
  return createStringError(
      inconvertibleErrorCode(),
      Twine(line) + ":" + Twine(before.size() - lineStart + 1) + ": " + what);
}

std::string VersionScriptReader::describe(const VersionToken &t) const {
  return t.isEnd() ? "the end of the file" : "'" + t.text.str() + "'";
}

/// Blanks, /* */ and # to the end of the line.
Error VersionScriptReader::skipBlanks() {
  for (;;) {
    rest = rest.ltrim(" \t\r\n\v\f");
    if (rest.starts_with("#")) {
      rest = rest.drop_front(std::min(rest.find('\n'), rest.size()));
    } else if (rest.starts_with("/*")) {
      const size_t end = rest.find("*/", 2);
      if (end == StringRef::npos)
        return error(rest.data(), "the comment has no '*/'");
      rest = rest.drop_front(end + 2);
    } else {
      return Error::success();
    }
  }
}

Error VersionScriptReader::takeQuoted() {
  const size_t end = rest.find_first_of("\"\n", 1);
  if (end == StringRef::npos || rest[end] != '"')
    return error(rest.data(),
                 "the quoted name has no closing '\"' on its line");
  token = {rest.slice(1, end), true, rest.data()};
  rest = rest.drop_front(end + 1);
  if (token.text.empty())
    return error(token.place, "an empty name");
  return Error::success();
}

/// Takes the next token.
Error VersionScriptReader::next() {
  if (Error e = skipBlanks())
    return e;
  if (rest.starts_with("\""))
    return takeQuoted();
  // Names of C++ have colons in pairs; a single one ends a word.
  size_t size = 0;
  while (size < rest.size()) {
    if (rest.substr(size).starts_with("::")) {
      size += 2;
      continue;
    }
    const char c = rest[size];
    if (StringRef("{};:\"#").contains(c) || isSpace(c) ||
        rest.substr(size).starts_with("/*"))
      break;
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f')
      return error(rest.data() + size,
                   "a control character, 0x" + utohexstr(uint8_t(c),
                                                         /*LowerCase=*/true));
    ++size;
  }
  if (!size && !rest.empty())
    size = 1;
  token = {rest.take_front(size), false, rest.data()};
  rest = rest.drop_front(size);
  return Error::success();
}

Error VersionScriptReader::expect(StringRef punctuation, const Twine &where) {
  if (!token.is(punctuation))
    return error(token.place, "'" + punctuation + "' expected " + where +
                                  ", not " + describe(token));
  return next();
}

/// Whether a word is "global" or "local" in front of a colon.
bool VersionScriptReader::isSectionName() const {
  return (token.is("global") || token.is("local")) &&
         rest.ltrim().starts_with(":");
}

Error VersionScriptReader::readExtern() {
  if (Error e = next())
    return e;
  const bool isCxx = token.text == "C++";
  if (!token.isQuoted || !(isCxx || token.text == "C"))
    return error(token.place,
                 "extern takes \"C\" or \"C++\", not " + describe(token));
  if (Error e = next())
    return e;
  if (Error e = expect("{", "after the language"))
    return e;
  if (Error e = readPatterns(isCxx))
    return e;
  if (Error e = expect("}", "at the end of extern"))
    return e;
  // GNU ld wants the semicolon, lld doesn't.
  return token.is(";") ? next() : Error::success();
}

/// Names with a semicolon behind each, which the last one may lack.
Error VersionScriptReader::readPatterns(bool isCxx) {
  while (token.isName() && !isSectionName() && !token.is("extern")) {
    script.patterns.push_back(
        {token.text.str(), isGlobal, token.isQuoted, isCxx});
    if (Error e = next())
      return e;
    if (token.is("}"))
      return Error::success();
    if (Error e = expect(";", "after a name"))
      return e;
  }
  return Error::success();
}

/// "global:" or "local:".
Error VersionScriptReader::readSection() {
  isGlobal = token.is("global");
  if (Error e = next())
    return e;
  return expect(":", "after it");
}

Error VersionScriptReader::readBody(const char *brace) {
  isGlobal = true;
  while (!token.is("}")) {
    if (token.isEnd())
      return error(brace, "this '{' has no closing '}'");
    if (!token.isName())
      return error(token.place,
                   "a name or '}' expected, not " + describe(token));
    if (Error e = isSectionName()      ? readSection()
                  : token.is("extern") ? readExtern()
                                       : readPatterns(/*isCxx=*/false))
      return e;
  }
  return next();
}

/// NAME { ... } OLDER OLDER;
Error VersionScriptReader::readVersion() {
  if (token.isName()) {
    script.versions.push_back(token.text.str());
    if (Error e = next())
      return e;
  }
  const char *brace = token.place;
  if (Error e = expect("{", "at the beginning of a version"))
    return e;
  if (Error e = readBody(brace))
    return e;
  while (token.isName())
    if (Error e = next())
      return e;
  return expect(";", "after a '}'");
}

Expected<VersionScript> VersionScriptReader::run() {
  if (Error e = next())
    return e;
  if (token.isEnd())
    return error(token.place, "the file has no version");
  while (!token.isEnd())
    if (Error e = readVersion())
      return e;
  return script;
}

Expected<VersionScript> readVersionScript(StringRef text) {
  return VersionScriptReader(text).run();
}

} // namespace lld::cuda
