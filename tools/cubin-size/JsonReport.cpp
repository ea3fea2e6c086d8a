//===- JsonReport.cpp - Sizes as JSON -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-size's main() calls printJson() for a report that programs read, and
/// CI compares. It has the numbers of the text report without rounding, and a
/// version. A table has the first rows only (--top), and "rows_in_all" tells
/// how many there are. With --diff, rows have "in_file_before" in place of
/// "unpacked", since a comparison counts the bytes in files.
///
//===----------------------------------------------------------------------===//

#include "Reports.h"
#include "lld-cuda/Support/Json.h"

using namespace llvm;

namespace lld::cuda {

static void printTable(json::OStream &json, const SizeReport &report,
                       const Table &table) {
  const size_t shown =
      report.top ? std::min(report.top, table.rows.size()) : table.rows.size();
  json.attribute("by", table.title);
  json.attribute("rows_in_all", int64_t(table.rows.size()));
  json.attributeArray("rows", [&] {
    for (const TableRow &row : ArrayRef(table.rows).take_front(shown))
      json.object([&] {
        json.attribute("name", json::fixUTF8(row.name));
        json.attribute("in_file", int64_t(row.stored));
        if (report.storedBefore)
          json.attribute("in_file_before", int64_t(row.before));
        else
          json.attribute("unpacked", int64_t(row.unpacked));
      });
  });
}

static void printEqualCode(json::OStream &json, const SizeReport &report) {
  const EqualCodeReport &equal = *report.equalCode;
  json.attribute("within_architecture", int64_t(equal.within));
  json.attribute("between_architectures", int64_t(equal.acrossArchitectures));
  json.attribute("between_files", int64_t(equal.acrossFiles));
  const size_t shown = report.top ? std::min(report.top, equal.groups.size())
                                  : equal.groups.size();
  json.attributeArray("groups", [&] {
    for (const EqualCode &code : ArrayRef(equal.groups).take_front(shown))
      json.object([&] {
        json.attribute("function", json::fixUTF8(code.name));
        json.attribute("size", int64_t(code.size));
        json.attribute("copies", int64_t(code.copies));
        json.attributeArray("places", [&] {
          for (const std::string &place : code.places)
            json.value(json::fixUTF8(place));
        });
      });
  });
}

void printJson(const SizeReport &report, raw_ostream &os) {
  PrintableJsonStream text(os);
  json::OStream json(text, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("files", int64_t(report.files));
    json.attribute("in_file", int64_t(report.stored));
    if (report.storedBefore)
      json.attribute("in_file_before", int64_t(*report.storedBefore));
    json.attribute("other_files", int64_t(report.otherFiles));
    json.attribute("other_bytes", int64_t(report.otherBytes));
    if (!report.storedBefore) {
      json.attribute("not_compressed", int64_t(report.plainCode));
      json.attribute("compression_saves", int64_t(report.plainSaving));
    }
    json.attributeArray("tables", [&] {
      for (const Table &table : report.tables)
        json.object([&] { printTable(json, report, table); });
    });
    if (report.equalCode)
      json.attributeObject("equal_code", [&] { printEqualCode(json, report); });
  });
  text << '\n';
}

} // namespace lld::cuda
