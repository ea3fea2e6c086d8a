//===- cubin-check.cpp - Tells on which GPUs files run --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The program cubin-check: reads its command line, then the files (Facts.cpp),
/// checks them (Check.cpp) and prints the result in one of four forms
/// (Reports.h). People and CI call it on programs, libraries and wheels before
/// a release; no file is run or loaded. With --resources it prints what kernels
/// need instead. runCubinCheck() is its main function, also in cubin-tools.
/// Exit status: 0, 1 if something doesn't run or is wrong, 2 if something can't
/// be read, 3 after wrong use.
///
//===----------------------------------------------------------------------===//

#include "Reports.h"
#include "Tools.h"
#include "lld-cuda/Finished/Resources.h"
#include "lld-cuda/Support/Limits.h"
#include "lld-cuda/Support/Parallel.h"
#include "lld-cuda/Support/Printable.h"
#include "lld-cuda/Support/Program.h"
#include "lld-cuda/Support/RegularFile.h"
#include "lld-cuda/Support/ToolOptions.h"
#include "lld-cuda/Support/Version.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace lld::cuda;

namespace {

cl::OptionCategory category("cubin-check options");
cl::SubCommand ownOptions;

cl::list<std::string> inputs(cl::Positional, cl::desc("<file or directory>..."),
                             cl::cat(category), cl::sub(ownOptions));
cl::list<std::string> gpus(
    "gpu", cl::value_desc("sm_NN[,...]"),
    cl::desc(
        "The GPUs that every file must run on: sm_90 or 90, all, all-major, or "
        "a CMake list such as 'cmake:80-real;90'. May be repeated. Without it, "
        "the GPUs that the files run on are printed"),
    cl::cat(category), cl::sub(ownOptions));
cl::opt<std::string> driver(
    "driver", cl::value_desc("version"),
    cl::desc(
        "The driver version that the files will run with, such as 570.86.10"),
    cl::cat(category), cl::sub(ownOptions));
cl::list<std::string>
    libraryPath("library-path", cl::value_desc("dir"),
                cl::desc("A directory to search for libraries, as if "
                         "LD_LIBRARY_PATH named it. May be repeated"),
                cl::cat(category), cl::sub(ownOptions));
cl::opt<std::string> sysroot(
    "sysroot", cl::value_desc("dir"),
    cl::desc("The root directory of the system whose libraries are searched"),
    cl::cat(category), cl::sub(ownOptions));
cl::opt<bool>
    noLibraries("no-libraries",
                cl::desc("Don't check the libraries that a program loads"),
                cl::cat(category), cl::sub(ownOptions));
cl::opt<std::string> policyFile(
    "policy", cl::value_desc("file"),
    cl::desc(
        "A TOML file that lists accepted findings and the reason for each"),
    cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> wantsResources(
    "resources",
    cl::desc(
        "Print each kernel's registers, memory and occupancy, as text, or with "
        "--json or --html in the form of the linker's --resource-report"),
    cl::cat(category), cl::sub(ownOptions));
cl::opt<std::string> diff(
    "diff", cl::value_desc("old"),
    cl::desc(
        "With --resources: compare with an older file, wheel or directory"),
    cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> showsAll("all",
                       cl::desc("Print all files and findings; by default the "
                                "text has at most 24 lines"),
                       cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> wantsJson(
    "json",
    cl::desc("Print JSON; its schema is cubin-check.schema.json in the manual"),
    cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> wantsSarif("sarif", cl::desc("Print SARIF 2.1.0"),
                         cl::cat(category), cl::sub(ownOptions));
cl::opt<bool> wantsHtml("html", cl::desc("Print a self-contained HTML page"),
                        cl::cat(category), cl::sub(ownOptions));
cl::opt<unsigned> threads("threads", cl::value_desc("N"), cl::init(0),
                          cl::desc("Number of threads (default: one per core)"),
                          cl::cat(category), cl::sub(ownOptions));

constexpr int WrongUse = 3, NotReadable = 2;

void complain(StringRef label, const Twine &text) {
  WithColor::error(errs(), "cubin-check")
      << asPrintable(label) << ": " << asPrintable(text.str()) << '\n';
}

/// Reads --gpu and --driver. Returns false, after a message, if they are wrong.
bool readTargets(CheckOptions &options) {
  options.targets = allTargets();
  options.isAsked = !gpus.empty();
  if (options.isAsked) {
    // A list of CMake's has commas nowhere.
    std::string list;
    for (const std::string &word : gpus)
      list += (list.empty() ? "" : ",") + word;
    Expected<std::vector<Target>> targets = parseTargets(list);
    if (!targets) {
      complain("--gpu", toString(targets.takeError()));
      return false;
    }
    options.targets = std::move(*targets);
  }
  options.driver = driver;
  if (driver.empty())
    return true;
  Expected<unsigned> branch = parseDriver(driver);
  if (!branch) {
    complain("--driver", toString(branch.takeError()));
    return false;
  }
  options.driverBranch = *branch;
  return true;
}

/// Reads --policy. Returns 0, or after a message the exit status.
int readPolicyFile(CheckOptions &options) {
  if (policyFile.empty())
    return 0;
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = readRegularFile(policyFile);
  if (!buffer) {
    complain(policyFile, buffer.getError().message());
    return NotReadable;
  }
  Expected<Policy> policy = readPolicy((*buffer)->getBuffer());
  if (!policy) {
    complain(policyFile, toString(policy.takeError()));
    return WrongUse;
  }
  options.policy = std::move(*policy);
  return 0;
}

/// Whether folders of the command line are some.
bool checkFolders() {
  std::vector<std::string> folders(libraryPath.begin(), libraryPath.end());
  if (!sysroot.empty())
    folders.push_back(sysroot);
  bool areFolders = true;
  for (const std::string &folder : folders)
    if (!sys::fs::is_directory(folder)) {
      complain(folder, "it is not a directory");
      areFolders = false;
    }
  return areFolders;
}

/// Returns the folder to which members of wheels are unpacked.
std::string findTemporaryFolder() {
  SmallString<128> folder;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  return folder.str().str();
}

ReadOptions makeReadOptions() {
  ReadOptions reading;
  reading.temporaryFolder = findTemporaryFolder();
  reading.memoryLimit = getMemoryLimit();
  reading.threads = threads ? threads : availableProcessors();
  reading.followsLibraries = !noLibraries;
  reading.search.sysroot = StringRef(sysroot).rtrim('/').str();
  reading.search.libraryPath.assign(libraryPath.begin(), libraryPath.end());
  return reading;
}

int runResources() {
  const ReadOptions reading = makeReadOptions();
  ResourcesOptions options;
  options.files = {reading.temporaryFolder, reading.memoryLimit};
  options.threads = reading.threads;
  if (reading.followsLibraries)
    options.libraries = reading.search;
  int status = 0;
  auto report = [&](StringRef label, Error e) {
    complain(label, toString(std::move(e)));
    status = NotReadable;
  };
  FinishedResources now, before;
  for (const std::string &input : inputs)
    readResources(input, options, now, report);
  if (!diff.empty())
    readResources(diff, options, before, report);
  constexpr size_t MaxRows = 20;
  printResources(now, diff.empty() ? nullptr : &before,
                 wantsJson   ? ResourcesForm::Json
                 : wantsHtml ? ResourcesForm::Html
                             : ResourcesForm::Text,
                 showsAll ? 0 : MaxRows, outs());
  return finishOutput(status, /*failure=*/NotReadable);
}

int run(CheckOptions &options) {
  const ReadOptions reading = makeReadOptions();
  Facts facts;
  for (const std::string &input : inputs)
    readFiles(input, reading, facts);
  const CheckResult result = check(facts, options);
  const CheckReport shown = {facts, options, result, showsAll};
  (wantsJson    ? printJson
   : wantsSarif ? printSarif
   : wantsHtml  ? printHtml
                : printText)(shown, outs());
  return finishOutput(result.status, /*failure=*/NotReadable);
}

} // namespace

int lld::cuda::runCubinCheck(int argc, char **argv) {
  useToolOptions(ownOptions);
  const cl::extrahelp examples(
      "\nEXAMPLES:\n\n"
      "Check a program and all libraries that it loads:\n"
      "  cubin-check --gpu=sm_80,sm_90,sm_120 --driver=570.86.10 "
      "program\n"
      "Check a wheel before a release:\n"
      "  cubin-check --gpu=all-major --policy=gpus.toml package.whl\n"
      "\nNo file is run or loaded. Exit status: 0 if every file has code "
      "or usable PTX for each GPU; 1 if a file has neither or a finding "
      "is an error; 2 if a file can't be read; 3 for a wrong command "
      "line.\n");
  setProgramName("cubin-check");
  prepareProgram("cubin-check", NotReadable);
  addToolOptions(category, "cubin-check", argc, argv);
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Checks which GPUs programs and libraries can run on\n",
          &errs()))
    return WrongUse;
  if (inputs.empty()) {
    complain("command line", "no file or directory");
    return WrongUse;
  }
  if (wantsJson + wantsSarif + wantsHtml > 1) {
    complain("command line", "--json, --sarif and --html exclude each other");
    return WrongUse;
  }
  if ((wantsResources && wantsSarif) || (!diff.empty() && !wantsResources)) {
    complain("command line", wantsSarif
                                 ? "--resources and --sarif exclude each other"
                                 : "--diff needs --resources");
    return WrongUse;
  }
  // Where the libraries are that programs load isn't known before.
  SandboxRules rules;
  rules.folders.push_back(findTemporaryFolder());
  rules.onlyLooks = true;
  if (!applyToolOptions(rules))
    return NotReadable;
  CheckOptions options;
  if (!readTargets(options))
    return WrongUse;
  if (int status = readPolicyFile(options))
    return status;
  if (!checkFolders())
    return NotReadable;
  return wantsResources ? runResources() : run(options);
}
