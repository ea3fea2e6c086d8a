//===- SarifReport.cpp - The check for code scanning services -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-check's main() calls printSarif() if the user asks for SARIF, the
/// format that code scanning services read (GitHub's, for example). All kinds
/// of findings are listed as rules, found or not, so a result's ruleIndex is
/// its FindingId. Findings that the policy allows are in the log with a
/// suppression and its justification, so that the service shows them as closed.
/// A file's name becomes a URI in which other characters are escaped as %XX.
///
//===----------------------------------------------------------------------===//

#include "Reports.h"
#include "lld-cuda/Support/Json.h"
#include "lld-cuda/Support/Printable.h"
#include "lld-cuda/Support/Version.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {

namespace {

/// A log of SARIF 2.1.0 with one run. What the policy allows is suppressed.
class SarifPrinter {
public:
  SarifPrinter(const CheckReport &report, raw_ostream &os)
      : report(report), json(os, /*IndentSize=*/1) {}

  void print() {
    json.object([&] {
      json.attribute("$schema",
                     "https://json.schemastore.org/sarif-2.1.0.json");
      json.attribute("version", "2.1.0");
      json.attributeArray("runs", [&] {
        json.object([&] {
          json.attributeObject("tool", [&] { printTool(); });
          json.attributeArray("results", [&] {
            for (const Finding &finding : report.result.findings)
              json.object([&] { printResult(finding); });
          });
        });
      });
    });
  }

private:
  void text(StringRef key, const std::string &value) {
    json.attributeObject(
        key, [&] { json.attribute("text", json::fixUTF8(printable(value))); });
  }

  void printTool() {
    json.attributeObject("driver", [&] {
      json.attribute("name", "cubin-check");
      json.attribute("version", getVersion());
      json.attributeArray("rules", [&] {
        for (size_t i = 0; i != countFindingIds(); ++i)
          json.object([&] { printRule(getFacts(FindingId(i))); });
      });
    });
  }

  void printRule(const FindingFacts &facts) {
    json.attribute("id", facts.name);
    text("shortDescription", facts.effect.str());
    text("help",
         (facts.cure + (facts.source.empty() ? "" : " Source: ") + facts.source)
             .str());
    json.attributeObject("defaultConfiguration", [&] {
      json.attribute("level", getSeverityName(facts.severity));
    });
  }

  void printResult(const Finding &finding) {
    const FindingFacts &facts = getFacts(finding.id);
    json.attribute("ruleId", facts.name);
    json.attribute("ruleIndex", int64_t(finding.id));
    json.attribute("level", getSeverityName(facts.severity));
    text("message", finding.what + ". " + facts.effect.str());
    if (!finding.file.empty())
      json.attributeArray("locations", [&] {
        json.object([&] {
          json.attributeObject("physicalLocation", [&] {
            json.attributeObject("artifactLocation", [&] {
              json.attribute("uri", makeUri(finding.file));
            });
          });
        });
      });
    if (finding.reason)
      json.attributeArray("suppressions", [&] {
        json.object([&] {
          json.attribute("kind", "external");
          json.attribute("justification",
                         json::fixUTF8(printable(*finding.reason)));
        });
      });
  }

  /// Makes a URI of a path: characters that URIs can't have become %XX.
  static std::string makeUri(StringRef path) {
    std::string uri;
    for (char c : path) {
      if (isAlnum(c) || StringRef("/._-~").contains(c)) {
        uri += c;
        continue;
      }
      const auto byte = uint8_t(c);
      uri += '%';
      uri += hexdigit(byte >> 4);
      uri += hexdigit(byte & 15);
    }
    return uri;
  }

  const CheckReport &report;
  json::OStream json;
};

} // namespace

void printSarif(const CheckReport &report, raw_ostream &os) {
  PrintableJsonStream printable(os);
  SarifPrinter(report, printable).print();
  printable << '\n';
}

} // namespace lld::cuda
