//===- CallGraph.cpp - The call graph: cycles, reachability ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// CallGraph::build() makes the call graph of a link: its nodes are functions
/// and prototypes of indirect calls, and nodes that call each other in a circle
/// form one component. layoutImage() in Link.cpp calls it once, when all
/// objects are merged and it is known which kernels count. Passes then ask the
/// graph what a function reaches and which kernels reach a function:
/// MarkReachable.cpp, the layout of memory, Resources.cpp, and the reports.
///
/// Components are numbered callees first, so a pass can sum up facts in one
/// loop over the components, without recursion. Tarjan's algorithm, which finds
/// them, has a stack of its own here, since the input decides how deep the
/// graph is.
///
//===----------------------------------------------------------------------===//

#include "CallGraph.h"
#include "Program.h"
#include <numeric>

using namespace llvm;

namespace lld::cuda {

void CallGraph::build(Program &program) {
  const unsigned functionCount = program.functions.size();
  unsigned nodeCount = functionCount;
  for (Function &f : program.functions)
    for (StringRef p : f.indirectCalls)
      if (auto [it, inserted] = prototypes.try_emplace(p); inserted)
        it->second.node = nodeCount++;
  std::vector<PrototypeNode *> prototypeOf(nodeCount - functionCount);
  for (auto &[name, p] : prototypes)
    prototypeOf[p.node - functionCount] = &p;
  for (Function &f : program.functions) {
    if (!f.addressTaken || !f.hasPrototype)
      continue;
    if (auto it = prototypes.find(f.prototype); it != prototypes.end())
      it->second.targets.push_back(&f);
  }

  SmallVector<uint32_t, 0> edgeStart(nodeCount + 1), edges;
  for (Function &f : program.functions) {
    edgeStart[f.ordinal] = edges.size();
    for (Function *callee : f.callees)
      edges.push_back(callee->ordinal);
    for (StringRef p : f.indirectCalls)
      edges.push_back(prototypes.find(p)->second.node);
  }
  // An indirect call reaches all of its prototype [call-graph-indirect].
  for (PrototypeNode *p : prototypeOf) {
    edgeStart[p->node] = edges.size();
    for (Function *target : p->targets)
      edges.push_back(target->ordinal);
  }
  edgeStart[nodeCount] = edges.size();

  findComponents(edgeStart, edges);
  linkComponents(program, edgeStart, edges);
  for (PrototypeNode *p : prototypeOf)
    for (Function *target : p->targets)
      p->cyclicTargets += reachesCycle(*target);
}

void CallGraph::findComponents(ArrayRef<uint32_t> edgeStart,
                               ArrayRef<uint32_t> edges) {
  const unsigned n = edgeStart.size() - 1;
  constexpr uint32_t Unvisited = ~0u;
  SmallVector<uint32_t, 0> number(n, Unvisited), low(n), nextEdge(n);
  SmallVector<uint32_t, 32> path, open;
  componentOf.assign(n, Unvisited);
  const MutableArrayRef<uint32_t> componentOfNode(componentOf);
  componentTotal = 0;
  uint32_t counter = 0;

  auto enter = [&](uint32_t v) {
    number[v] = low[v] = counter++;
    nextEdge[v] = edgeStart[v];
    path.push_back(v);
    open.push_back(v);
  };
  auto close = [&](uint32_t root) {
    uint32_t v;
    do {
      v = open.back();
      open.pop_back();
      componentOfNode[v] = componentTotal;
    } while (v != root);
    ++componentTotal;
  };

  for (uint32_t start = 0; start != n; ++start) {
    if (number[start] != Unvisited)
      continue;
    enter(start);
    while (!path.empty()) {
      uint32_t v = path.back();
      if (nextEdge[v] != edgeStart[v + 1]) {
        uint32_t w = edges[nextEdge[v]++];
        if (number[w] == Unvisited)
          enter(w);
        else if (componentOfNode[w] == Unvisited)
          low[v] = std::min(low[v], number[w]);
        continue;
      }
      path.pop_back();
      if (low[v] == number[v])
        close(v);
      if (!path.empty())
        low[path.back()] = std::min(low[path.back()], low[v]);
    }
  }
}

void CallGraph::linkComponents(Program &program, ArrayRef<uint32_t> edgeStart,
                               ArrayRef<uint32_t> edges) {
  const unsigned n = edgeStart.size() - 1;
  // Nodes by component: a counting sort that keeps creation order.
  const ArrayRef<uint32_t> componentOfNode(componentOf);
  SmallVector<uint32_t, 0> nodeStart(componentTotal + 1), nodes(n);
  for (uint32_t c : componentOfNode)
    ++nodeStart[c + 1];
  for (unsigned c = 0; c != componentTotal; ++c)
    nodeStart[c + 1] += nodeStart[c];
  SmallVector<uint32_t, 0> cursor = nodeStart;
  for (uint32_t v = 0; v != n; ++v)
    nodes[cursor[componentOfNode[v]]++] = v;

  cyclic.assign(componentTotal, false);
  successorStart.resize(componentTotal + 1);
  memberStart.resize(componentTotal + 1);
  const MutableArrayRef<uint32_t> successorEnd =
      MutableArrayRef(successorStart).drop_front();
  const MutableArrayRef<uint32_t> memberEnd =
      MutableArrayRef(memberStart).drop_front();
  memberList.reserve(program.functions.size());
  SmallVector<uint32_t, 0> lastSeen(componentTotal, ~0u);
  for (unsigned c = 0; c != componentTotal; ++c) {
    bool isCyclic = nodeStart[c + 1] - nodeStart[c] > 1;
    for (uint32_t i = nodeStart[c]; i != nodeStart[c + 1]; ++i) {
      uint32_t v = nodes[i];
      if (v < program.functions.size())
        memberList.push_back(&program.functions[v]);
      for (uint32_t e = edgeStart[v]; e != edgeStart[v + 1]; ++e) {
        uint32_t d = componentOfNode[edges[e]];
        if (d == c) {
          isCyclic = true;
          continue;
        }
        if (cyclic[d])
          isCyclic = true;
        if (lastSeen[d] == c)
          continue;
        lastSeen[d] = c;
        successorList.push_back(d);
      }
    }
    cyclic[c] = isCyclic;
    anyCyclic |= isCyclic;
    successorEnd[c] = successorList.size();
    memberEnd[c] = memberList.size();
  }
}

ArrayRef<Function *> CallGraph::indirectTargets(StringRef prototype) const {
  auto it = prototypes.find(prototype);
  if (it == prototypes.end())
    return {};
  return it->second.targets;
}

unsigned CallGraph::cyclicIndirectTargets(StringRef prototype) const {
  auto it = prototypes.find(prototype);
  return it == prototypes.end() ? 0 : it->second.cyclicTargets;
}

/// Lists of numbers by component, one after the other.
class CallGraph::ListsByComponent {
public:
  /// `forEach` calls its argument with each pair of component and number, twice
  /// in the same order.
  template <typename ForEach>
  ListsByComponent(unsigned componentCount, ForEach forEach)
      : start(componentCount + 1) {
    forEach([&](uint32_t c, uint32_t) { ++start[c + 1]; });
    std::partial_sum(start.begin(), start.end(), start.begin());
    list.resize(start.back());
    std::vector<uint32_t> next(start.begin(), start.end() - 1);
    forEach([&](uint32_t c, uint32_t number) { list[next[c]++] = number; });
  }
  ArrayRef<uint32_t> operator[](uint32_t c) const {
    return ArrayRef(list).slice(start[c], start[c + 1] - start[c]);
  }

private:
  std::vector<uint32_t> start, list;
};

/// Sorts a set of numbers below `limit`; `contains` tells which are in it.
template <typename Contains>
static void sortNumbers(std::vector<uint32_t> &numbers, size_t limit,
                        Contains contains) {
  constexpr size_t Dense = 16; // Looking at all is cheaper than sorting.
  if (numbers.size() < limit / Dense)
    return llvm::sort(numbers);
  numbers.clear();
  for (size_t i = 0; i != limit; ++i)
    if (contains(i))
      numbers.push_back(i);
}

/// Items are looked at in blocks of 64, and for each block only what reaches
/// one of its carriers: its cost is not the graph's size, where few do.
void CallGraph::forEachReachingKernel(
    ArrayRef<std::vector<Function *>> carriers, ArrayRef<Function *> kernels,
    function_ref<void(unsigned item, unsigned kernel)> visit) const {
  constexpr unsigned BlockSize = 64;
  if (carriers.empty() || kernels.empty())
    return;
  const ListsByComponent callers(componentCount(), [&](auto add) {
    for (unsigned c = 0; c != componentCount(); ++c)
      for (uint32_t s : successors(c))
        add(s, c);
  });
  const ListsByComponent entriesOf(componentCount(), [&](auto add) {
    for (size_t e = 0; e != kernels.size(); ++e)
      add(component(*kernels[e]), e);
  });
  std::vector<uint64_t> reached(componentCount());
  std::vector<uint32_t> touched; // Components whose `reached` isn't 0.
  std::vector<uint32_t> found;   // Kernels among them.
  std::vector<std::vector<uint32_t>> reaching(BlockSize);
  auto add = [&](uint32_t c, uint64_t bits) {
    if (!reached[c])
      touched.push_back(c);
    reached[c] |= bits;
  };
  for (size_t first = 0; first < carriers.size(); first += BlockSize) {
    const size_t count = std::min<size_t>(BlockSize, carriers.size() - first);
    for (size_t i = 0; i != count; ++i)
      for (Function *f : carriers[first + i])
        add(component(*f), uint64_t(1) << i);
    // First all that matter, then their bits, callees before callers.
    for (size_t i = 0; i != touched.size(); ++i)
      for (uint32_t caller : callers[touched[i]])
        add(caller, reached[touched[i]]);
    sortNumbers(touched, componentCount(),
                [&](uint32_t c) { return reached[c] != 0; });
    for (uint32_t c : touched)
      for (uint32_t caller : callers[c])
        reached[caller] |= reached[c];
    for (uint32_t c : touched)
      found.insert(found.end(), entriesOf[c].begin(), entriesOf[c].end());
    sortNumbers(found, kernels.size(), [&](uint32_t e) {
      return reached[component(*kernels[e])] != 0;
    });
    for (uint32_t e : found)
      for (uint64_t bits = reached[component(*kernels[e])]; bits;
           bits &= bits - 1)
        reaching[countr_zero(bits)].push_back(e);
    for (uint32_t c : touched)
      reached[c] = 0;
    touched.clear();
    found.clear();
    for (size_t i = 0; i != count; ++i) {
      for (uint32_t e : reaching[i])
        visit(first + i, e);
      reaching[i].clear();
    }
  }
}

std::vector<Function *> CallGraph::reachable(const Function &root) const {
  std::vector<Function *> result;
  std::vector<bool> seen(componentCount());
  std::vector<uint32_t> work{component(root)};
  seen[work.back()] = true;
  while (!work.empty()) {
    uint32_t c = work.back();
    work.pop_back();
    result.insert(result.end(), members(c).begin(), members(c).end());
    for (uint32_t s : successors(c)) {
      if (seen[s])
        continue;
      seen[s] = true;
      work.push_back(s);
    }
  }
  return result;
}

} // namespace lld::cuda
