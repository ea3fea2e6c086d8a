//===- Tables.cpp - Sums of sizes by kind, function, source ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-size's main() calls makeTable() for each --by, makeDiffTable() with
/// --diff, and the functions for treemaps and equal code. There may be millions
/// of rows, so sumUp() adds them up by numbers first and makes text only for
/// what is left; a name is demangled once. Functions of one template have
/// different numbers and one text, so sums with equal text are joined
/// afterwards. findEqualCode() groups functions by a hash of their code, and
/// never counts relocatable code as a copy of the linked code that was made of
/// it.
///
//===----------------------------------------------------------------------===//

#include "Tables.h"
#include "Names.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace llvm;

namespace lld::cuda {

static constexpr StringLiteral DomainNames[] = {
    "kind", "arch", "use", "function", "template", "source", "file", "member"};

StringRef getDomainName(Domain domain) { return DomainNames[size_t(domain)]; }

std::optional<Domain> parseDomain(StringRef name) {
  const auto *it = find(DomainNames, name);
  if (it == std::end(DomainNames))
    return std::nullopt;
  return Domain(it - std::begin(DomainNames));
}

std::string listDomainNames() {
  return join(std::begin(DomainNames), std::end(DomainNames), ", ");
}

namespace {

/// Rows' values by domain, as text; each function's name is demangled once.
class RowLabels {
public:
  explicit RowLabels(const Measurement &measured) : measured(measured) {}

  std::string get(const SizeRow &row, Domain domain) {
    switch (domain) {
    case Domain::Kind:
      return getKindName(row.kind).str();
    case Domain::Arch:
      return measured.names[row.arch].str();
    case Domain::Use:
      return row.use == Use::None ? bracket(getKindName(row.kind))
                                  : getUseName(row.use).str();
    case Domain::Function:
    case Domain::Template:
      if (!row.function)
        return bracket(row.use == Use::None ? getKindName(row.kind)
                                            : getUseName(row.use));
      return function(row.function, domain);
    case Domain::Source:
      if (row.source)
        return measured.names[row.source].str();
      return row.use == Use::Code   ? "[code without lines]"
             : row.use == Use::None ? bracket(getKindName(row.kind))
                                    : bracket(getUseName(row.use));
    case Domain::File:
      return measured.names[row.file].str();
    case Domain::Member:
      return measured.names[row.member].str();
    }
    llvm_unreachable("all domains are covered");
  }

private:
  static std::string bracket(StringRef text) {
    return ("[" + text + "]").str();
  }

  std::string function(uint32_t index, Domain domain) {
    auto &known = domain == Domain::Function ? functions : families;
    auto [it, isNew] = known.try_emplace(index);
    if (isNew) {
      it->second = demangleDeviceName(measured.names[index]);
      if (domain == Domain::Template)
        it->second = getTemplateFamily(it->second);
    }
    return it->second;
  }

  const Measurement &measured;
  DenseMap<uint32_t, std::string> functions, families;
};

/// The numbers of a row that --by asks for; rows that agree in them are summed
/// up.
using Key = std::array<uint32_t, 4>;

/// Returns a number for the use of a row's bytes; bytes without a use are told
/// apart by their kind.
uint32_t getUseValue(const SizeRow &row) {
  return uint32_t(row.use) << 8 |
         (row.use == Use::None ? uint32_t(row.kind) : 0);
}

uint32_t getValue(const SizeRow &row, Domain domain) {
  constexpr uint32_t Nobody = 0xffff0000;
  switch (domain) {
  case Domain::Kind:
    return uint32_t(row.kind);
  case Domain::Arch:
    return row.arch;
  case Domain::Use:
    return getUseValue(row);
  case Domain::Function:
  case Domain::Template:
    return row.function ? row.function : Nobody | getUseValue(row);
  case Domain::Source:
    return row.source ? row.source : Nobody | getUseValue(row);
  case Domain::File:
    return row.file;
  case Domain::Member:
    return row.member;
  }
  llvm_unreachable("all domains are covered");
}

using Sums = StringMap<TableRow>;

/// Sums first by numbers, then by text: functions of one template are one.
Sums sumUp(const Measurement &measured, ArrayRef<Domain> domains) {
  std::map<Key, std::pair<const SizeRow *, TableRow>> byNumber;
  for (const SizeRow &row : measured.rows) {
    Key key = {};
    for (size_t i = 0; i != domains.size(); ++i)
      key[i] = getValue(row, domains[i]);
    auto &sum = byNumber[key];
    sum.first = &row;
    sum.second.stored += row.stored;
    sum.second.unpacked += row.unpacked;
  }
  RowLabels labels(measured);
  Sums sums;
  for (const auto &[key, sum] : byNumber) {
    SmallVector<std::string, 4> words;
    for (Domain domain : domains)
      words.push_back(labels.get(*sum.first, domain));
    TableRow &row = sums[join(words, ", ")];
    row.stored += sum.second.stored;
    row.unpacked += sum.second.unpacked;
  }
  return sums;
}

std::string getTitle(ArrayRef<Domain> domains) {
  return join(map_range(domains, getDomainName), ",");
}

uint64_t change(const TableRow &row) {
  return row.stored > row.before ? row.stored - row.before
                                 : row.before - row.stored;
}

Table sortTable(std::string title, Sums sums, bool isDiff) {
  Table table;
  table.title = std::move(title);
  for (auto &entry : sums) {
    entry.second.name = entry.first().str();
    if (!isDiff || change(entry.second))
      table.rows.push_back(std::move(entry.second));
  }
  sort(table.rows, [&](const TableRow &a, const TableRow &b) {
    uint64_t x = isDiff ? change(a) : a.stored,
             y = isDiff ? change(b) : b.stored;
    return std::tie(y, b.unpacked, a.name) < std::tie(x, a.unpacked, b.name);
  });
  return table;
}

} // namespace

Table makeTable(const Measurement &measured, ArrayRef<Domain> domains) {
  return sortTable(getTitle(domains), sumUp(measured, domains),
                   /*isDiff=*/false);
}

Table makeDiffTable(const Measurement &before, const Measurement &after,
                    ArrayRef<Domain> domains) {
  Sums sums = sumUp(after, domains);
  for (auto &entry : sumUp(before, domains))
    sums[entry.first()].before = entry.second.stored;
  return sortTable(getTitle(domains), std::move(sums), /*isDiff=*/true);
}

page::Tree makeTree(Measurement &measured, ArrayRef<Domain> domains) {
  const uint32_t noArch = measured.names.add(NoArch);
  RowLabels labels(measured);
  page::Tree root;
  for (const SizeRow &row : measured.rows) {
    SmallVector<std::string, 4> path;
    for (Domain domain : domains) {
      const bool hasValue = (domain != Domain::Use || row.use != Use::None) &&
                            (domain != Domain::Arch || row.arch != noArch);
      if (hasValue)
        path.push_back(labels.get(row, domain));
    }
    root.add(path, row.stored);
  }
  return root;
}

/// Sums of the rows' bytes in files by a name of theirs, if they have one.
template <typename NameOf>
static DenseMap<uint32_t, uint64_t> sumByName(const Measurement &measured,
                                              NameOf nameOf) {
  DenseMap<uint32_t, uint64_t> sums;
  for (const SizeRow &row : measured.rows)
    if (const uint32_t name = nameOf(row))
      sums[name] += row.stored;
  return sums;
}

page::Tree makeFunctionTree(const Measurement &measured) {
  page::Tree root;
  for (auto [name, size] :
       sumByName(measured, [](const SizeRow &row) { return row.function; })) {
    SmallVector<std::string, 8> path;
    page::splitFunctionName(demangleDeviceName(measured.names[name]), path);
    root.add(path, size);
  }
  return root;
}

page::Tree makeSourceTree(const Measurement &measured) {
  page::Tree root;
  for (auto [name, size] :
       sumByName(measured, [](const SizeRow &row) { return row.source; })) {
    SmallVector<StringRef, 16> parts;
    measured.names[name].split(parts, '/', /*MaxSplit=*/-1,
                               /*KeepEmpty=*/false);
    SmallVector<std::string, 16> path;
    for (StringRef part : parts)
      path.push_back(part.str());
    root.add(path, size);
  }
  for (const SizeRow &row : measured.rows)
    if (row.use == Use::Code && !row.source)
      root.add({"code without lines"}, row.stored);
  return root;
}

/// Adds the copies beyond the first to the sums.
static void addCopies(ArrayRef<const SizeRow *> copies,
                      EqualCodeReport &report) {
  SmallVector<const SizeRow *, 8> seen;
  for (const SizeRow *copy : copies) {
    const bool isInFile = any_of(
        seen, [&](const SizeRow *other) { return other->file == copy->file; });
    const bool isInArch = any_of(seen, [&](const SizeRow *other) {
      return other->file == copy->file && other->arch == copy->arch;
    });
    if (isInArch)
      report.within += copy->codeSize;
    else if (isInFile)
      report.acrossArchitectures += copy->codeSize;
    else if (!seen.empty())
      report.acrossFiles += copy->codeSize;
    if (!isInArch)
      seen.push_back(copy);
  }
}

namespace {
/// The rows of functions with equal code.
struct CodeGroup {
  uint64_t size;
  ArrayRef<const SizeRow *> copies;
  uint64_t beyondFirst() const { return size * (copies.size() - 1); }
};
} // namespace

static EqualCode describeGroup(const CodeGroup &group,
                               const Measurement &measured) {
  SetVector<std::pair<uint32_t, std::pair<uint32_t, uint8_t>>> places;
  for (const SizeRow *copy : group.copies)
    places.insert({copy->member, {copy->arch, uint8_t(copy->kind)}});
  EqualCode code = {measured.names[group.copies.front()->function].str(),
                    group.size,
                    unsigned(group.copies.size()),
                    {}};
  for (auto [member, what] : places)
    code.places.push_back((measured.names[member] + " (" +
                           measured.names[what.first] + ", " +
                           getKindName(HolderKind(what.second)) + ")")
                              .str());
  return code;
}

EqualCodeReport findEqualCode(const Measurement &measured, size_t top) {
  // Linked code is made of relocatable code, so a pair of the two says nothing.
  using Key = std::pair<std::pair<uint64_t, uint64_t>, unsigned>;
  MapVector<Key, SmallVector<const SizeRow *, 1>> byCode;
  for (const SizeRow &row : measured.rows)
    if (row.codeSize) {
      const unsigned isLinked = row.kind == HolderKind::LinkedCubin;
      byCode[{{row.codeHash, row.codeSize}, isLinked}].push_back(&row);
    }
  EqualCodeReport report;
  std::vector<CodeGroup> groups;
  for (const auto &[key, copies] : byCode) {
    if (copies.size() < 2)
      continue;
    addCopies(copies, report);
    groups.push_back({key.first.second, copies});
  }
  stable_sort(groups, [](const CodeGroup &a, const CodeGroup &b) {
    return a.beyondFirst() > b.beyondFirst();
  });
  const size_t shown = top ? std::min(top, groups.size()) : groups.size();
  for (const CodeGroup &group : ArrayRef(groups).take_front(shown))
    report.groups.push_back(describeGroup(group, measured));
  return report;
}

} // namespace lld::cuda
