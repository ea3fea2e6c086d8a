//===- VerifyCubin.cpp - Checks that a pruned cubin is right --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compares a cubin that cubin-prune has written with the original.
/// PruneCubin.cpp calls verifyCubin() for each cubin that lost kernels or debug
/// information, before anybody else gets the result; a difference that the
/// removal doesn't explain is an error, and the file isn't pruned. The sections
/// that remain must be the same in header and contents. Records are compared as
/// facts, in which names stand for numbers; they are read by lib/Dump, as for
/// cubin-dump, and not by the code that wrote them.
///
//===----------------------------------------------------------------------===//

#include "VerifyCubin.h"
#include "CubinSections.h"
#include "lld-cuda/Dump/Facts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Endian.h"
#include <string>

using namespace llvm;

namespace lld::cuda {

/// Is in the label of each section and symbol that is removed.
static constexpr StringLiteral Gone = "<gone>";

namespace {

/// Makes labels that are the same in both files: "f#1" is the second of the
/// remaining sections or symbols that are named f.
class Labeller {
public:
  std::string label(StringRef name, bool isGone) {
    if (isGone)
      return Gone.str();
    return (name + "#" + Twine(counts[name]++)).str();
  }

private:
  StringMap<unsigned> counts;
};

struct ComparedCubin {
  const CubinFile &file;
  const CubinCut *cut; ///< Null: nothing goes.
  Labels labels;

  ComparedCubin(const CubinFile &file, const CubinCut *cut)
      : file(file), cut(cut) {
    Labeller sections, symbols, mercury;
    for (unsigned i = 0; i < file.sections().size(); ++i)
      labels.sections.push_back(
          sections.label(i ? file.sectionName(i) : StringRef("none"),
                         cut && cut->sections[i]));
    addSymbols(file.symtab(), symbols, labels.symbols);
    addSymbols(file.mercurySymtab(), mercury, labels.mercurySymbols);
  }

  std::vector<unsigned> keptSections() const {
    std::vector<unsigned> kept;
    for (unsigned i = 1; i < file.sections().size(); ++i)
      if (!cut || !cut->sections[i])
        kept.push_back(i);
    return kept;
  }

private:
  void addSymbols(const CubinSymbolTable &table, Labeller &labeller,
                  std::vector<std::string> &out) {
    for (size_t i = 0; i != table.symbols.size(); ++i)
      out.push_back(
          labeller.label(table.name(table.symbols[i]), cut && cut->symbols[i]));
  }
};

} // namespace

/// Returns the fact as text, without fields that depend on places; nothing if
/// it is about something that is removed.
static std::optional<std::string> describe(const Fact &fact) {
  if (StringRef(fact.subject).contains(Gone))
    return std::nullopt;
  std::string text = fact.subject;
  raw_string_ostream os(text);
  for (const Field &field : fact.fields) {
    if (field.position)
      continue;
    os << ' ' << field.key << '=';
    if (field.value.kind != Value::Names) {
      std::string value;
      raw_string_ostream valueOs(value);
      field.value.print(valueOs);
      if (StringRef(value).contains(Gone))
        return std::nullopt;
      os << value;
      continue;
    }
    bool any = false;
    for (const std::string &name : field.value.names)
      if (!StringRef(name).contains(Gone)) {
        os << name << ' ';
        any = true;
      }
    if (!any && !field.value.names.empty())
      return std::nullopt;
  }
  return text;
}

static Expected<std::vector<std::string>>
listRecords(const ComparedCubin &side, unsigned section,
            const RecordReader &reader) {
  std::vector<std::string> records;
  if (Error e = reader.read(side.file, side.labels, section, [&](Fact &&fact) {
        if (std::optional<std::string> text = describe(fact))
          records.push_back(std::move(*text));
      }))
    return e;
  return records;
}

static Error compareRecords(const ComparedCubin &before, unsigned oldIndex,
                            const ComparedCubin &after, unsigned newIndex,
                            const RecordReader &reader) {
  Expected<std::vector<std::string>> a = listRecords(before, oldIndex, reader),
                                     b = listRecords(after, newIndex, reader);
  if (!a || !b)
    return joinErrors(a.takeError(), b.takeError());
  for (size_t i = 0; i < std::min(a->size(), b->size()); ++i)
    if ((*a)[i] != (*b)[i])
      return createStringError("record " + Twine(i) + " was '" + (*a)[i] +
                               "' and became '" + (*b)[i] + "'");
  if (a->size() != b->size())
    return createStringError(Twine(b->size()) + " records instead of " +
                             Twine(a->size()));
  return Error::success();
}

/// A call graph or prototypes, by name. Strings of the Mercury view's are those
/// of the native one.
static std::vector<std::string> listPairs(const ComparedCubin &side,
                                          unsigned section) {
  const std::vector<std::string> &symbols =
      side.labels.symbolsFor(side.file, section);
  auto label = [&](uint32_t index) {
    return index < symbols.size() ? symbols[index] : "?";
  };
  std::vector<std::string> pairs;
  PairReader reader(side.file, section);
  for (PairReader::Pair pair; reader.next(pair);) {
    if (pair.isMarker) {
      pairs.push_back("group " + std::to_string(int32_t(pair.second)));
      continue;
    }
    std::string second;
    if (pair.namesSymbols) {
      second = label(pair.second);
    } else if (Expected<StringRef> text = side.file.string(pair.second)) {
      second = text->str();
    } else {
      second = "?";
      consumeError(text.takeError());
    }
    const std::string first = label(pair.first);
    if (first != Gone && second != Gone)
      pairs.push_back(first + " " + second);
  }
  return pairs;
}

/// Mercury code says in its first word which native code it belongs to.
static Error compareMercuryCode(const ComparedCubin &before, unsigned oldIndex,
                                const ComparedCubin &after, unsigned newIndex) {
  constexpr size_t WordSize = sizeof(uint32_t);
  ArrayRef<uint8_t> a = before.file.contents(oldIndex),
                    b = after.file.contents(newIndex);
  if (a.size() < WordSize || b.size() < WordSize ||
      a.drop_front(WordSize) != b.drop_front(WordSize))
    return createStringError("its bytes have changed");
  const uint32_t oldCode = support::endian::read32le(a.data()),
                 newCode = support::endian::read32le(b.data());
  if (oldCode >= before.labels.sections.size() ||
      newCode >= after.labels.sections.size() ||
      before.labels.sections[oldCode] != after.labels.sections[newCode])
    return createStringError("it belongs to other code");
  return Error::success();
}

/// Compares bytes; in a debug section, lengths of what was removed may have
/// become 0.
static Error compareBytes(const ComparedCubin &before, unsigned oldIndex,
                          const ComparedCubin &after, unsigned newIndex) {
  ArrayRef<uint8_t> a = before.file.contents(oldIndex),
                    b = after.file.contents(newIndex);
  const Elf_Shdr &header = before.file.sections()[oldIndex];
  if (header.sh_type == elf::SHT_STRTAB)
    return Error::success(); // Its names were compared.
  if (header.sh_size - a.size() !=
      after.file.sections()[newIndex].sh_size - b.size())
    return createStringError("its size has changed");
  const bool mayClear = header.sh_type == elf::SHT_PROGBITS &&
                        !(header.sh_flags & elf::SHF_ALLOC);
  if (a.size() != b.size())
    return createStringError("its size has changed");
  for (size_t i = 0; i != a.size(); ++i)
    if (a[i] != b[i] && (!mayClear || b[i]))
      return createStringError("its byte " + Twine(i) + " has changed");
  return Error::success();
}

/// Names and flags, and what sh_info and sh_link mean.
static std::string describeHeader(const ComparedCubin &side, unsigned index) {
  const Elf_Shdr &header = side.file.sections()[index];
  std::string text = side.labels.sections[index];
  raw_string_ostream os(text);
  os << " type " << header.sh_type << " flags " << header.sh_flags << " align "
     << header.sh_addralign << " entry " << header.sh_entsize << " link "
     << (header.sh_link < side.labels.sections.size()
             ? side.labels.sections[header.sh_link]
             : "?");
  Fact info;
  if (header.sh_type != elf::SHT_SYMTAB &&
      header.sh_type != elf::SHT_CUDA_MERC_SYMTAB)
    addSectionInfo(info, side.file, side.labels, index);
  os << ' ' << info.fieldText();
  return text;
}

static Error compareSections(const ComparedCubin &before, unsigned oldIndex,
                             const ComparedCubin &after, unsigned newIndex) {
  const std::string a = describeHeader(before, oldIndex),
                    b = describeHeader(after, newIndex);
  if (a != b)
    return createStringError("its header was '" + a + "' and became '" + b +
                             "'");
  const uint32_t type = before.file.sections()[oldIndex].sh_type;
  if (type == elf::SHT_CUDA_CAPMERC)
    return compareMercuryCode(before, oldIndex, after, newIndex);
  if (isPairSection(type))
    return listPairs(before, oldIndex) == listPairs(after, newIndex)
               ? Error::success()
               : createStringError("its edges have changed");
  if (const RecordReader *reader = recordReaderFor(before.file, oldIndex))
    return compareRecords(before, oldIndex, after, newIndex, *reader);
  return compareBytes(before, oldIndex, after, newIndex);
}

Error verifyCubin(const CubinFile &before, const CubinCut &cut,
                  StringRef after) {
  Expected<CubinFile> file = CubinFile::create(MemoryBufferRef(after, "copy"));
  if (!file)
    return createStringError("the pruned cubin can't be read: " +
                             toString(file.takeError()));
  const ComparedCubin a(before, &cut), b(*file, nullptr);
  const std::vector<unsigned> kept = a.keptSections(), now = b.keptSections();
  if (kept.size() != now.size())
    return createStringError("the pruned cubin has other sections");
  for (auto [oldIndex, newIndex] : zip(kept, now))
    if (Error e = compareSections(a, oldIndex, b, newIndex))
      return createStringError("the pruned cubin's section '" +
                               before.sectionName(oldIndex) +
                               "': " + toString(std::move(e)));
  return Error::success();
}

} // namespace lld::cuda
