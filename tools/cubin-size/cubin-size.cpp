//===- cubin-size.cpp - Tells what makes programs large -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The program cubin-size: reads its command line, measures each file
/// (Measure.cpp), makes the tables that --by names (Tables.cpp) and prints them
/// as text, JSON or a page (Reports.h). Developers and CI call it to see what
/// makes a program or library large, or with --diff what has grown. With
/// --resources it prints what kernels need instead. runCubinSize() is its main
/// function, also in cubin-tools. Exit status: 0, or 1 if a file could not be
/// read or not in full; what could is shown all the same.
///
//===----------------------------------------------------------------------===//

#include "Reports.h"
#include "Tools.h"
#include "lld-cuda/Finished/Resources.h"
#include "lld-cuda/Support/Limits.h"
#include "lld-cuda/Support/Parallel.h"
#include "lld-cuda/Support/Printable.h"
#include "lld-cuda/Support/Program.h"
#include "lld-cuda/Support/ToolOptions.h"
#include "lld-cuda/Support/Version.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace lld::cuda;

namespace {

cl::OptionCategory category("cubin-size options");
cl::SubCommand ownOptions;

cl::list<std::string> inputs(cl::Positional, cl::desc("<file or directory>..."),
                             cl::cat(category), cl::sub(ownOptions));
cl::list<std::string> by(
    "by", cl::value_desc("domain[,domain...]"),
    cl::desc("Print a table of sizes with one row for each kind, arch, use, "
             "function, template, source (file), file, or member (of an "
             "archive). Several names make one row per combination. May be "
             "repeated for several tables. Default: kind, arch, use, template"),
    cl::cat(category), cl::sub(ownOptions));
cl::opt<unsigned>
    top("top", cl::value_desc("N"), cl::init(20),
        cl::desc(
            "Print at most this many rows of each table (default: 20; 0: all)"),
        cl::cat(category), cl::sub(ownOptions));
cl::opt<std::string>
    diff("diff", cl::value_desc("old"),
         cl::desc("Compare with an older file, wheel or directory"),
         cl::cat(category), cl::sub(ownOptions));
cl::opt<bool>
    wantsResources("resources",
                   cl::desc("Print each linked kernel's registers, memory and "
                            "occupancy, as text, or with --json or --html in "
                            "the form of the linker's --resource-report"),
                   cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> wantsJson(
    "json",
    cl::desc("Print JSON; its schema is cubin-size.schema.json in the manual"),
    cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> html("html", cl::desc("Print a self-contained HTML page"),
                   cl::cat(category), cl::sub(ownOptions));
cl::opt<unsigned> threads("threads", cl::value_desc("N"), cl::init(0),
                          cl::desc("Number of threads (default: one per core)"),
                          cl::cat(category), cl::sub(ownOptions));

bool failed = false;

void complain(StringRef label, const Twine &text) {
  WithColor::error(errs(), "cubin-size")
      << asPrintable(label) << ": " << asPrintable(text.str()) << '\n';
  failed = true;
}

void measureInto(StringRef path, const MeasureOptions &options,
                 Measurement &result) {
  measure(path, options, result, [](StringRef label, Error e) {
    complain(label, toString(std::move(e)));
  });
}

/// Returns the folder to which members of wheels are unpacked.
std::string findTemporaryFolder() {
  SmallString<128> folder;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  return folder.str().str();
}

int runResources() {
  ResourcesOptions options;
  options.files = {findTemporaryFolder(), getMemoryLimit()};
  options.threads = threads ? threads : availableProcessors();
  auto reportError = [](StringRef label, Error e) {
    complain(label, toString(std::move(e)));
  };
  FinishedResources now, before;
  for (const std::string &input : inputs)
    readResources(input, options, now, reportError);
  if (!diff.empty())
    readResources(diff, options, before, reportError);
  printResources(now, diff.empty() ? nullptr : &before,
                 wantsJson ? ResourcesForm::Json
                 : html    ? ResourcesForm::Html
                           : ResourcesForm::Text,
                 top, outs());
  return finishOutput(failed);
}

SandboxRules makeSandboxRules() {
  SandboxRules rules;
  rules.reads.emplace(inputs.begin(), inputs.end());
  if (!diff.empty())
    rules.reads->push_back(diff);
  rules.folders.push_back(findTemporaryFolder());
  rules.onlyLooks = true;
  return rules;
}

/// The domains of each table; nothing if a name is wrong.
std::optional<std::vector<SmallVector<Domain, 4>>> parseTables() {
  constexpr size_t MaxDomains = 4;
  std::vector<std::string> wanted(by.begin(), by.end());
  if (wanted.empty())
    wanted = {"kind", "arch", "use", "template"};
  std::vector<SmallVector<Domain, 4>> tables;
  for (StringRef list : wanted) {
    SmallVector<StringRef, 4> names;
    list.split(names, ',');
    if (names.size() > MaxDomains) {
      complain("--by", "more than 4 domains: '" + list + "'");
      return std::nullopt;
    }
    tables.emplace_back();
    for (StringRef name : names) {
      std::optional<Domain> domain = parseDomain(name);
      if (!domain) {
        complain("--by",
                 "unknown domain '" + name + "'; known: " + listDomainNames());
        return std::nullopt;
      }
      tables.back().push_back(*domain);
    }
  }
  return tables;
}

uint64_t sumStored(const Measurement &measured) {
  uint64_t sum = 0;
  for (const SizeRow &row : measured.rows)
    sum += row.stored;
  return sum;
}

uint64_t countFiles(const Measurement &measured) {
  DenseSet<uint32_t> files;
  for (const SizeRow &row : measured.rows)
    files.insert(row.file);
  return files.size();
}

/// Makes the treemaps of a page, which comparisons don't have.
std::vector<Picture> drawPictures(Measurement &measured,
                                  const MeasureOptions &options) {
  std::vector<Picture> pictures;
  pictures.push_back(
      {"Bytes by kind, architecture and use",
       makeTree(measured, {Domain::Kind, Domain::Arch, Domain::Use})});
  if (countFiles(measured) > 1)
    pictures.push_back(
        {"Bytes by file, kind and architecture",
         makeTree(measured, {Domain::File, Domain::Kind, Domain::Arch})});
  pictures.push_back(
      {"Functions by namespace and name", makeFunctionTree(measured)});
  if (options.bySource)
    pictures.push_back({"Code by source file", makeSourceTree(measured)});
  return pictures;
}

int run(ArrayRef<SmallVector<Domain, 4>> domains) {
  MeasureOptions options;
  options.triesCompression = diff.empty();
  options.memoryLimit = getMemoryLimit();
  options.threads = threads ? threads : availableProcessors();
  for (const auto &list : domains)
    options.bySource |= is_contained(list, Domain::Source);
  Measurement measured, old;
  for (const std::string &input : inputs)
    measureInto(input, options, measured);
  // Tables of nothing say nothing; programs get a document.
  if (failed && !wantsJson && measured.rows.empty() && !measured.otherFiles)
    return 1;
  SizeReport result;
  result.title = inputs.front();
  if (inputs.size() > 1)
    result.title += " and " + utostr(inputs.size() - 1) + " more";
  result.files = countFiles(measured);
  result.stored = sumStored(measured);
  result.otherFiles = measured.otherFiles;
  result.otherBytes = measured.otherBytes;
  result.plainCode = measured.plainCode;
  result.plainSaving = measured.getPlainSaving();
  result.top = top;
  if (!diff.empty()) {
    measureInto(diff, options, old);
    result.storedBefore = sumStored(old);
  } else {
    result.equalCode = findEqualCode(measured, top);
    if (html)
      result.pictures = drawPictures(measured, options);
  }
  for (const auto &list : domains)
    result.tables.push_back(diff.empty() ? makeTable(measured, list)
                                         : makeDiffTable(old, measured, list));
  (wantsJson ? printJson : html ? printHtml : printText)(result, outs());
  return finishOutput(failed);
}

} // namespace

int lld::cuda::runCubinSize(int argc, char **argv) {
  useToolOptions(ownOptions);
  const cl::extrahelp examples(
      "\nEXAMPLES:\n\n"
      "Show a wheel's device code by architecture and by file:\n"
      "  cubin-size --by=arch,kind --by=file package.whl\n"
      "Show what has grown since the last release:\n"
      "  cubin-size --by=template --diff=old.so new.so\n"
      "Show kernels that lost occupancy:\n"
      "  cubin-size --resources --diff=old.so new.so\n"
      "\ncubin-prune removes unneeded device code.\n");
  setProgramName("cubin-size");
  prepareProgram("cubin-size");
  addToolOptions(category, "cubin-size", argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Shows where the bytes of device code go\n");
  if (!applyToolOptions(makeSandboxRules()))
    return 1;
  auto domains = parseTables();
  if (inputs.empty())
    complain("command line", "no file or directory");
  if (wantsJson && html)
    complain("command line", "--json and --html exclude each other");
  if (wantsResources && !by.empty())
    complain("command line", "--resources and --by exclude each other");
  if (failed)
    return 1;
  return wantsResources ? runResources() : run(*domains);
}
