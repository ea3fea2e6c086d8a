//===- JsonReport.cpp - The check as JSON ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-check's main() calls printJson() if the user asks for JSON. The report
/// has the answer, a verdict for each GPU and file, and all findings with their
/// texts. Programs read it, so it has a version. Images of a file that agree in
/// target, kind and versions are one entry with a count: a library may have
/// thousands of them. Names come from files and may be no UTF-8; they are
/// repaired here, since JSON must be.
///
//===----------------------------------------------------------------------===//

#include "Reports.h"
#include "lld-cuda/Support/Json.h"
#include <array>
#include <map>

using namespace llvm;

namespace lld::cuda {

namespace {

class JsonPrinter {
public:
  JsonPrinter(const CheckReport &report, raw_ostream &os)
      : report(report), json(os, /*IndentSize=*/1) {}

  void print() {
    json.object([&] {
      json.attribute("version", 1);
      json.attribute("answer", json::fixUTF8(report.result.answer));
      if (!report.options.driver.empty())
        json.attribute("driver", json::fixUTF8(report.options.driver));
      json.attributeObject("gpus", [&] { printVerdicts(report.result.on); });
      json.attributeArray("files", [&] {
        for (const FileVerdict &file : report.result.files)
          json.object([&] { printFile(file); });
      });
      json.attribute("other_files", int64_t(countOthers()));
      json.attributeArray("findings", [&] {
        for (const Finding &finding : report.result.findings)
          json.object([&] { printFinding(finding); });
      });
    });
  }

private:
  /// Files without device code, libraries among them.
  size_t countOthers() const {
    return report.facts.otherFiles + report.facts.files.size() -
           report.result.files.size();
  }

  void printVerdicts(ArrayRef<RunVerdict> on) {
    for (size_t k = 0; k != on.size(); ++k)
      json.attribute(report.options.targets[k].name(), getVerdictName(on[k]));
  }

  void printFile(const FileVerdict &verdict) {
    const FileFacts &file = report.facts.files[verdict.file];
    json.attribute("name", json::fixUTF8(file.name));
    if (file.loader >= 0)
      json.attribute("loaded_by",
                     json::fixUTF8(report.facts.files[file.loader].name));
    json.attributeObject("on", [&] { printVerdicts(verdict.on); });
    json.attributeArray("images", [&] { printImages(file); });
  }

  /// One for each target, kind and version.
  void printImages(const FileFacts &file) {
    std::map<std::array<std::string, 4>, unsigned> counts;
    for (const ImageFacts &image : file.images)
      ++counts[{nameTarget(image), nameKind(image).str(),
                image.ptx.first ? std::to_string(image.ptx.first) + "." +
                                      std::to_string(image.ptx.second)
                                : "",
                image.toolkit ? std::to_string(image.toolkit / 10) + "." +
                                    std::to_string(image.toolkit % 10)
                              : ""}];
    for (const auto &[image, count] : counts)
      json.object([&, &names = image, number = count] {
        json.attribute("target", names[0]);
        json.attribute("kind", names[1]);
        if (!names[2].empty())
          json.attribute("ptx_version", names[2]);
        if (!names[3].empty())
          json.attribute("toolkit", names[3]);
        json.attribute("count", int64_t(number));
      });
  }

  void printFinding(const Finding &finding) {
    const FindingFacts &facts = getFacts(finding.id);
    json.attribute("id", facts.name);
    json.attribute("severity", getSeverityName(facts.severity));
    if (!finding.file.empty())
      json.attribute("file", json::fixUTF8(finding.file));
    json.attribute("what", json::fixUTF8(finding.what));
    json.attributeArray("gpus", [&] {
      for (unsigned gpu : finding.gpus)
        json.value("sm_" + std::to_string(gpu));
    });
    json.attribute("effect", facts.effect);
    json.attribute("cure", finding.cure());
    json.attribute("source", facts.source);
    json.attribute("verified", facts.isVerified());
    if (finding.reason)
      json.attribute("allowed_because", json::fixUTF8(*finding.reason));
  }

  const CheckReport &report;
  json::OStream json;
};

} // namespace

void printJson(const CheckReport &report, raw_ostream &os) {
  PrintableJsonStream printable(os);
  JsonPrinter(report, printable).print();
  printable << '\n';
}

} // namespace lld::cuda
