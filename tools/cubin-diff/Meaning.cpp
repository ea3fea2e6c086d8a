//===- Meaning.cpp - Compares the meaning of two cubins -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The last test of cubin-diff: Compare.cpp calls compareMeaning() for two
/// cubins whose bytes differ in more than notes and scheduling. Its result is
/// the verdict "equivalent", or "different" with the differences. Two files
/// mean the same if they agree in
///  - the ELF header's OS/ABI, ABI version, type, version, flags and entry;
///  - the set of sections with type, flags, address, alignment, entry size,
///    and what link and info refer to;
///  - the contents of sections: as a multiset of records, if they have any that
///    can be read, else as bytes;
///  - program headers: type, rights, sizes, alignment, mapped sections.
/// String tables and file offsets do not count; orders of tables neither, nor
/// the scheduling of kernels that nvlink schedules again, but they are
/// remarked.
///
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "Records.h"
#include "Schedule.h"
#include "Segments.h"
#include "Side.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace lld::cuda {
namespace {

/// Elements with the number of times they occur.
class Multiset {
public:
  template <class Range, class Key> Multiset(const Range &range, Key key) {
    for (const auto &element : range)
      ++count[key(element)];
  }
  /// Removes one; false if there is none left.
  bool take(StringRef key) {
    auto it = count.find(key);
    if (it == count.end() || !it->second)
      return false;
    --it->second;
    return true;
  }

private:
  StringMap<unsigned> count;
};

bool isStringTable(StringRef name) {
  return name == ".strtab" || name == ".shstrtab";
}

std::string bytesText(ArrayRef<uint8_t> bytes) {
  return toHex(bytes, /*LowerCase=*/true);
}

class Comparison {
public:
  Comparison(const Side &a, const Side &b, const CompareOptions &options)
      : a(a), b(b), options(options), isTaken(b.sectionCount()) {}

  DiffReport run();

private:
  struct Pair {
    unsigned a, b;
  };

  void compareHeaders();
  void pairSections();
  void pairByContents(StringRef name, ArrayRef<unsigned> wanted,
                      ArrayRef<unsigned> found);
  void compareSection(Pair pair);
  void compareRecords(Pair pair, const RecordReader &reader);
  void compareBytes(Pair pair);
  void takeOutScheduling(Pair pair, std::vector<size_t> &rows);
  void compareSegments();
  void compareOrders();
  void compareRecordOrder(Pair pair);
  void compareStrings(Pair pair);
  void compareOffsets();
  void compareHashes();

  void differ(Topic topic, const Twine &where, const Twine &text) {
    report.differences.push_back({topic, where.str(), text.str()});
  }
  void remark(const Twine &where, const Twine &text) {
    report.remarks.push_back({Topic::Order, where.str(), text.str()});
  }
  void onlyIn(const Side &side, unsigned section, StringRef which);
  /// The line that stands for those above the limit.
  bool reachedLimit(size_t shown, size_t total, Topic topic, const Twine &where,
                    StringRef noun);

  const Side &a, &b;
  const CompareOptions &options;
  std::vector<Pair> pairs;
  std::vector<bool> isTaken; ///< Sections of `b` that have a pair.
  DiffReport report;
};

//===----------------------------------------------------------------------===//
// Names for parts of a file
//===----------------------------------------------------------------------===//

std::string sectionWhere(const Side &side, unsigned i) {
  return "section " + side.sectionNames[i];
}

Topic topicOf(const Side &side, unsigned i) {
  const Elf_Shdr &s = side.section(i);
  StringRef name = side.file.sectionName(i);
  if (name.starts_with(".text"))
    return Topic::Code;
  if (name.contains(".debug") || name.contains("nv_debug"))
    return Topic::Debug;
  if (s.sh_type == elf::SHT_CUDA_CAPMERC)
    return Topic::Capmerc;
  if (name.starts_with(".nv.merc."))
    return Topic::Mercury;
  if (const RecordReader *reader = recordReaderFor(side.file, i)) {
    switch (reader->group) {
    case RecordGroup::Symbols:
      return Topic::Symbols;
    case RecordGroup::Relocations:
      return Topic::Relocations;
    case RecordGroup::Info:
      return Topic::Info;
    case RecordGroup::Compat:
    case RecordGroup::CallGraph:
    case RecordGroup::Prototypes:
      return Topic::Graph;
    case RecordGroup::Notes:
      return Topic::Notes;
    case RecordGroup::Capmerc:
      return Topic::Capmerc;
    }
  }
  return s.sh_flags & elf::SHF_ALLOC ? Topic::Data : Topic::Other;
}

std::string linkText(const Side &side, unsigned i) {
  uint32_t link = side.section(i).sh_link;
  return link ? side.sectionNames[link] : "none";
}

std::string infoText(const Side &side, unsigned i) {
  if (side.section(i).sh_type == elf::SHT_SYMTAB ||
      side.section(i).sh_type == elf::SHT_CUDA_MERC_SYMTAB)
    return "first global symbol";
  Fact fact;
  addSectionInfo(fact, side.file, side.labels, i);
  return fact.fieldText().substr(sizeof("info=") - 1);
}

/// The section that the first word of a capmerc section names.
std::string capmercText(const Side &side, unsigned i) {
  return side.labels
      .sections[support::endian::read32le(side.file.contents(i).data())];
}

/// What tells sections of one name apart.
std::string contentKey(const Side &side, unsigned i) {
  uint64_t hash = 0;
  if (comparedReader(side, i))
    for (const Record &record : readRecords(side, i))
      hash += xxh3_64bits(record.meaning); // In any order.
  else
    hash = xxh3_64bits(side.meaningfulBytes(i));
  return utostr(side.section(i).sh_type) + ":" +
         utostr(side.section(i).sh_size) + ":" + utohexstr(hash) + ":" +
         infoText(side, i);
}

//===----------------------------------------------------------------------===//
// Header and sections
//===----------------------------------------------------------------------===//

bool Comparison::reachedLimit(size_t shown, size_t total, Topic topic,
                              const Twine &where, StringRef noun) {
  if (!options.perSection || shown < options.perSection)
    return false;
  differ(topic, where, "... " + Twine(total - shown) + " more " + noun);
  return true;
}

void Comparison::compareHeaders() {
  const Elf_Ehdr &x = a.file.header(), &y = b.file.header();
  auto check = [&](StringRef field, uint64_t want, uint64_t have) {
    if (want != have)
      differ(Topic::Header, "ELF header",
             field + " " + hexText(want) + " vs " + hexText(have));
  };
  check("OS/ABI", x.e_ident[elf::EI_OSABI], y.e_ident[elf::EI_OSABI]);
  check("ABI version", x.e_ident[elf::EI_ABIVERSION],
        y.e_ident[elf::EI_ABIVERSION]);
  check("type", x.e_type, y.e_type);
  check("version", x.e_version, y.e_version);
  check("entry", x.e_entry, y.e_entry);
  check("flags", x.e_flags, y.e_flags);
}

void Comparison::onlyIn(const Side &side, unsigned section, StringRef which) {
  const Elf_Shdr &s = side.section(section);
  differ(Topic::SectionSet, sectionWhere(side, section),
         "only in the " + which + " file (" + sectionTypeName(s.sh_type) +
             ", " + hexText(s.sh_size) + " bytes)");
}

void Comparison::pairByContents(StringRef name, ArrayRef<unsigned> wanted,
                                ArrayRef<unsigned> found) {
  if (wanted.size() == 1 && found.size() == 1) {
    pairs.push_back({wanted[0], found[0]});
    return;
  }
  StringMap<SmallVector<unsigned, 1>> byContents;
  for (unsigned i : reverse(found))
    byContents[contentKey(b, i)].push_back(i);
  std::vector<unsigned> unmatched;
  for (unsigned i : wanted) {
    SmallVector<unsigned, 1> &twins = byContents[contentKey(a, i)];
    if (twins.empty()) {
      unmatched.push_back(i);
      continue;
    }
    pairs.push_back({i, twins.back()});
    isTaken[twins.pop_back_val()] = true;
  }
  auto rest = make_filter_range(found, [&](unsigned i) { return !isTaken[i]; });
  auto next = rest.begin();
  for (unsigned i : unmatched) {
    if (next == rest.end())
      onlyIn(a, i, "first");
    else
      pairs.push_back({i, *next++});
  }
  for (; next != rest.end(); ++next)
    onlyIn(b, *next, "second");
}

void Comparison::pairSections() {
  auto group = [](const Side &side) {
    StringMap<SmallVector<unsigned, 1>> byName;
    for (unsigned i = 1; i < side.sectionCount(); ++i)
      byName[side.sectionNames[i]].push_back(i);
    return byName;
  };
  auto mine = group(a), theirs = group(b);
  // In the order of the section headers, for messages that don't depend on
  // hashes.
  for (unsigned i = 1; i < a.sectionCount(); ++i) {
    StringRef name = a.sectionNames[i];
    if (mine[name].front() == i)
      pairByContents(name, mine[name], theirs[name]);
  }
  for (unsigned i = 1; i < b.sectionCount(); ++i)
    if (!mine.count(b.sectionNames[i]))
      onlyIn(b, i, "second");
  llvm::sort(pairs, [](Pair x, Pair y) { return x.a < y.a; });
}

void Comparison::compareSection(Pair pair) {
  const Elf_Shdr &x = a.section(pair.a), &y = b.section(pair.b);
  std::string where = sectionWhere(a, pair.a);
  auto check = [&](StringRef field, const std::string &want,
                   const std::string &have) {
    if (want != have)
      differ(Topic::SectionHeader, where, field + " " + want + " vs " + have);
  };
  check("type", sectionTypeName(x.sh_type), sectionTypeName(y.sh_type));
  check("flags", hexText(x.sh_flags), hexText(y.sh_flags));
  check("address", hexText(x.sh_addr), hexText(y.sh_addr));
  check("alignment", hexText(x.sh_addralign), hexText(y.sh_addralign));
  check("entry size", hexText(x.sh_entsize), hexText(y.sh_entsize));
  check("link", linkText(a, pair.a), linkText(b, pair.b));
  check("info", infoText(a, pair.a), infoText(b, pair.b));
  if (isStringTable(a.file.sectionName(pair.a)))
    return;
  const RecordReader *reader = comparedReader(a, pair.a);
  if (reader && x.sh_type == y.sh_type)
    return compareRecords(pair, *reader);
  check("size", hexText(x.sh_size), hexText(y.sh_size));
  if (x.sh_type == elf::SHT_CUDA_CAPMERC && y.sh_type == x.sh_type)
    check("code section", capmercText(a, pair.a), capmercText(b, pair.b));
  compareBytes(pair);
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

/// A line for each record that only one file has; records of one identity share
/// one.
std::vector<std::string> describeDifferences(ArrayRef<const Record *> missing,
                                             ArrayRef<const Record *> extra) {
  StringMap<SmallVector<const Record *, 1>> byIdentity;
  for (const Record *r : reverse(extra))
    byIdentity[r->identity].push_back(r);
  std::vector<std::string> lines;
  auto addOnly = [&](const Record &r, StringRef which) {
    std::string fields = r.fact.fieldText();
    // Some records are nothing but their identity.
    bool saysAll = StringRef(r.identity).ends_with(fields);
    lines.push_back(r.identity + ": only in the " + which.str() + " file" +
                    (saysAll ? "" : ": " + fields));
  };
  DenseSet<const Record *> shown;
  for (const Record *r : missing) {
    SmallVector<const Record *, 1> &partners = byIdentity[r->identity];
    if (partners.empty()) {
      addOnly(*r, "first");
      continue;
    }
    lines.push_back(r->identity + ": " + describeChange(*r, *partners.back()));
    shown.insert(partners.pop_back_val());
  }
  for (const Record *r : extra)
    if (!shown.contains(r))
      addOnly(*r, "second");
  return lines;
}

void Comparison::compareRecords(Pair pair, const RecordReader &reader) {
  auto meaning = [](const Record &r) -> StringRef { return r.meaning; };
  std::vector<Record> mine = readRecords(a, pair.a);
  std::vector<Record> theirs = readRecords(b, pair.b);
  Multiset inMine(mine, meaning), inTheirs(theirs, meaning);
  std::vector<const Record *> missing, extra;
  for (const Record &r : mine)
    if (!inTheirs.take(r.meaning))
      missing.push_back(&r);
  for (const Record &r : theirs)
    if (!inMine.take(r.meaning))
      extra.push_back(&r);

  std::vector<std::string> lines = describeDifferences(missing, extra);
  Topic topic = topicOf(a, pair.a);
  // "symbol 'f': ..." says it all.
  std::string where = pair.a == a.file.symtab().section
                          ? std::string()
                          : sectionWhere(a, pair.a);
  for (size_t i = 0; i != lines.size(); ++i) {
    if (reachedLimit(i, lines.size(), topic, sectionWhere(a, pair.a),
                     "differences"))
      return;
    differ(topic, where, lines[i]);
  }
}

constexpr size_t RowSize = 16; // An instruction, in code.

/// Rows that differ only in what nvlink chooses anew become one remark, so that
/// they don't hide others.
void Comparison::takeOutScheduling(Pair pair, std::vector<size_t> &rows) {
  ArrayRef<uint8_t> x = a.file.contents(pair.a), y = b.file.contents(pair.b);
  if (x.size() != y.size() || !mayBeScheduledAgain(a.file, pair.a))
    return;
  const size_t before = rows.size();
  erase_if(rows, [&](size_t i) {
    return differInSchedule(x.slice(i, RowSize), y.slice(i, RowSize));
  });
  if (size_t changed = before - rows.size())
    report.remarks.push_back({Topic::Scheduling, sectionWhere(a, pair.a),
                              scheduleText(changed, x.size() / RowSize)});
}

void Comparison::compareBytes(Pair pair) {
  ArrayRef<uint8_t> x = a.meaningfulBytes(pair.a);
  ArrayRef<uint8_t> y = b.meaningfulBytes(pair.b);
  if (x == y)
    return;
  auto row = [](ArrayRef<uint8_t> bytes, size_t i) {
    return bytes.slice(i).take_front(RowSize);
  };
  size_t common = std::min(x.size(), y.size());
  std::vector<size_t> bad;
  for (size_t i = 0; i < common; i += RowSize)
    if (row(x.take_front(common), i) != row(y.take_front(common), i))
      bad.push_back(i);
  takeOutScheduling(pair, bad);
  size_t offset = a.file.contents(pair.a).size() - x.size();
  Topic topic = topicOf(a, pair.a);
  std::string where = sectionWhere(a, pair.a);
  for (size_t i = 0; i != bad.size(); ++i) {
    if (reachedLimit(i, bad.size(), topic, where, "rows of 16 bytes differ"))
      return;
    differ(topic, where,
           "bytes at " + hexText(offset + bad[i]) + ": " +
               bytesText(row(x, bad[i])) + " vs " + bytesText(row(y, bad[i])));
  }
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

void Comparison::compareSegments() {
  std::vector<SegmentText> mine = segmentTexts(a), theirs = segmentTexts(b);
  Multiset rest(theirs,
                [](const SegmentText &s) -> StringRef { return s.key; });
  bool same =
      mine.size() == theirs.size() &&
      all_of(mine, [&](const SegmentText &s) { return rest.take(s.key); });
  if (same)
    return;
  if (mine.size() != theirs.size())
    differ(Topic::Segments, "program headers",
           Twine(mine.size()) + " vs " + Twine(theirs.size()));
  for (size_t i = 0; i != std::min(mine.size(), theirs.size()); ++i)
    if (mine[i].key != theirs[i].key)
      differ(Topic::Segments, "program header " + Twine(i),
             mine[i].text + " vs " + theirs[i].text);
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// An element of an ordered table.
struct Entry {
  StringRef key;  ///< Equal for entries that mean the same.
  StringRef name; ///< As shown, unless it is the same for both.
};

/// Where the order of two lists first differs, not counting elements that only
/// one of them has. Empty if it doesn't.
std::string firstOrderDifference(ArrayRef<Entry> mine, ArrayRef<Entry> theirs) {
  auto key = [](const Entry &e) { return e.key; };
  Multiset inMine(mine, key), inTheirs(theirs, key);
  std::vector<Entry> x, y;
  copy_if(mine, std::back_inserter(x),
          [&](const Entry &e) { return inTheirs.take(e.key); });
  copy_if(theirs, std::back_inserter(y),
          [&](const Entry &e) { return inMine.take(e.key); });
  for (size_t i = 0; i != x.size(); ++i) {
    if (x[i].key == y[i].key)
      continue;
    bool sameName = x[i].name == y[i].name;
    return ("order differs first at entry " + Twine(i) + ": " +
            (sameName ? x[i].key : x[i].name) + " vs " +
            (sameName ? y[i].key : y[i].name))
        .str();
  }
  return {};
}

void Comparison::compareRecordOrder(Pair pair) {
  auto entries = [](ArrayRef<Record> records) {
    std::vector<Entry> out;
    for (const Record &r : records)
      out.push_back({r.meaning, r.identity});
    return out;
  };
  std::vector<Record> mine = readRecords(a, pair.a);
  std::vector<Record> theirs = readRecords(b, pair.b);
  std::string text = firstOrderDifference(entries(mine), entries(theirs));
  if (!text.empty())
    remark(sectionWhere(a, pair.a), text);
}

void Comparison::compareStrings(Pair pair) {
  auto strings = [](ArrayRef<uint8_t> bytes) {
    SmallVector<StringRef, 0> list;
    toStringRef(bytes).split(list, '\0');
    std::vector<Entry> out;
    for (StringRef s : list)
      out.push_back({s, s});
    return out;
  };
  std::string text = firstOrderDifference(strings(a.file.contents(pair.a)),
                                          strings(b.file.contents(pair.b)));
  if (!text.empty())
    remark(sectionWhere(a, pair.a), text);
}

void Comparison::compareOffsets() {
  size_t moved = 0;
  Pair first{0, 0};
  for (Pair pair : pairs) {
    if (a.section(pair.a).sh_offset == b.section(pair.b).sh_offset)
      continue;
    if (!moved++)
      first = pair;
  }
  if (moved)
    remark("file offsets", Twine(moved) + " sections moved, the first is " +
                               a.file.sectionName(first.a) + ": " +
                               hexText(a.section(first.a).sh_offset) + " vs " +
                               hexText(b.section(first.b).sh_offset));
}

/// Sections that have a pair, although hashes in their names differ.
void Comparison::compareHashes() {
  auto rawName = [](const Side &side, unsigned i) {
    return side.file.sectionName(i);
  };
  auto isRenamed = [&](Pair pair) {
    return rawName(a, pair.a) != rawName(b, pair.b);
  };
  const size_t renamed = count_if(pairs, isRenamed);
  if (!renamed)
    return;
  const Pair first = *find_if(pairs, isRenamed);
  remark("names", Twine(renamed) + " sections with another hash, the first: " +
                      rawName(a, first.a) + " vs " + rawName(b, first.b));
}

void Comparison::compareOrders() {
  auto names = [](const Side &side) {
    std::vector<Entry> out;
    for (unsigned i = 1; i < side.sectionCount(); ++i)
      out.push_back({side.sectionNames[i], side.sectionNames[i]});
    return out;
  };
  std::string text = firstOrderDifference(names(a), names(b));
  if (!text.empty())
    remark("section headers", text);
  for (Pair pair : pairs) {
    const Elf_Shdr &x = a.section(pair.a), &y = b.section(pair.b);
    if (isStringTable(a.file.sectionName(pair.a)))
      compareStrings(pair);
    else if (comparedReader(a, pair.a) && x.sh_type == y.sh_type)
      compareRecordOrder(pair);
    if (isUnspecified(x) && a.file.contents(pair.a) != b.file.contents(pair.b))
      remark(sectionWhere(a, pair.a), "bytes without meaning differ");
  }
  compareOffsets();
  compareHashes();
}

DiffReport Comparison::run() {
  compareHeaders();
  pairSections();
  for (Pair pair : pairs)
    compareSection(pair);
  compareSegments();
  compareOrders();
  report.verdict =
      report.differences.empty() ? Verdict::Equivalent : Verdict::Different;
  llvm::stable_sort(report.differences,
                    [](const Difference &x, const Difference &y) {
                      return x.topic < y.topic;
                    });
  if (report.verdict == Verdict::Equivalent && report.remarks.empty())
    remark("layout",
           "only padding, unused strings or the linker's note differ");
  return std::move(report);
}

} // namespace

DiffReport compareMeaning(const Side &a, const Side &b,
                          const CompareOptions &options) {
  return Comparison(a, b, options).run();
}

} // namespace lld::cuda
