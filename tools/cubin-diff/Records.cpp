//===- Records.cpp - Records that can be compared -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns the facts of a section (a symbol table, relocations, attributes and so
/// on) into records that cubin-diff can compare. Meaning.cpp calls
/// readRecords() for both files when the bytes of such a section differ.
/// Positions are left out, and so are the texts of notes in which a linker
/// names itself. The order of relocations at one offset matters; the order of
/// the names in EIATTR_EXTERNS doesn't.
///
//===----------------------------------------------------------------------===//

#include "Records.h"
#include "Relayout.h"
#include "StableNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <unordered_map>

using namespace llvm;

namespace lld::cuda {

const RecordReader *comparedReader(const Side &side, unsigned section) {
  const RecordReader *reader = recordReaderFor(side.file, section);
  // The records of capmerc sections aren't known well enough to be compared.
  return reader && reader->group != RecordGroup::Capmerc ? reader : nullptr;
}

static std::string text(const Value &value) {
  std::string out;
  raw_string_ostream os(out);
  value.print(os);
  return out;
}

namespace {

class Reader {
public:
  Reader(const Side &side, unsigned section)
      : side(side), section(section),
        reader(*recordReaderFor(side.file, section)) {
    if (reader.group == RecordGroup::Notes)
      own = findOwnNotes(side.file);
  }

  std::vector<Record> run() {
    // Side::create() has read all records without an error.
    cantFail(reader.read(side.file, side.labels, section,
                         [&](Fact &&fact) { add(std::move(fact)); }));
    return std::move(records);
  }

private:
  void add(Fact &&fact);
  void normalize(Fact &fact);
  std::string identity(const Fact &fact);
  const Side &side;
  unsigned section;
  const RecordReader &reader;
  OwnNotes own;
  /// The keys come from the file. A DenseMap has no place for ~0.
  std::unordered_map<uint64_t, unsigned> relocationsAt;
  std::vector<Record> records;
};

void Reader::normalize(Fact &fact) {
  if (reader.group == RecordGroup::Symbols) {
    // The label is for references; a symbol itself is known by its name.
    const CubinSymbolTable &table = section == side.file.symtab().section
                                        ? side.file.symtab()
                                        : side.file.mercurySymtab();
    fact.subject = withoutHashes(table.name(table.symbols[records.size()]));
  }
  if (own.section == section && own.contains(records.size()))
    erase_if(fact.fields,
             [](const Field &f) { return f.value.kind == Value::Text; });
  erase_if(fact.fields, [](const Field &f) { return f.position; });
  for (Field &field : fact.fields)
    if (field.key == "functions")
      llvm::sort(field.value.names);
}

std::string Reader::identity(const Fact &fact) {
  const Value &first = fact.fields[0].value;
  switch (reader.group) {
  case RecordGroup::Symbols: {
    bool isSection = text(fact.fields[1].value) == "SECTION";
    return (isSection ? "section symbol '" : "symbol '") + fact.subject + "'";
  }
  case RecordGroup::Relocations: {
    uint64_t offset = fact.fields[1].value.number;
    unsigned nth = relocationsAt[offset]++;
    std::string s = "relocation at " + hexText(offset);
    return nth ? s + " (number " + utostr(nth + 1) + ")" : s;
  }
  case RecordGroup::Info: {
    std::string s = "record " + first.text;
    // The symbol, if it is about one.
    if (fact.fields.size() > 2 && fact.fields[1].value.kind == Value::Name)
      s += " of " + fact.fields[1].value.text;
    return s;
  }
  case RecordGroup::Compat:
    return "record " + first.text;
  case RecordGroup::CallGraph:
    return "call graph " + fact.fieldText();
  case RecordGroup::Prototypes:
    return "prototype of " + first.text;
  case RecordGroup::Notes:
    return "note " + first.text;
  case RecordGroup::Capmerc:
    break;
  }
  llvm_unreachable("capmerc sections are compared as bytes");
}

void Reader::add(Fact &&fact) {
  normalize(fact);
  Record record;
  record.identity = identity(fact);
  record.meaning = record.identity + ": " + fact.fieldText();
  record.fact = std::move(fact);
  records.push_back(std::move(record));
}

} // namespace

std::vector<Record> readRecords(const Side &side, unsigned section) {
  return Reader(side, section).run();
}

static bool haveSameKeys(const Fact &a, const Fact &b) {
  return a.fields.size() == b.fields.size() &&
         std::equal(
             a.fields.begin(), a.fields.end(), b.fields.begin(),
             [](const Field &x, const Field &y) { return x.key == y.key; });
}

std::string describeChange(const Record &a, const Record &b) {
  std::string out;
  raw_string_ostream os(out);
  if (!haveSameKeys(a.fact, b.fact)) {
    a.fact.printFields(os);
    os << " vs ";
    b.fact.printFields(os);
    return out;
  }
  ListSeparator separator;
  for (size_t i = 0; i != a.fact.fields.size(); ++i) {
    std::string x = text(a.fact.fields[i].value);
    std::string y = text(b.fact.fields[i].value);
    if (x != y)
      os << separator << a.fact.fields[i].key << ' ' << x << " vs " << y;
  }
  return out;
}

} // namespace lld::cuda
