//===- TextReport.cpp - The check in a few lines --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-check's main() calls printText() unless the user asks for another
/// form. The report fits on a screen of 24 lines: the answer, a table with the
/// files of the worst verdicts, and as many findings as there is room for, with
/// errors first. The last line tells how many are left out; --all prints
/// everything, with sources. Names are printed so that they can't control the
/// terminal.
///
//===----------------------------------------------------------------------===//

#include "Reports.h"
#include "lld-cuda/Support/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>

using namespace llvm;

namespace lld::cuda {

namespace {

class TextPrinter {
public:
  TextPrinter(const CheckReport &report, raw_ostream &os)
      : report(report), os(os) {
    constexpr unsigned Page = 24;
    linesLeft = report.isWhole ? std::numeric_limits<unsigned>::max() : Page;
  }

  void print() {
    line(printable(report.result.answer));
    printTable();
    printFindings();
  }

private:
  void line(const Twine &text) {
    os << text << '\n';
    --linesLeft;
  }

  /// Which files have code for what; the worst ones first, as far as there is
  /// room.
  void printTable() {
    const std::vector<Target> &targets = report.options.targets;
    if (report.result.files.empty() || targets.empty())
      return;
    std::string head;
    for (const Target &target : targets)
      head += formatv("{0,8}", target.name());
    line("");
    line(head);
    std::vector<const FileVerdict *> files;
    files.reserve(report.result.files.size());
    for (const FileVerdict &file : report.result.files)
      files.push_back(&file);
    llvm::stable_sort(files, [](const FileVerdict *a, const FileVerdict *b) {
      return *max_element(a->on) > *max_element(b->on);
    });
    constexpr size_t MaxFiles = 7;
    const size_t shown =
        report.isWhole ? files.size() : std::min(files.size(), MaxFiles);
    for (const FileVerdict *file : ArrayRef(files).take_front(shown)) {
      std::string row;
      for (RunVerdict verdict : file->on)
        row += formatv("{0,8}", getVerdictName(verdict));
      line(row + "  " + printable(report.facts.files[file->file].name));
    }
    if (shown != files.size())
      line("        and " + Twine(files.size() - shown) + " more files");
  }

  void printFindings() {
    const std::vector<Finding> &findings = report.result.findings;
    if (findings.empty())
      return;
    line("");
    constexpr unsigned MaxLines = 3;
    for (size_t i = 0; i != findings.size(); ++i) {
      // The last line tells what there was no room for.
      if (linesLeft < MaxLines + (i + 1 != findings.size()))
        return line("and " + Twine(findings.size() - i) +
                    " more findings; --all shows them");
      printFinding(findings[i]);
    }
  }

  void printFinding(const Finding &finding) {
    const FindingFacts &facts = getFacts(finding.id);
    std::string head = finding.reason ? std::string("allowed")
                                      : getSeverityName(facts.severity).str();
    head += "[" + facts.name.str() + "]: ";
    if (!finding.file.empty())
      head += printable(finding.file) + ": ";
    line(head + printable(finding.what));
    if (finding.reason)
      return line("  reason: " + printable(*finding.reason));
    if (facts.severity == FindingSeverity::Note && !report.isWhole)
      return;
    line("  " + facts.effect);
    line("  help: " + finding.cure());
    if (report.isWhole && !facts.source.empty())
      line("  source: " + facts.source);
  }

  const CheckReport &report;
  raw_ostream &os;
  unsigned linesLeft;
};

} // namespace

void printText(const CheckReport &report, raw_ostream &os) {
  TextPrinter(report, os).print();
}

} // namespace lld::cuda
