//===- Print.cpp - Comparisons as text and as JSON ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-diff's main() prints one of two results with these functions: the
/// comparison of two cubins, or that of two files with many images. The first
/// line of text is the verdict, in capitals, so that scripts can read it.
/// Differences follow, up to the number that the user wants, with a count of
/// the others. JSON has the same in full, but for what CompareFiles.cpp has
/// dropped already.
///
//===----------------------------------------------------------------------===//

#include "Print.h"
#include "lld-cuda/Support/Json.h"
#include "lld-cuda/Support/Printable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lld::cuda {

static StringRef verdictName(Verdict verdict) {
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

static StringRef topicName(Topic topic) {
  static constexpr StringLiteral names[] = {
      "malformed", "header",     "section set", "section header", "code",
      "data",      "symbols",    "relocations", "info",           "capmerc",
      "graph",     "segments",   "other",       "mercury",        "debug",
      "notes",     "scheduling", "order"};
  return names[unsigned(topic)];
}

namespace {

/// Prints lines as long as there may be more, and counts the others.
class Lines {
public:
  explicit Lines(unsigned most) : most(most) {}

  void print(const Twine &line) {
    if (!most || count < most)
      outs() << "  " << asPrintable(line.str()) << '\n';
    ++count;
  }

  void print(const DiffReport &report, StringRef indent = "") {
    for (const Difference &difference : report.differences)
      print(indent + difference.line());
    for (const Difference &remark : report.remarks)
      print(indent +
            (remark.topic == Topic::Scheduling ? "(scheduling) " : "(order) ") +
            remark.line());
  }

  void finish(size_t hidden = 0) {
    if (most && count + hidden > most)
      outs() << "  ... and " << count + hidden - most << " more\n";
  }

private:
  unsigned most;
  size_t count = 0;
};

} // namespace

void printText(const DiffReport &report, unsigned maxLines) {
  outs() << verdictName(report.verdict) << '\n';
  Lines lines(maxLines);
  lines.print(report);
  lines.finish();
}

/// "4 images IDENTICAL, 1 DIFFERENT, 1 only in the second file"
static std::string countText(const FilesReport &report) {
  std::string text;
  auto add = [&](size_t count, const Twine &what) {
    if (!count)
      return;
    text += (text.empty() ? "" : ", ") + utostr(count);
    if (text.find(' ') == std::string::npos)
      text += count == 1 ? " image" : " images";
    text += " " + what.str();
  };
  for (unsigned i = 0; i != std::size(report.pairs); ++i)
    add(report.pairs[i], verdictName(Verdict(i)));
  add(report.onlyFirst, "only in the first file");
  add(report.onlySecond, "only in the second file");
  return text;
}

static std::string headLine(const ImageReport &image) {
  if (image.second.empty())
    return image.first + ": only in the first file";
  if (image.first.empty())
    return image.second + ": only in the second file";
  return image.first +
         (image.first == image.second ? "" : " vs " + image.second) + ": " +
         verdictName(image.report.verdict).str();
}

void printText(const FilesReport &report, unsigned maxLines) {
  outs() << verdictName(report.verdict) << '\n';
  Lines lines(maxLines);
  for (const Difference &difference : report.malformed)
    lines.print(difference.line());
  const std::string counts = countText(report);
  if (!counts.empty())
    lines.print(counts);
  for (const ImageReport &image : report.images) {
    lines.print(headLine(image));
    lines.print(image.report, "  ");
  }
  lines.finish(report.hidden);
}

static void printLists(json::OStream &json, ArrayRef<Difference> differences,
                       ArrayRef<Difference> remarks) {
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
  print("differences", differences);
  print("remarks", remarks);
}

void printJson(const DiffReport &report) {
  PrintableJsonStream text(outs());
  json::OStream json(text, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("verdict", verdictName(report.verdict));
    printLists(json, report.differences, report.remarks);
  });
  text << '\n';
}

void printJson(const FilesReport &report) {
  PrintableJsonStream text(outs());
  json::OStream json(text, /*IndentSize=*/1);
  auto name = [&](StringRef key, const std::string &value) {
    if (!value.empty())
      json.attribute(key, json::fixUTF8(value));
  };
  json.object([&] {
    json.attribute("verdict", verdictName(report.verdict));
    printLists(json, report.malformed, {});
    json.attribute("identical_images", int64_t(report.pairs[0]));
    json.attributeArray("images", [&] {
      for (const ImageReport &image : report.images)
        json.object([&] {
          name("first", image.first);
          name("second", image.second);
          json.attribute("verdict", verdictName(image.report.verdict));
          printLists(json, image.report.differences, image.report.remarks);
        });
    });
  });
  text << '\n';
}

} // namespace lld::cuda
