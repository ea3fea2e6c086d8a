//===- Fact.cpp - Makes and prints facts about a cubin --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Stores the fields of a fact (one table entry or record of a cubin, with
/// names instead of indices) and prints them as text. The readers of this
/// folder add fields when cubin-dump prints a cubin, cubin-diff compares two or
/// cubin-prune verifies its result. cubin-dump's TextSink.cpp prints a fact on
/// one line, and the other two tools compare the texts of facts. Names with
/// blanks, commas or control characters are quoted, because names come from
/// files and a line must remain one line.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Dump/Fact.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lld::cuda {

void printQuoted(raw_ostream &os, StringRef text) {
  os << '"';
  printEscapedString(text, os); // \XX for quotes, backslashes, unprintables
  os << '"';
}

void printWord(raw_ostream &os, StringRef word) {
  auto isUnusual = [](char c) {
    return !isPrint(c) || c == ' ' || c == '"' || c == '\\' || c == ',';
  };
  if (word.empty() || any_of(word, isUnusual))
    printQuoted(os, word);
  else
    os << word;
}

static void printHex(raw_ostream &os, uint64_t number) {
  os << "0x";
  os.write_hex(number);
}

void Value::print(raw_ostream &os) const {
  switch (kind) {
  case Name:
    return printWord(os, text);
  case Text:
    return printQuoted(os, text);
  case Hex:
    return printHex(os, number);
  case Decimal:
    os << number;
    return;
  case Signed:
    if (int64_t(number) < 0)
      os << '-';
    return printHex(os, int64_t(number) < 0 ? -number : number);
  case Names:
    if (names.empty())
      os << "none";
    interleave(names, os, [&](const std::string &n) { printWord(os, n); }, ",");
    return;
  case Hexes:
    if (numbers.empty())
      os << "none";
    interleave(numbers, os, [&](uint64_t n) { printHex(os, n); }, ",");
    return;
  }
}

static Field &add(Fact &fact, StringRef key, Value::Kind kind) {
  Field &field = fact.fields.emplace_back();
  field.key = key;
  field.value.kind = kind;
  return field;
}

Fact &Fact::name(StringRef key, StringRef word) {
  add(*this, key, Value::Name).value.text = word.str();
  return *this;
}

Fact &Fact::what(StringRef key, StringRef word) {
  name(key, word);
  fields.back().bare = true;
  return *this;
}

Fact &Fact::text(StringRef key, StringRef text) {
  add(*this, key, Value::Text).value.text = text.str();
  return *this;
}

Fact &Fact::hex(StringRef key, uint64_t number) {
  add(*this, key, Value::Hex).value.number = number;
  return *this;
}

Fact &Fact::decimal(StringRef key, uint64_t number) {
  add(*this, key, Value::Decimal).value.number = number;
  return *this;
}

Fact &Fact::signedHex(StringRef key, int64_t number) {
  add(*this, key, Value::Signed).value.number = number;
  return *this;
}

Fact &Fact::names(StringRef key, std::vector<std::string> words) {
  add(*this, key, Value::Names).value.names = std::move(words);
  return *this;
}

Fact &Fact::hexes(StringRef key, std::vector<uint64_t> numbers) {
  add(*this, key, Value::Hexes).value.numbers = std::move(numbers);
  return *this;
}

void Fact::printFields(raw_ostream &os) const {
  bool first = true;
  for (const Field &field : fields) {
    if (!first)
      os << ' ';
    first = false;
    if (!field.bare)
      os << field.key << '=';
    field.value.print(os);
  }
}

std::string Fact::fieldText() const {
  std::string text;
  raw_string_ostream os(text);
  printFields(os);
  return text;
}

} // namespace lld::cuda
