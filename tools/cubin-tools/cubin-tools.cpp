//===- cubin-tools.cpp - The cubin-* tools as one program -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The main function of a program that contains cubin-check, cubin-diff,
/// cubin-dump, cubin-prune and cubin-size. It runs the tool whose name it is
/// called by, through a link to it, or the tool that its first word names. The
/// tools have most of their code in common, LLVM's and the readers of all
/// formats; five static programs would each have a copy of it.
///
//===----------------------------------------------------------------------===//

#include "Tools.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

using namespace llvm;
using namespace lld::cuda;

namespace {

struct Tool {
  StringLiteral name;
  int (*run)(int argc, char **argv);
};

constexpr Tool Tools[] = {
    {"cubin-check", runCubinCheck}, {"cubin-diff", runCubinDiff},
    {"cubin-dump", runCubinDump},   {"cubin-prune", runCubinPrune},
    {"cubin-size", runCubinSize},
};

const Tool *findTool(StringRef word) {
  for (const Tool &tool : Tools)
    if (tool.name == sys::path::filename(word))
      return &tool;
  return nullptr;
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 0)
    if (const Tool *tool = findTool(argv[0]))
      return tool->run(argc, argv);
  if (argc > 1)
    if (const Tool *tool = findTool(argv[1]))
      return tool->run(argc - 1, argv + 1);
  std::string names;
  for (const Tool &tool : Tools)
    names += " " + tool.name.str();
  errs() << "cubin-tools: error: run it under the name of a tool, or with that "
            "name as the first argument:"
         << names << '\n';
  return 1;
}
