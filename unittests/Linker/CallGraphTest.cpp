//===- CallGraphTest.cpp - Closures over the call graph -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Closures over components are compared with a plain search from every
/// function, on hand-made and on random graphs with cycles and indirect calls.
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace lld::cuda;

namespace {

struct Graph {
  LinkJob job{llvm::outs(), llvm::errs()};
  Ctx ctx{job};

  explicit Graph(unsigned count) {
    for (unsigned i = 0; i != count; ++i)
      ctx.program.functions.emplace_back("f", llvm::ELF::STB_GLOBAL, i);
  }
  Function &operator[](unsigned i) { return ctx.program.functions[i]; }
  void call(unsigned from, unsigned to) {
    (*this)[from].callees.push_back(ctx.inputs.memory.arena, &(*this)[to]);
  }
  void take(unsigned f, llvm::StringRef prototype) {
    (*this)[f].addressTaken = (*this)[f].hasPrototype = true;
    (*this)[f].prototype = prototype;
  }
  void callIndirectly(unsigned from, llvm::StringRef prototype) {
    (*this)[from].indirectCalls.push_back(ctx.inputs.memory.arena, prototype);
  }

  /// What a plain search finds: all functions reachable from `root`, without
  /// itself unless a path leads back.
  std::set<unsigned> search(unsigned root) {
    std::set<unsigned> seen;
    std::vector<unsigned> work{root};
    while (!work.empty()) {
      Function &f = (*this)[work.back()];
      work.pop_back();
      auto visit = [&](Function &g) {
        if (seen.insert(g.ordinal).second)
          work.push_back(g.ordinal);
      };
      for (Function *g : f.callees)
        visit(*g);
      for (llvm::StringRef p : f.indirectCalls)
        for (Function &g : ctx.program.functions)
          if (g.addressTaken && g.prototype == p)
            visit(g);
    }
    return seen;
  }
  bool searchCycle(unsigned root) {
    std::set<unsigned> reached = search(root);
    reached.insert(root);
    for (unsigned f : reached)
      if (search(f).count(f))
        return true;
    return false;
  }
  /// Compares every question with the plain search's answer.
  void check();
};

void Graph::check() {
  ctx.program.callGraph.build(ctx.program);
  const CallGraph &graph = ctx.program.callGraph;
  auto minima = graph.closure<unsigned>(
      ~0u,
      [](Function &f, unsigned &v) { v = std::min(v, f.ordinal * 7 % 11); },
      [](unsigned &into, unsigned from) { into = std::min(into, from); });
  std::vector<Function *> all;
  std::vector<std::vector<Function *>> carriers;
  for (Function &f : ctx.program.functions) {
    all.push_back(&f);
    carriers.push_back({&f});
  }
  std::vector<std::set<unsigned>> reaching(all.size());
  std::vector<unsigned> last(all.size());
  graph.forEachReachingKernel(carriers, all, [&](unsigned item, unsigned e) {
    EXPECT_TRUE(reaching[e].insert(item).second) << "visited twice";
    EXPECT_LE(last[item], e) << "entries come in order";
    last[item] = e;
  });
  for (unsigned i = 0; i != all.size(); ++i) {
    EXPECT_EQ(graph.reachesCycle(*all[i]), searchCycle(i)) << i;
    std::set<unsigned> reached = search(i);
    reached.insert(i);
    EXPECT_EQ(reaching[i], reached) << i;
    unsigned least = ~0u;
    for (unsigned f : reached)
      least = std::min(least, f * 7 % 11);
    EXPECT_EQ(minima[graph.component(*all[i])], least) << i;
    std::set<unsigned> listed;
    for (Function *f : graph.reachable(*all[i]))
      listed.insert(f->ordinal);
    EXPECT_EQ(listed, reached) << i;
    for (uint32_t s : graph.successors(graph.component(*all[i])))
      EXPECT_LT(s, graph.component(*all[i])) << "callees come first";
  }
}

TEST(CallGraph, Empty) { Graph(0).check(); }

TEST(CallGraph, Chain) {
  Graph g(4);
  g.call(0, 1);
  g.call(1, 2);
  g.call(2, 3);
  g.check();
}

TEST(CallGraph, SelfRecursionIsACycle) {
  Graph g(2);
  g.call(0, 1);
  g.call(1, 1);
  g.check();
}

TEST(CallGraph, MutualRecursion) {
  Graph g(4);
  g.call(0, 1);
  g.call(1, 2);
  g.call(2, 1);
  g.call(3, 3);
  g.check();
}

// [call-graph-indirect]
TEST(CallGraph, IndirectCallReachesEqualPrototypesOnly) {
  Graph g(4);
  g.callIndirectly(0, "#ii");
  g.take(1, "#ii");
  g.take(2, "#vi");
  g.take(3, "#ii");
  g.check();
  EXPECT_EQ(g.ctx.program.callGraph.indirectTargets("#ii").size(), 2u);
  EXPECT_EQ(g.ctx.program.callGraph.indirectTargets("#f").size(), 0u);
}

TEST(CallGraph, IndirectCallBackToTheCallerIsACycle) {
  Graph g(2);
  g.callIndirectly(0, "#v");
  g.take(0, "#v");
  g.take(1, "#v");
  g.check();
  EXPECT_EQ(g.ctx.program.callGraph.cyclicIndirectTargets("#v"), 1u);
}

TEST(CallGraph, DeepGraphNeedsNoStack) {
  constexpr unsigned Depth = 300000;
  Graph g(Depth);
  for (unsigned i = 0; i + 1 != Depth; ++i)
    g.call(i, i + 1);
  g.ctx.program.callGraph.build(g.ctx.program);
  EXPECT_EQ(g.ctx.program.callGraph.componentCount(), Depth);
  EXPECT_EQ(g.ctx.program.callGraph.reachable(g[0]).size(), Depth);
}

TEST(CallGraph, ManySmallGraphs) {
  // Created callers first in every other one, so that neither their order nor
  // that of the components is the functions'.
  constexpr unsigned Count = 1600;
  Graph g(Count);
  for (unsigned i = 0; i != Count; i += 4)
    for (unsigned f = i; f != i + 3; ++f)
      i % 8 ? g.call(f, f + 1) : g.call(f + 1, f);
  g.check();
}

TEST(CallGraph, RandomGraphs) {
  static const char *const Prototypes[] = {"#v", "#ii", "#f"};
  for (unsigned seed = 0; seed != 60; ++seed) {
    std::mt19937 rng(seed);
    // More than 64 functions, so that carriers need several blocks.
    const unsigned count = 1 + rng() % 90;
    Graph g(count);
    for (unsigned edges = rng() % (2 * count); edges; --edges)
      g.call(rng() % count, rng() % count);
    for (unsigned i = 0; i != count; ++i) {
      if (rng() % 8 == 0)
        g.take(i, Prototypes[rng() % 3]);
      if (rng() % 8 == 0)
        g.callIndirectly(i, Prototypes[rng() % 3]);
    }
    g.check();
  }
}

} // namespace
