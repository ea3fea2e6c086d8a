//===- CallGraphDump.cpp - The call graph for people ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// -dump-callgraph and --dot-file [call-graph-dump].
/// nvlink prints demangled names with -dump-callgraph-no-demangle as well, and
/// tools that read the table expect them.
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Input/ObjectFile.h"
#include "Output/SaveFile.h"
#include "Passes.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "llvm/ADT/STLExtras.h"

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

/// The function's number; nodes without a name count, too.
static unsigned nodeNumber(const Ctx &ctx, const Function &f) {
  return f.ordinal + 1 +
         (llvm::upper_bound(ctx.namelessNodes, f.ordinal) -
          ctx.namelessNodes.begin());
}

static void dumpTable(Ctx &ctx) {
  // Standard error has no buffer: every word of the table would be a call.
  constexpr size_t BufferSize = 1 << 16;
  raw_ostream &err = ctx.diag.stream();
  if (ctx.objects.empty()) {
    err << "No relocatable objects found. Did not generate callgraph.\n";
    return;
  }
  SmallString<0> text;
  raw_svector_ostream os(text);
  os << "callgraph for sm_" << ctx.config.arch.number
     << ":\n"
        "# A: s -> B // s (number A) potentially calls B\n"
        "# s [N]     // s uses N registers\n"
        "# ^s        // s is entry point\n"
        "# &s        // s has address taken\n";
  for (Function &f : ctx.functions) {
    const unsigned number = nodeNumber(ctx, f);
    if (llvm::binary_search(ctx.namelessNodes, f.ordinal))
      os << number - 1 << ": \n";
    os << number << ": ";
    if (f.reachable) {
      os << (f.isCounted ? "^" : "") << (f.addressTaken ? "&" : "")
         << ctx.diag.shown(demangleLikeNvlink(f.name));
      if (f.text)
        os << " [" << f.registers << "]";
      os << " ->";
      forEachEdge(ctx, f,
                  [&](Function &g) { os << ' ' << nodeNumber(ctx, g); });
    }
    os << '\n';
    if (text.size() >= BufferSize) {
      err << text;
      text.clear();
    }
  }
  err << text;
}

void dumpCallGraph(Ctx &ctx) {
  const Config &config = ctx.config;
  if ((config.dumpCallGraph || config.dumpCallGraphNoDemangle) &&
      !ctx.isRelocatable())
    dumpTable(ctx);
}

/// Only in quotes dot takes all characters.
static std::string nodeName(const Ctx &ctx, StringRef function) {
  std::string name = ctx.diag.shown(function);
  return name == function ? name : "\"" + name + "\"";
}

void writeDotFile(Ctx &ctx) {
  std::string text = "digraph callgraph {\n";
  raw_string_ostream os(text);
  for (Function &f : ctx.functions)
    if (f.reachable)
      forEachEdge(ctx, f, [&](Function &g) {
        os << nodeName(ctx, f.name) << " -> " << nodeName(ctx, g.name) << ";\n";
      });
  os << "}\n";
  saveFileAfterErrors(ctx, *ctx.config.dotFile, std::move(text));
}

} // namespace lld::cuda
