//===- TextReport.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reports.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace lld::cuda {

/// 1234567 as "1,234,567".
static std::string group(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3; at -= 3)
    digits.insert(at - 3, ",");
  return digits;
}

static std::string groupChange(const TableRow &row) {
  return row.stored >= row.before ? "+" + group(row.stored - row.before)
                                  : "-" + group(row.before - row.stored);
}

static void printRow(raw_ostream &os, const SizeReport &report,
                     const TableRow &row) {
  constexpr unsigned Width = 15;
  const uint64_t whole = report.stored;
  auto column = [&](const std::string &text) {
    os << right_justify(text, Width);
  };
  if (report.storedBefore) {
    column(group(row.before));
    column(group(row.stored));
    column(groupChange(row));
  } else {
    column(group(row.stored));
    os << format(" %5.1f %%", whole ? 100.0 * row.stored / whole : 0.0);
    column(group(row.unpacked));
  }
  os << "  " << row.name << '\n';
}

static void printTable(raw_ostream &os, const SizeReport &report,
                       const Table &table) {
  os << '\n';
  os << (report.storedBefore ? "         before          after         change  "
                             : "        in file         unpacked  ")
     << "by " << table.title << '\n';
  const size_t shown =
      report.top ? std::min(report.top, table.rows.size()) : table.rows.size();
  TableRow rest;
  for (size_t i = 0; i != table.rows.size(); ++i) {
    const TableRow &row = table.rows[i];
    if (i < shown) {
      printRow(os, report, row);
      continue;
    }
    rest.stored += row.stored;
    rest.unpacked += row.unpacked;
    rest.before += row.before;
  }
  if (shown == table.rows.size())
    return;
  rest.name = "(" + std::to_string(table.rows.size() - shown) + " others)";
  printRow(os, report, rest);
}

static void printEqualCode(raw_ostream &os, const SizeReport &report) {
  constexpr size_t MaxPlaces = 3;
  const EqualCodeReport &equal = *report.equalCode;
  if (equal.groups.empty())
    return;
  os << "\nequal code, copies beyond the first, unpacked: "
     << group(equal.within) << " bytes in a file and architecture, "
     << group(equal.acrossArchitectures) << " between architectures, "
     << group(equal.acrossFiles) << " between files\n";
  size_t left = report.top ? report.top : equal.groups.size();
  for (const EqualCode &code : equal.groups) {
    if (!left--)
      break;
    os << right_justify(group(code.size), 15) << " x " << code.copies << "  "
       << shortenName(demangleDeviceName(code.name)) << '\n';
    for (size_t i = 0; i != std::min(MaxPlaces, code.places.size()); ++i)
      os << std::string(20, ' ') << code.places[i] << '\n';
    if (code.places.size() > MaxPlaces)
      os << std::string(20, ' ') << "and " << code.places.size() - MaxPlaces
         << " more places\n";
  }
}

void printText(const SizeReport &report, raw_ostream &os) {
  os << group(report.stored) << " bytes in " << group(report.files)
     << (report.files == 1 ? " file" : " files");
  if (report.storedBefore)
    os << ", " << group(*report.storedBefore) << " before";
  if (report.otherFiles)
    os << "; " << group(report.otherBytes) << " bytes in "
       << group(report.otherFiles) << " files without device code";
  os << '\n';
  for (const Table &table : report.tables)
    printTable(os, report, table);
  if (report.equalCode)
    printEqualCode(os, report);
}

} // namespace lld::cuda
