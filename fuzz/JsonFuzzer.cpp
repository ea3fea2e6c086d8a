//===- JsonFuzzer.cpp - Fuzzes the reader of resource reports -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the reader of resource reports, which --baseline and --join-reports
/// of the linker read (lib/Resources/JsonReader.cpp). libFuzzer calls
/// LLVMFuzzerTestOneInput() with each input that it makes, in runs of
/// scripts/fuzz.sh; an input is a JSON file. A report that is accepted must be
/// the same after it was written and read again.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Resources/Report.h"
#include "lld-cuda/Support/Json.h"
#include "llvm/Support/JSON.h"
#include <optional>

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  StringRef data(reinterpret_cast<const char *>(bytes), size);
  llvm::Expected<llvm::json::Value> value = parseJson(data);
  const bool isJson = bool(value);
  if (!isJson)
    requireText(value.takeError());
  report::Report report;
  if (llvm::Error e = report::readJson(data, report)) {
    requireText(std::move(e));
    return 0;
  }
  require(isJson);
  const std::string text = report::writeJson(report).str();
  report::Report again;
  require(!report::readJson(text, again));
  require(again.images.size() == report.images.size());
  require(report::writeJson(again).str() == text);
  touch(report::writeHtml(report).str());
  return 0;
}
