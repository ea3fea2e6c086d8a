//===- HtmlReport.cpp - Sizes as a page -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-size's main() calls printHtml() for a report as a page: the answer in
/// one line, totals, treemaps, a table for each --by, and equal code. Tables
/// may have ten thousand rows, which a browser would lay out for seconds. So a
/// table is written in pieces of 200 rows, each in a section whose layout the
/// browser puts off until the reader scrolls there (content-visibility). The
/// bar in a row shows its size, or with --diff how much it has changed.
///
//===----------------------------------------------------------------------===//

#include "Reports.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "lld-cuda/Support/Version.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace lld::cuda {

namespace {

/// The bar in a row (an svg) shows the row's share.
constexpr StringLiteral Style = R"(.k table{table-layout:fixed}
.k th:first-child{width:55%}
.k section{content-visibility:auto;contain-intrinsic-size:auto 6400px}
td svg{height:.3rem;width:100%}
)";

class HtmlWriter {
public:
  HtmlWriter(const SizeReport &report, raw_ostream &os)
      : report(report), os(os) {}
  void write();

private:
  void total(StringRef name, const std::string &value) {
    os << "<li><span>" << name << "</span> <b>" << value << "</b>";
  }
  void writeAnswer();
  void writeTotals();
  void writeTable(const Table &table, size_t number);
  void writeRow(const TableRow &row, uint64_t most);
  void writeEqualCode();
  void writeGroup(const EqualCode &code);

  const SizeReport &report;
  raw_ostream &os;
};

} // namespace

static std::string countFiles(uint64_t count) {
  return groupDigits(count) + (count == 1 ? " file" : " files");
}

/// "12,345 bytes; the largest share by kind: linked code, 62.0 %"
void HtmlWriter::writeAnswer() {
  os << "<p class=answer>" << groupDigits(report.stored) << " bytes";
  if (report.storedBefore) {
    os << ", before " << groupDigits(*report.storedBefore);
  } else if (!report.tables.empty() && !report.tables.front().rows.empty() &&
             report.stored) {
    const Table &table = report.tables.front();
    const TableRow &first = table.rows.front();
    os << "; the largest share by " << table.title << ": ";
    page::escape(os, first.name);
    os << ", "
       << format("%.1f", 100.0 * double(first.stored) / double(report.stored))
       << " %";
  }
  os << "</p>\n";
}

void HtmlWriter::writeTotals() {
  os << "<ul class=t>";
  total("Bytes", groupDigits(report.stored));
  if (report.storedBefore)
    total("Before", groupDigits(*report.storedBefore));
  total("In", countFiles(report.files));
  if (report.otherFiles)
    total("Without device code", groupDigits(report.otherBytes) + " in " +
                                     countFiles(report.otherFiles));
  if (report.equalCode)
    total("Copies of equal code, unpacked",
          groupDigits(report.equalCode->within +
                      report.equalCode->acrossArchitectures +
                      report.equalCode->acrossFiles));
  os << "</ul>\n";
  const std::string plainCode = describePlainCode(report);
  if (!plainCode.empty())
    os << "<p>" << plainCode << "</p>\n";
}

/// `most`: what the longest bar stands for.
void HtmlWriter::writeRow(const TableRow &row, uint64_t most) {
  const bool isDiff = report.storedBefore.has_value();
  const uint64_t change = row.stored > row.before ? row.stored - row.before
                                                  : row.before - row.stored;
  const uint64_t size = isDiff ? change : row.stored;
  os << "<tr><td>";
  page::escape(os, row.name);
  if (most)
    os << "<svg viewBox='0 0 1000 10' preserveAspectRatio=none "
          "aria-hidden=true><rect width="
       << size_t(1000.0 * double(size) / double(most)) << " height=10 class='c"
       << (isDiff && row.stored < row.before ? 1 : 0) << "'/></svg>";
  if (isDiff)
    os << "<td>" << groupDigits(row.before) << "<td>" << groupDigits(row.stored)
       << "<td>" << groupChange(row);
  else
    os << "<td>" << groupDigits(row.stored) << "<td>"
       << format("%.1f", report.stored ? 100.0 * double(row.stored) /
                                             double(report.stored)
                                       : 0.0)
       << " %<td>" << groupDigits(row.unpacked);
  os << '\n';
}

void HtmlWriter::writeTable(const Table &table, size_t number) {
  constexpr size_t Piece = 200;
  os << "<h2 id=table" << number << ">By " << table.title
     << "</h2>\n<div class=k data-filter=rows tabindex=0 role=region "
        "aria-label='By "
     << table.title << "'>\n";
  const std::vector<TableRow> rows = getShownRows(report, table);
  uint64_t most = 0;
  for (const TableRow &row : table.rows)
    most = std::max(most, !report.storedBefore      ? row.stored
                          : row.stored > row.before ? row.stored - row.before
                                                    : row.before - row.stored);
  for (size_t i = 0; i < rows.size(); i += Piece) {
    os << "<section><table><thead><tr><th>" << table.title
       << (report.storedBefore ? "<th>Before<th>Now<th>Change"
                               : "<th>In file<th>Share<th>Unpacked")
       << "<tbody>\n";
    for (const TableRow &row :
         ArrayRef(rows).slice(i, std::min(Piece, rows.size() - i)))
      writeRow(row, most);
    os << "</table></section>\n";
  }
  if (rows.empty())
    os << "<p>Nothing has changed.</p>\n";
  os << "</div>\n";
}

void HtmlWriter::writeGroup(const EqualCode &code) {
  const std::string name = demangleDeviceName(code.name);
  os << "<tr><td><details><summary>";
  page::escape(os, shortenName(name));
  os << "</summary><div>";
  page::escape(os, name);
  for (const std::string &place : code.places) {
    os << "<br>";
    page::escape(os, place);
  }
  os << "</div></details><td>" << groupDigits(code.size) << "<td>"
     << code.copies << "<td>" << groupDigits(code.size * (code.copies - 1))
     << '\n';
}

void HtmlWriter::writeEqualCode() {
  const EqualCodeReport &equal = *report.equalCode;
  os << "<h2 id=equal>Equal code</h2>\n";
  if (equal.groups.empty()) {
    os << "<p>No function occurs twice.</p>\n";
    return;
  }
  os << "<p>Unpacked size of all copies beyond the first, in bytes: "
     << groupDigits(equal.within) << " within a file and architecture, "
     << groupDigits(equal.acrossArchitectures) << " between architectures, "
     << groupDigits(equal.acrossFiles) << " between files.</p>\n"
     << "<div class=k tabindex=0 role=region aria-label='Equal "
        "code'><table><thead><tr><th>Function<th>Size<th>Copies"
     << "<th>Beyond the first<tbody>\n";
  const size_t shown = report.top ? std::min(report.top, equal.groups.size())
                                  : equal.groups.size();
  for (const EqualCode &code : ArrayRef(equal.groups).take_front(shown))
    writeGroup(code);
  os << "</table></div>\n";
}

void HtmlWriter::write() {
  const std::string title = "Sizes of device code in " + report.title;
  page::writeBegin(os, title, Style);
  os << "<h1>";
  page::escape(os, title);
  os << "</h1>\n<nav><ul>";
  for (size_t i = 0; i != report.tables.size(); ++i)
    os << "<li><a href='#table" << i << "'>By " << report.tables[i].title
       << "</a>";
  if (report.equalCode)
    os << "<li><a href='#equal'>Equal code</a>";
  os << "</ul></nav>\n";
  writeAnswer();
  writeTotals();
  constexpr int Height = 420;
  for (const Picture &picture : report.pictures) {
    if (!picture.tree.size())
      continue;
    os << "<h2>" << picture.title << "</h2>\n";
    page::drawTreemap(os, picture.tree, Height, picture.title);
  }
  for (size_t i = 0; i != report.tables.size(); ++i)
    writeTable(report.tables[i], i);
  if (report.equalCode)
    writeEqualCode();
  page::writeEnd(os, ("cubin-size of lld-cuda " + getVersion()).str());
}

void printHtml(const SizeReport &report, raw_ostream &os) {
  HtmlWriter(report, os).write();
}

} // namespace lld::cuda
