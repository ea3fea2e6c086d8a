//===- TextReport.cpp - Sizes as tables -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-size's main() calls printText() unless the user asks for JSON or a
/// page. Each table has a row for each name, largest first, or with --diff the
/// largest change first; the rows that --top leaves out are summed up in one
/// row, "(N others)", so that a table still adds up to the whole.
/// groupDigits(), getShownRows() and describePlainCode() also serve
/// HtmlReport.cpp, so that both reports show the same numbers and words.
///
//===----------------------------------------------------------------------===//

#include "Reports.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "lld-cuda/Support/Printable.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace lld::cuda {

std::string groupDigits(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3; at -= 3)
    digits.insert(at - 3, ",");
  return digits;
}

std::string groupChange(const TableRow &row) {
  return row.stored >= row.before ? "+" + groupDigits(row.stored - row.before)
                                  : "-" + groupDigits(row.before - row.stored);
}

std::string describePlainCode(const SizeReport &report) {
  constexpr uint64_t Worth = 64 << 10;
  if (report.plainSaving < Worth)
    return "";
  constexpr uint64_t Unit = 1 << 10; // It is an estimate.
  return groupDigits(report.plainCode) +
         " bytes of linked code aren't compressed. --compress-mode=size at the "
         "link, or cubin-prune --compress=size, would save about " +
         groupDigits(report.plainSaving / Unit * Unit) + " of them.";
}

std::vector<TableRow> getShownRows(const SizeReport &report,
                                   const Table &table) {
  const size_t shown =
      report.top ? std::min(report.top, table.rows.size()) : table.rows.size();
  std::vector<TableRow> rows(table.rows.begin(), table.rows.begin() + shown);
  if (shown == table.rows.size())
    return rows;
  TableRow rest;
  rest.name = "(" + std::to_string(table.rows.size() - shown) + " others)";
  for (const TableRow &row : ArrayRef(table.rows).drop_front(shown)) {
    rest.stored += row.stored;
    rest.unpacked += row.unpacked;
    rest.before += row.before;
  }
  rows.push_back(std::move(rest));
  return rows;
}

static void printRow(raw_ostream &os, const SizeReport &report,
                     const TableRow &row) {
  constexpr unsigned Width = 15;
  const uint64_t whole = report.stored;
  auto column = [&](const std::string &text) {
    os << right_justify(text, Width);
  };
  if (report.storedBefore) {
    column(groupDigits(row.before));
    column(groupDigits(row.stored));
    column(groupChange(row));
  } else {
    column(groupDigits(row.stored));
    os << format(" %5.1f %%", whole ? 100.0 * row.stored / whole : 0.0);
    column(groupDigits(row.unpacked));
  }
  os << "  " << asPrintable(row.name) << '\n';
}

static void printTable(raw_ostream &os, const SizeReport &report,
                       const Table &table) {
  os << '\n';
  os << (report.storedBefore ? "         before          after         change  "
                             : "        in file         unpacked  ")
     << "by " << table.title << '\n';
  for (const TableRow &row : getShownRows(report, table))
    printRow(os, report, row);
}

static void printEqualCode(raw_ostream &os, const SizeReport &report) {
  constexpr size_t MaxPlaces = 3;
  const EqualCodeReport &equal = *report.equalCode;
  if (equal.groups.empty())
    return;
  os << "\nequal code, copies beyond the first, unpacked: "
     << groupDigits(equal.within) << " bytes in a file and architecture, "
     << groupDigits(equal.acrossArchitectures) << " between architectures, "
     << groupDigits(equal.acrossFiles) << " between files\n";
  size_t left = report.top ? report.top : equal.groups.size();
  for (const EqualCode &code : equal.groups) {
    if (!left--)
      break;
    os << right_justify(groupDigits(code.size), 15) << " x " << code.copies
       << "  " << asPrintable(shortenName(demangleDeviceName(code.name)))
       << '\n';
    for (size_t i = 0; i != std::min(MaxPlaces, code.places.size()); ++i)
      os << std::string(20, ' ') << asPrintable(code.places[i]) << '\n';
    if (code.places.size() > MaxPlaces)
      os << std::string(20, ' ') << "and " << code.places.size() - MaxPlaces
         << " more places\n";
  }
}

void printText(const SizeReport &report, raw_ostream &os) {
  os << groupDigits(report.stored) << " bytes in " << groupDigits(report.files)
     << (report.files == 1 ? " file" : " files");
  if (report.storedBefore)
    os << ", " << groupDigits(*report.storedBefore) << " before";
  if (report.otherFiles)
    os << "; " << groupDigits(report.otherBytes) << " bytes in "
       << groupDigits(report.otherFiles) << " files without device code";
  os << '\n';
  for (const Table &table : report.tables)
    printTable(os, report, table);
  if (report.equalCode)
    printEqualCode(os, report);
  const std::string plainCode = describePlainCode(report);
  if (!plainCode.empty())
    os << '\n' << plainCode << '\n';
}

} // namespace lld::cuda
