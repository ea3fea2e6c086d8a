//===- CallGraphOutput.cpp - Contents of .nv.callgraph and .nv.prototype --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// writeCallGraph() writes the call graph that a cubin keeps for the next link
/// and the driver: calls, functions whose address is taken, and indirect calls
/// by prototype. writeTables() in Link.cpp calls it when functions have their
/// symbol numbers, which the records contain. Only functions that are in the
/// output have records, in the order in which functions were created, and each
/// function's in reverse reading order [call-graph-order].
/// createCallGraphSections() makes the two sections much earlier, before shared
/// memory is laid out, because the order of creation is the order of sections.
///
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "Merge/NativeCallees.h"
#include "Passes.h"
#include "Program.h"
#include "lld-cuda/Object/CallGraph.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

void createCallGraphSections(const Inputs &inputs, Program &program) {
  getNamedSection(inputs, program, SectionKind::CallGraph);
  getNamedSection(inputs, program, SectionKind::Prototypes);
}

namespace {
class PairWriter {
public:
  void add(uint32_t first, uint32_t second) {
    char pair[8];
    support::endian::write32le(pair, first);
    support::endian::write32le(pair + 4, second);
    out.append(pair, pair + sizeof(pair));
  }
  void addMarker(CallGraphGroup group) { add(0, uint32_t(group)); }
  SmallVector<char, 128> out;
};
} // namespace

/// A link turns the order around; output that is linked again keeps it.
template <typename T, typename Visit>
static void forEachInOrder(const Inputs &inputs, const ArenaVector<T> &list,
                           Visit visit) {
  for (size_t i = 0; i != list.size(); ++i)
    visit(list[inputs.rules.reversesReadingOrder() ? list.size() - 1 - i : i]);
}

/// The Mercury view has the same pairs [mercury-call-graph], without those that
/// name native callees, `nativePairs`, which come first [native-callees].
static void setPairs(const Inputs &inputs, const Program &program,
                     SectionKind kind, ArrayRef<char> pairs,
                     ArrayRef<char> nativePairs = {}) {
  OutputSection &sec = *findNamedSection(program, kind);
  const ArrayRef<uint8_t> bytes = inputs.memory.save(pairs);
  sec.setContents(bytes);
  if (sec.mercury)
    sec.mercury->setContents(bytes);
  if (nativePairs.empty())
    return;
  constexpr size_t MarkerSize = 8;
  SmallVector<char, 128> all(pairs.take_front(MarkerSize));
  all.append(nativePairs.begin(), nativePairs.end());
  all.append(pairs.begin() + MarkerSize, pairs.end());
  sec.setContents(inputs.memory.save(all));
}

void writeCallGraph(const Inputs &inputs, const Program &program) {
  auto offsetOf = [&](StringRef prototype) {
    return program.prototypeStrings.lookup(hashed(prototype));
  };
  // All groups in one pass over the functions.
  PairWriter calls, nativeCalls, addressTaken, indirect, takes;
  calls.addMarker(CallGraphGroup::Calls);
  addressTaken.addMarker(CallGraphGroup::AddressTaken);
  indirect.addMarker(CallGraphGroup::Indirect);
  takes.addMarker(CallGraphGroup::Takes);
  auto addEdges = [&](PairWriter &to, const Function &from,
                      const ArenaVector<Function *> &list) {
    forEachInOrder(inputs, list, [&](Function *g) {
      if (g->reachable)
        to.add(from.index, g->index);
    });
  };
  for (const Function &f : program.functions) {
    if (!f.reachable)
      continue;
    addEdges(calls, f, f.callees);
    if (f.addressTaken)
      addressTaken.add(f.index, f.hasPrototype ? offsetOf(f.prototype) : 0);
    forEachInOrder(inputs, f.indirectCalls, [&](StringRef prototype) {
      indirect.add(f.index, offsetOf(prototype));
    });
    addEdges(takes, f, f.takes);
  }
  for (const PairWriter *group : {&addressTaken, &indirect, &takes})
    calls.out.append(group->out.begin(), group->out.end());
  for (const auto &[f, callee] : program.nativeCallees->edges)
    nativeCalls.add(f->index, callee->index);
  setPairs(inputs, program, SectionKind::CallGraph, calls.out, nativeCalls.out);

  PairWriter prototypes;
  for (const Function &f : program.functions)
    if (f.hasPrototypeRecord())
      prototypes.add(f.index, offsetOf(f.prototype));
  setPairs(inputs, program, SectionKind::Prototypes, prototypes.out);
}

} // namespace lld::cuda
