//===- HtmlReport.cpp - The check as an HTML page -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Prints the result of cubin-check as an HTML page that needs no other file.
/// cubin-check's main() calls printHtml() for --html, when all checks are done:
/// the answer first, then a table of files and GPUs, then each finding with
/// what it means and what helps. The frame of the page, its style and its
/// script are those of all reports (lib/Page). Names come from files and are
/// escaped, so that none becomes markup.
///
//===----------------------------------------------------------------------===//

#include "Reports.h"
#include "lld-cuda/Page/Page.h"
#include "lld-cuda/Support/Printable.h"
#include "lld-cuda/Support/Version.h"

using namespace llvm;

namespace lld::cuda {

namespace {

constexpr StringLiteral Style = R"(td,th{text-align:center}
.no{color:var(--warn);font-weight:bold}
dt{font-weight:bold;margin-top:.6rem}
dd{margin-left:1rem}
)";

class PagePrinter {
public:
  PagePrinter(const CheckReport &report, raw_ostream &os)
      : report(report), os(os) {}

  void print() {
    const std::string title = makeTitle();
    page::writeBegin(os, title, Style);
    os << "<h1>";
    put(title);
    os << "</h1>\n<p class=answer>";
    put(report.result.answer);
    os << "</p>\n";
    printTable();
    printFindings();
    page::writeEnd(os, ("cubin-check of lld-cuda " + getVersion()).str());
  }

private:
  /// "Will libx.so and 3 more run?"
  std::string makeTitle() const {
    const size_t count = report.result.files.size();
    if (!count)
      return "Will it run?";
    std::string title =
        "Will " + report.facts.files[report.result.files.front().file].name;
    if (count > 1)
      title += " and " + std::to_string(count - 1) + " more";
    return title + " run?";
  }

  void put(StringRef text) { page::escape(os, printable(text)); }

  void printTable() {
    if (report.result.files.empty())
      return;
    os << "<h2 id=files>Files</h2>\n<div class=k data-filter=files tabindex=0 "
          "role=region "
          "aria-label=Files><table><thead><tr><th>File";
    for (const Target &target : report.options.targets)
      os << "<th>" << target.name();
    os << "<tbody>\n";
    for (const FileVerdict &file : report.result.files) {
      os << "<tr><td>";
      put(report.facts.files[file.file].name);
      for (RunVerdict verdict : file.on)
        os << (verdict == RunVerdict::No ? "<td class=no>" : "<td>")
           << getVerdictName(verdict);
      os << '\n';
    }
    os << "</table></div>\n";
  }

  void printFindings() {
    os << "<h2 id=findings>Findings</h2>\n";
    if (report.result.findings.empty())
      os << "<p>None.</p>\n";
    os << "<dl>\n";
    for (const Finding &finding : report.result.findings) {
      const FindingFacts &facts = getFacts(finding.id);
      os << "<dt>"
         << (finding.reason ? StringRef("allowed")
                            : getSeverityName(facts.severity))
         << ": " << facts.name << "<dd>";
      put(finding.file.empty() ? finding.what
                               : finding.file + ": " + finding.what);
      os << "<dd>";
      put(finding.reason ? "Reason: " + *finding.reason : facts.effect.str());
      if (!finding.reason) {
        os << "<dd>";
        put(finding.cure());
      }
      os << '\n';
    }
    os << "</dl>\n";
  }

  const CheckReport &report;
  raw_ostream &os;
};

} // namespace

void printHtml(const CheckReport &report, raw_ostream &os) {
  PagePrinter(report, os).print();
}

} // namespace lld::cuda
