//===- CallGraphDump.cpp - The call graph for people ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// dumpCallGraph() prints the table of -dump-callgraph, a line for each
/// function with the numbers of those that it may call; reportLayout() in
/// Link.cpp calls it when dead functions are removed and memory is laid out,
/// even after errors. writeDotFile() writes the same edges for Graphviz
/// (--dot-file), at the end of a link [call-graph-dump]. nvlink prints
/// demangled names with -dump-callgraph-no-demangle as well, and tools that
/// read the table expect them.
///
//===----------------------------------------------------------------------===//

#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Output/SaveFile.h"
#include "Passes.h"
#include "Program.h"
#include "lld-cuda/Demangle/Demangle.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"

using namespace llvm;

namespace lld::cuda {

/// What a function may call in nvlink's order: prototypes and their functions
/// are put in front one by one, so the last target of the first prototype read
/// stands first. -r doesn't resolve indirect calls.
template <typename Visit>
static void forEachEdge(const Inputs &inputs, const Program &program,
                        const Function &f, Visit visit) {
  if (!inputs.isRelocatable())
    for (StringRef prototype : f.indirectCalls)
      for (Function *target :
           reverse(program.callGraph.indirectTargets(prototype)))
        visit(*target);
  for (Function *callee : reverse(f.callees))
    visit(*callee);
}

/// The function's number; nodes without a name count, too.
static unsigned nodeNumber(const Program &program, const Function &f) {
  return f.ordinal + 1 +
         (llvm::upper_bound(program.namelessNodes, f.ordinal) -
          program.namelessNodes.begin());
}

static void dumpTable(const Inputs &inputs, Program &program) {
  // Standard error has no buffer: every word of the table would be a call.
  constexpr size_t BufferSize = 1 << 16;
  raw_ostream &err = inputs.diag.stream();
  if (program.objects.empty()) {
    err << "No relocatable objects found. Did not generate callgraph.\n";
    return;
  }
  SmallString<0> text;
  raw_svector_ostream os(text);
  os << "callgraph for sm_" << inputs.config.arch.number
     << ":\n"
        "# A: s -> B // s (number A) potentially calls B\n"
        "# s [N]     // s uses N registers\n"
        "# ^s        // s is entry point\n"
        "# &s        // s has address taken\n";
  for (Function &f : program.functions) {
    const unsigned number = nodeNumber(program, f);
    if (llvm::binary_search(program.namelessNodes, f.ordinal))
      os << number - 1 << ": \n";
    os << number << ": ";
    if (f.reachable) {
      os << (f.isCounted ? "^" : "") << (f.addressTaken ? "&" : "")
         << inputs.diag.shown(demangleLikeNvlink(f.name));
      if (f.text)
        os << " [" << f.registers << "]";
      os << " ->";
      forEachEdge(inputs, program, f,
                  [&](Function &g) { os << ' ' << nodeNumber(program, g); });
    }
    os << '\n';
    if (text.size() >= BufferSize) {
      err << text;
      text.clear();
    }
  }
  err << text;
}

void dumpCallGraph(const Inputs &inputs, Program &program) {
  const Config &config = inputs.config;
  if ((config.dumpCallGraph || config.dumpCallGraphNoDemangle) &&
      !inputs.isRelocatable())
    dumpTable(inputs, program);
}

/// Graphviz's dot accepts special characters in a name only within quotes.
static std::string nodeName(const Inputs &inputs, StringRef function) {
  std::string name = inputs.diag.shown(function);
  return name == function ? name : "\"" + name + "\"";
}

void writeDotFile(const Inputs &inputs, Program &program) {
  std::string text = "digraph callgraph {\n";
  raw_string_ostream os(text);
  for (Function &f : program.functions)
    if (f.reachable)
      forEachEdge(inputs, program, f, [&](Function &g) {
        os << nodeName(inputs, f.name) << " -> " << nodeName(inputs, g.name)
           << ";\n";
      });
  os << "}\n";
  saveFileAfterErrors(inputs, *inputs.config.dotFile, std::move(text));
}

} // namespace lld::cuda
