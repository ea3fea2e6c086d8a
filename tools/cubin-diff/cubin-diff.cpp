//===- cubin-diff.cpp - Compares device code of two files -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The program cubin-diff: reads its command line, opens the two files,
/// compares them (Compare.cpp for two cubins, CompareFiles.cpp for all others)
/// and prints the result (Print.cpp). Developers call it to see whether two
/// linkers, or two builds, made the same device code; the linker's own tests
/// compare with nvlink's output by it. runCubinDiff() is its main function,
/// also in cubin-tools. Exit status: 0 if the verdict is at least what is
/// required, 1 if not, 2 if something can't be read.
///
//===----------------------------------------------------------------------===//

#include "CompareFiles.h"
#include "Print.h"
#include "Tools.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Support/Printable.h"
#include "lld-cuda/Support/Program.h"
#include "lld-cuda/Support/RegularFile.h"
#include "lld-cuda/Support/ToolOptions.h"
#include "lld-cuda/Support/Version.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace lld::cuda;

namespace {

constexpr int NoVerdict = 2;

cl::OptionCategory category("cubin-diff options");
cl::SubCommand ownOptions;

cl::opt<std::string> first(cl::Positional, cl::Required, cl::desc("<first>"),
                           cl::cat(category), cl::sub(ownOptions));
cl::opt<std::string> second(cl::Positional, cl::Required, cl::desc("<second>"),
                            cl::cat(category), cl::sub(ownOptions));
cl::opt<Verdict> required(
    "require",
    cl::desc("Exit with status 0 if the verdict is this one or better:"),
    cl::init(Verdict::Equivalent),
    cl::values(clEnumValN(Verdict::Identical, "identical", "The same bytes"),
               clEnumValN(Verdict::IdenticalButNote, "identical-but-note",
                          "The same bytes, except for the note in which a "
                          "linker names itself"),
               clEnumValN(Verdict::Scheduling, "scheduling",
                          "The same bytes, except for that note and for "
                          "instruction scheduling, which nvlink may redo"),
               clEnumValN(Verdict::Equivalent, "equivalent",
                          "Different bytes, the same program (default)")),
    cl::cat(category), cl::sub(ownOptions));
cl::opt<unsigned>
    maxLines("max-lines", cl::init(40),
             cl::desc("Print at most this many lines (default: 40; 0: all)"),
             cl::cat(category), cl::sub(ownOptions));
cl::opt<unsigned> perSection(
    "per-section", cl::init(8),
    cl::desc(
        "List at most this many differences per section (default: 8; 0: all)"),
    cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> asJson("json", cl::desc("Print the result as JSON"),
                     cl::cat(category), cl::sub(ownOptions));

void reportError(StringRef path, const Twine &text) {
  WithColor::error(errs(), "cubin-diff")
      << asPrintable(path) << ": " << text << '\n';
}

std::unique_ptr<MemoryBuffer> open(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = readRegularFileOrStdin(path);
  if (buffer)
    return std::move(*buffer);
  reportError(path, buffer.getError().message());
  return nullptr;
}

/// Members of wheels are unpacked where temporary files are.
SandboxRules makeSandboxRules() {
  SandboxRules rules;
  rules.reads = {first, second};
  SmallString<128> temporary;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, temporary);
  rules.folders.push_back(temporary.str().str());
  rules.onlyLooks = true;
  return rules;
}

/// Compares the files, prints the result, and returns the exit status.
int compareAndPrint(const ComparedFile &a, const ComparedFile &b) {
  CompareOptions options;
  options.perSection = perSection;
  options.kept = asJson ? 0 : maxLines;
  StringRef x = a.contents->getBuffer(), y = b.contents->getBuffer();
  Verdict verdict;
  bool isMalformed;
  if (x == y || (isCubin(x) && isCubin(y))) {
    const DiffReport report = compare(MemoryBufferRef(x, a.path),
                                      MemoryBufferRef(y, b.path), options);
    asJson ? printJson(report) : printText(report, maxLines);
    verdict = report.verdict;
    isMalformed = report.isMalformed;
  } else {
    const FilesReport report = compareFiles(a, b, options);
    asJson ? printJson(report) : printText(report, maxLines);
    verdict = report.verdict;
    isMalformed = report.isMalformed();
  }
  return isMalformed ? NoVerdict : verdict <= required ? 0 : 1;
}

} // namespace

int lld::cuda::runCubinDiff(int argc, char **argv) {
  useToolOptions(ownOptions);
  setProgramName("cubin-diff");
  prepareProgram("cubin-diff", NoVerdict);
  addToolOptions(category, "cubin-diff", argc, argv);
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Compares the device code of two files\n", &errs()))
    return NoVerdict;
  if (!applyToolOptions(makeSandboxRules()))
    return NoVerdict;
  if (first == "-" && second == "-") {
    reportError("command line", "both files can't be standard input");
    return NoVerdict;
  }
  ComparedFile a{first, open(first)}, b{second, open(second)};
  if (!a.contents || !b.contents)
    return NoVerdict;
  return finishOutput(compareAndPrint(a, b), NoVerdict);
}
