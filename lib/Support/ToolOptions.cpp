//===- ToolOptions.cpp - Options that all tools have ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gives cubin-dump, -diff, -size, -check and -prune the options
/// --memory-limit, --time-limit and --sandbox. Each tool's main function calls
/// addToolOptions() before it parses its command line, which applies the two
/// limits at once, and applyToolOptions() after that, before it opens a file.
/// The options are made when a tool asks for them, not as global objects: the
/// linker, to which this library is linked as well, has no static constructors.
/// useToolOptions() makes a tool's own options the program's, since cubin-tools
/// contains all tools and two of them may have an option of the same name.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/ToolOptions.h"
#include "lld-cuda/Support/Limits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace lld::cuda;

static const char *toolName;
static cl::opt<unsigned> *memoryOption, *timeOption;
static cl::opt<SandboxMode> *sandboxOption;

/// Removes LLVM's options of these names. The shared library of LLVM registers
/// those of all of LLVM: "threads", for example, is one of ThinLTO's.
static void removeOthers(cl::SubCommand &ownOptions) {
  auto &known = cl::SubCommand::getTopLevel().OptionsMap;
  for (auto &[name, option] : ownOptions.OptionsMap)
    if (auto it = known.find(name); it != known.end())
      it->second->removeArgument();
}

void lld::cuda::useToolOptions(cl::SubCommand &ownOptions) {
  removeOthers(ownOptions);
  SmallVector<cl::Option *, 32> options(ownOptions.PositionalOpts.begin(),
                                        ownOptions.PositionalOpts.end());
  for (auto &[name, option] : ownOptions.OptionsMap)
    if (!is_contained(options, option))
      options.push_back(option);
  for (cl::Option *option : options) {
    option->Subs.clear();
    option->addSubCommand(cl::SubCommand::getTopLevel());
    option->addArgument();
  }
  // One without a name has those of its values.
  for (auto &[name, option] : ownOptions.OptionsMap)
    if (!option->hasArgStr())
      cl::AddLiteralOption(*option, name);
}

void lld::cuda::addToolOptions(cl::OptionCategory &category,
                               const char *program, int argc, char **argv) {
  static cl::opt<unsigned> memory(
      "memory-limit", cl::value_desc("MiB"),
      cl::desc("Stop when the files need more memory than this, besides 64 MiB "
               "for the program itself (default: what the machine has)"),
      cl::cat(category));
  static cl::opt<unsigned> time(
      "time-limit", cl::value_desc("seconds"),
      cl::desc("Stop after this many seconds (default: no limit)"),
      cl::cat(category));
  static cl::opt<SandboxMode> sandbox(
      "sandbox",
      cl::desc(
          "Give up rights that the program doesn't need, such as the network:"),
      cl::init(SandboxMode::Auto),
      cl::values(
          clEnumValN(SandboxMode::Auto, "auto",
                     "As far as the kernel supports it (default)"),
          clEnumValN(SandboxMode::Yes, "yes",
                     "Stop with an error where the kernel doesn't support it"),
          clEnumValN(SandboxMode::No, "no", "Keep all rights")),
      cl::cat(category));
  toolName = program;
  memoryOption = &memory;
  timeOption = &time;
  sandboxOption = &sandbox;
  applyLimits(findLimits(ArrayRef<const char *>(argv, argc)));
}

bool lld::cuda::applyToolOptions(const SandboxRules &rules) {
  applyLimits({*memoryOption, *timeOption});
  if (*sandboxOption != SandboxMode::No)
    limitToAvailableMemory();
  Error e = enterSandbox(*sandboxOption, rules, toolName);
  if (!e)
    return true;
  WithColor::error(errs(), toolName) << toString(std::move(e)) << '\n';
  return false;
}
