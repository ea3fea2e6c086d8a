//===- CallGraphs.cpp - --check: .nv.callgraph and .nv.prototype ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// checkCallGraph() compares .nv.callgraph and .nv.prototype of an output with
/// the call graph that the link found: who calls whom, whose address is taken,
/// which functions are called through pointers of which prototype. compare() in
/// Check.cpp calls it when headers and symbols are known to be right, since
/// edges name symbols by their numbers. Edges are compared as sets: their order
/// tells nothing. Functions that aren't reachable must have none.
///
//===----------------------------------------------------------------------===//

#include "Check/Image.h"
#include "Merge/NativeCallees.h"
#include "Numbered.h"
#include "Program.h"
#include "lld-cuda/Object/CallGraph.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

namespace {
/// An edge between functions, or to a prototype.
struct Edge {
  CallGraphGroup group;
  uint32_t from, to;
  StringRef prototype;

  auto key() const { return std::tie(group, from, to, prototype); }
};
using Edges = std::vector<Edge>;
} // namespace

static void listEdges(CallGraphGroup group, const Function &from,
                      ArrayRef<Function *> to, Edges &edges) {
  for (const Function *g : to)
    if (g->reachable)
      edges.push_back({group, from.index, g->index, {}});
}

static Edges findEdges(const CheckedImage &image, View view) {
  Edges edges;
  for (const Function &f : image.program().functions) {
    if (!f.reachable)
      continue;
    listEdges(CallGraphGroup::Calls, f, f.callees, edges);
    listEdges(CallGraphGroup::Takes, f, f.takes, edges);
    if (f.addressTaken)
      edges.push_back({CallGraphGroup::AddressTaken, f.index, 0,
                       f.hasPrototype ? f.prototype : StringRef()});
    for (StringRef prototype : f.indirectCalls)
      edges.push_back({CallGraphGroup::Indirect, f.index, 0, prototype});
  }
  if (view == View::Native)
    for (const auto &[f, callee] : image.program().nativeCallees->edges)
      edges.push_back({CallGraphGroup::Calls, f->index, callee->index, {}});
  return edges;
}

static std::string showEdge(const CheckedImage &image, const Edge &e) {
  const CubinSymbolTable &table = image.symbols(View::Native);
  auto name = [&](uint32_t symbol) {
    return symbol < table.symbols.size() ? table.name(table.symbols[symbol])
                                         : StringRef("?");
  };
  StringRef does, what = e.prototype;
  switch (e.group) {
  case CallGraphGroup::Calls:
    does = "calls";
    what = name(e.to);
    break;
  case CallGraphGroup::Takes:
    does = "takes the address of";
    what = name(e.to);
    break;
  case CallGraphGroup::Indirect:
    does = "calls pointers to";
    break;
  case CallGraphGroup::AddressTaken:
    does = "is called by pointers to";
    break;
  }
  return ("'" + name(e.from) + "' " + does + " '" + what + "'").str();
}

/// Compares edges as sets, because their order means nothing.
static void compareEdges(const CheckedImage &image, const OutputSection &sec,
                         Edges expected, Edges found, Findings &findings) {
  auto before = [](const Edge &a, const Edge &b) { return a.key() < b.key(); };
  llvm::sort(expected, before);
  llvm::sort(found, before);
  const CheckedPlace at{sec.name, {}, {}};
  auto e = expected.begin(), f = found.begin();
  while (e != expected.end() || f != found.end()) {
    if (e != expected.end() && f != found.end() && e->key() == f->key()) {
      ++e, ++f;
    } else if (f == found.end() || (e != expected.end() && before(*e, *f))) {
      findings.add(at, "edge", showEdge(image, *e++), "none");
    } else {
      findings.add(at, "edge", "none", showEdge(image, *f++));
    }
  }
}

static void compareCallGraph(const CheckedImage &image,
                             const OutputSection &sec, Findings &findings) {
  Edges found;
  Error error = forEachCallGraphRecord(
      image.file, sec.index, [&](const CallGraphRecord &r) {
        const bool isToSymbol = r.group == CallGraphGroup::Calls ||
                                r.group == CallGraphGroup::Takes;
        found.push_back(
            {r.group, r.symbol, isToSymbol ? r.other : 0, r.prototype});
        return Error::success();
      });
  if (error)
    return findings.add({sec.name, {}, {}}, "call graph", "readable contents",
                        toString(std::move(error)));
  compareEdges(image, sec, findEdges(image, sec.view()), std::move(found),
               findings);
}

static void comparePrototypes(const CheckedImage &image,
                              const OutputSection &sec, Findings &findings) {
  Edges expected, found;
  for (const Function &f : image.program().functions)
    if (f.hasPrototypeRecord())
      expected.push_back(
          {CallGraphGroup::AddressTaken, f.index, 0, f.prototype});
  Error error = forEachPrototype(
      image.file, sec.index, [&](uint32_t symbol, StringRef prototype) {
        found.push_back({CallGraphGroup::AddressTaken, symbol, 0, prototype});
        return Error::success();
      });
  if (error)
    return findings.add({sec.name, {}, {}}, "prototypes", "readable contents",
                        toString(std::move(error)));
  compareEdges(image, sec, std::move(expected), std::move(found), findings);
}

void checkCallGraph(const CheckedImage &image, Findings &findings) {
  for (const OutputSection *sec : image.meaning.numbered.finalSections) {
    if (sec->kind == SectionKind::CallGraph)
      compareCallGraph(image, *sec, findings);
    else if (sec->kind == SectionKind::Prototypes)
      comparePrototypes(image, *sec, findings);
  }
}

} // namespace lld::cuda
