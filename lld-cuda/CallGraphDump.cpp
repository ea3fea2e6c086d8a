//===- CallGraphDump.cpp - The call graph for people ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// -dump-callgraph and --dot-file (spec: symbols, section 4.4; inputs, 7.6).
/// nvlink prints demangled names with -dump-callgraph-no-demangle as well, and
/// tools that read the table expect them.
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Demangle.h"
#include "OutputFile.h"
#include "Passes.h"

using namespace llvm;

namespace lld::cuda {

/// What a function may call in nvlink's order: prototypes and their functions
/// are put in front one by one, so the last target of the first prototype read
/// stands first. -r doesn't resolve indirect calls.
template <typename Visit>
static void forEachEdge(const Ctx &ctx, const Function &f, Visit visit) {
  if (!ctx.isRelocatable())
    for (StringRef prototype : f.indirectCalls)
      for (Function *target : reverse(ctx.callGraph.indirectTargets(prototype)))
        visit(*target);
  for (Function *callee : reverse(f.callees))
    visit(*callee);
}

static void dumpTable(Ctx &ctx) {
  raw_ostream &os = ctx.diag.stream();
  os << "callgraph for sm_" << ctx.config.arch.number
     << ":\n"
        "# A: s -> B // s (number A) potentially calls B\n"
        "# s [N]     // s uses N registers\n"
        "# ^s        // s is entry point\n"
        "# &s        // s has address taken\n";
  for (Function &f : ctx.functions) {
    os << f.ordinal + 1 << ": ";
    if (f.live) {
      os << (f.isEntry ? "^" : "") << (f.addressTaken ? "&" : "")
         << demangleLikeNvlink(f.name);
      if (f.text)
        os << " [" << f.registers << "]";
      os << " ->";
      forEachEdge(ctx, f, [&](Function &g) { os << ' ' << g.ordinal + 1; });
    }
    os << '\n';
  }
}

void dumpCallGraph(Ctx &ctx) {
  const Config &config = ctx.config;
  if ((config.dumpCallGraph || config.dumpCallGraphNoDemangle) &&
      !ctx.isRelocatable())
    dumpTable(ctx);
}

void writeDotFile(Ctx &ctx) {
  std::string text = "digraph callgraph {\n";
  raw_string_ostream os(text);
  for (Function &f : ctx.functions)
    if (f.live)
      forEachEdge(ctx, f, [&](Function &g) {
        os << f.name << " -> " << g.name << ";\n";
      });
  os << "}\n";
  saveFile(ctx, *ctx.config.dotFile, text);
}

} // namespace lld::cuda
