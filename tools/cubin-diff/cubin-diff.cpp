//===- cubin-diff.cpp - Compares two cubins -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The command line of the comparison. Exit status: 0 if the verdict is at
/// least what is required, 1 if not, 2 if there is no verdict.
///
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "lld-cuda/Support/Json.h"
#include "lld-cuda/Support/Printable.h"
#include "lld-cuda/Support/Program.h"
#include "lld-cuda/Support/RegularFile.h"
#include "lld-cuda/Support/ToolOptions.h"
#include "lld-cuda/Support/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace lld::cuda;

namespace {

constexpr int NoVerdict = 2;

cl::OptionCategory category("cubin-diff options");

cl::opt<std::string> first(cl::Positional, cl::Required, cl::desc("<first>"),
                           cl::cat(category));
cl::opt<std::string> second(cl::Positional, cl::Required, cl::desc("<second>"),
                            cl::cat(category));
cl::opt<Verdict> required(
    "require", cl::desc("The worst verdict for which the exit status is 0:"),
    cl::init(Verdict::Equivalent),
    cl::values(clEnumValN(Verdict::Identical, "identical", "Byte for byte"),
               clEnumValN(Verdict::IdenticalButNote, "identical-but-note",
                          "But for the linkers' notes about themselves"),
               clEnumValN(Verdict::Scheduling, "scheduling",
                          "And but for the scheduling of code that nvlink "
                          "may schedule again"),
               clEnumValN(Verdict::Equivalent, "equivalent",
                          "The same program (default)")),
    cl::cat(category));
cl::opt<unsigned> maxLines("max-lines", cl::init(40),
                           cl::desc("Lines to print at most (default 40); 0: "
                                    "all"),
                           cl::cat(category));
cl::opt<unsigned> perSection("per-section", cl::init(8),
                             cl::desc("Differences to list for one section at "
                                      "most (default 8); 0: all"),
                             cl::cat(category));
cl::opt<bool> asJson("json", cl::desc("Print JSON"), cl::cat(category));

StringRef verdictName(Verdict verdict) {
  switch (verdict) {
  case Verdict::Identical:
    return "IDENTICAL";
  case Verdict::IdenticalButNote:
    return "IDENTICAL-BUT-NOTE";
  case Verdict::Scheduling:
    return "SCHEDULING";
  case Verdict::Equivalent:
    return "EQUIVALENT";
  case Verdict::Different:
    return "DIFFERENT";
  }
  llvm_unreachable("all verdicts are covered");
}

StringRef topicName(Topic topic) {
  static constexpr StringLiteral names[] = {
      "malformed", "header",     "section set", "section header", "code",
      "data",      "symbols",    "relocations", "info",           "capmerc",
      "graph",     "segments",   "other",       "mercury",        "debug",
      "notes",     "scheduling", "order"};
  return names[unsigned(topic)];
}

void printText(const Report &report) {
  outs() << verdictName(report.verdict) << '\n';
  size_t total = report.differences.size() + report.remarks.size();
  size_t shown = 0;
  auto print = [&](const Difference &difference, StringRef prefix) {
    if (!maxLines || shown < maxLines)
      outs() << "  " << prefix << asPrintable(difference.line()) << '\n';
    ++shown;
  };
  for (const Difference &difference : report.differences)
    print(difference, "");
  for (const Difference &remark : report.remarks)
    print(remark,
          remark.topic == Topic::Scheduling ? "(scheduling) " : "(order) ");
  if (maxLines && total > maxLines)
    outs() << "  ... and " << total - maxLines << " more\n";
}

void printJson(const Report &report) {
  PrintableJsonStream text(outs());
  json::OStream json(text, /*IndentSize=*/1);
  auto print = [&](StringRef key, ArrayRef<Difference> list) {
    json.attributeArray(key, [&] {
      for (const Difference &difference : list)
        json.object([&] {
          json.attribute("topic", topicName(difference.topic));
          json.attribute("where", json::fixUTF8(difference.where));
          json.attribute("text", json::fixUTF8(difference.text));
        });
    });
  };
  json.object([&] {
    json.attribute("verdict", verdictName(report.verdict));
    print("differences", report.differences);
    print("remarks", report.remarks);
  });
  text << '\n';
}

std::unique_ptr<MemoryBuffer> open(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = readRegularFile(path);
  if (buffer)
    return std::move(*buffer);
  WithColor::error(errs(), "cubin-diff")
      << asPrintable(path) << ": " << buffer.getError().message() << '\n';
  return nullptr;
}

} // namespace

int main(int argc, char **argv) {
  setProgramName("cubin-diff");
  prepareProgram("cubin-diff", NoVerdict);
  addToolOptions(category, "cubin-diff", argc, argv);
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(argc, argv, "Compares two cubins\n",
                                   &errs()))
    return NoVerdict;
  SandboxRules rules;
  rules.reads = {first, second};
  rules.onlyLooks = true;
  if (!applyToolOptions(rules))
    return NoVerdict;
  std::unique_ptr<MemoryBuffer> a = open(first), b = open(second);
  if (!a || !b)
    return NoVerdict;
  Report report =
      compare(a->getMemBufferRef(), b->getMemBufferRef(), {perSection});
  if (asJson)
    printJson(report);
  else
    printText(report);
  return finishOutput(report.verdict <= required ? 0 : 1, NoVerdict);
}
