//===- BudgetFuzzer.cpp - Fuzzes the reader of resource budgets -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the reader of budget files, by which a link limits what kernels may
/// need (ResourceBudget.cpp). libFuzzer calls LLVMFuzzerTestOneInput() with
/// each input that it makes, in runs of scripts/fuzz.sh; an input is the text
/// of such a file. The reader must accept it or return an error with a text,
/// and never crash. Then a report that was written earlier is held to the
/// budget; that must fail whenever the reader does.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "Report/ResourceBudget.h"
#include "lld-cuda/Linker.h"
#include "llvm/Support/raw_ostream.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

/// A kernel with a need of every kind, which functions that it calls add to,
/// and one whose stack has no bound.
static constexpr StringRef Report = R"({"version": 3, "images": [
{"arch": "sm_90", "output": "out.cubin", "objects": [{"name": "a.o"}],
 "kernels": [
  {"symbol": "_Z1kv", "object": 0, "registers": {"own": 8, "total": 40,
   "from": "_Z1fv"}, "barriers": {"own": 0, "total": 2, "from": "_Z1fv"},
   "localBytes": 16, "stackBytes": 96, "deepestCall": 0,
   "shared": {"bytes": 1024}, "codeBytes": 128, "codeBytesWithCallees": 640},
  {"symbol": "recursive", "object": 7, "registers": {"own": 8, "total": 8}}],
 "functions": [{"symbol": "_Z1fv", "object": 0, "registers": 40,
  "localBytes": 80, "stackBytes": 80, "codeBytes": 512}]}]})";

/// The name of a file in memory with that text.
static std::string fill(int file, StringRef text) {
  require(file >= 0 && ::ftruncate(file, 0) == 0 &&
          ::pwrite(file, text.data(), text.size(), 0) == ssize_t(text.size()));
  return "/proc/self/fd/" + std::to_string(file);
}

static void checkReport(StringRef budget, bool isRead) {
  static const int report = ::memfd_create("report", 0),
                   limits = ::memfd_create("budget", 0);
  const std::string input = fill(report, Report),
                    option = "--budget=" + fill(limits, budget);
  const char *words[] = {"ld.cuda", "--join-reports", input.c_str(),
                         option.c_str()};
  std::string out, err;
  llvm::raw_string_ostream outStream(out), errStream(err);
  const bool keeps = link(words, outStream, errStream, /*exitEarly=*/false,
                          /*disableOutput=*/false);
  require(keeps != StringRef(err).contains("ld.cuda: error: "));
  require(isRead || !keeps);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  StringRef data(reinterpret_cast<const char *>(bytes), size);
  llvm::Error error = report::checkBudgetText(data);
  const bool isRead = !error;
  if (!isRead)
    requireText(std::move(error));
  checkReport(data, isRead);
  return 0;
}
