//===- CallGraphOutput.cpp - Contents of .nv.callgraph and .nv.prototype -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The survivors' records in the order of the functions' creation, each
/// function's in reverse reading order (spec: symbols, section 4.3).
///
//===----------------------------------------------------------------------===//

#include "Ctx.h"
#include "Passes.h"
#include "lld-cuda/Object/CallGraph.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

void createCallGraphSections(Ctx &ctx) {
  ctx.callgraph =
      getNamedSection(ctx, ".nv.callgraph", SHT_CUDA_CALLGRAPH, 0, 4, 8);
  ctx.callgraph->role = SectionRole::CallGraph;
  ctx.callgraph->emitted = true;
  ctx.prototype =
      getNamedSection(ctx, ".nv.prototype", SHT_CUDA_PROTOTYPE, 0, 4, 8);
  ctx.prototype->role = SectionRole::Prototype;
}

static bool hasPrototypeRecord(const Function &f) {
  return f.live && f.hasPrototype && !f.isLocal() && !f.addressTaken;
}

void decidePrototypeSection(Ctx &ctx) {
  ctx.prototype->emitted = any_of(ctx.functions, hasPrototypeRecord);
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
  SmallVector<char, 0> out;
};
} // namespace

/// A link turns the order around; output that is linked again keeps it.
template <typename T, typename Visit>
static void forEachInOrder(const Ctx &ctx, const std::vector<T> &list,
                           Visit visit) {
  for (size_t i = 0; i != list.size(); ++i)
    visit(list[ctx.keepsForRelink() ? i : list.size() - 1 - i]);
}

void writeCallGraph(Ctx &ctx) {
  auto offsetOf = [&](StringRef prototype) {
    return ctx.prototypeStrings.lookup(CachedHashStringRef(prototype));
  };
  // All groups in one pass over the functions.
  PairWriter calls, addressTaken, indirect, takes;
  calls.addMarker(CallGraphGroup::Calls);
  addressTaken.addMarker(CallGraphGroup::AddressTaken);
  indirect.addMarker(CallGraphGroup::Indirect);
  takes.addMarker(CallGraphGroup::Takes);
  auto addEdges = [&](PairWriter &to, const Function &from,
                      const std::vector<Function *> &list) {
    forEachInOrder(ctx, list, [&](Function *g) {
      if (g->live)
        to.add(from.index, g->index);
    });
  };
  for (const Function &f : ctx.functions) {
    if (!f.live)
      continue;
    addEdges(calls, f, f.callees);
    if (f.addressTaken)
      addressTaken.add(f.index, offsetOf(f.prototype));
    forEachInOrder(ctx, f.indirectCalls, [&](StringRef prototype) {
      indirect.add(f.index, offsetOf(prototype));
    });
    addEdges(takes, f, f.takes);
  }
  for (const PairWriter *group : {&addressTaken, &indirect, &takes})
    calls.out.append(group->out.begin(), group->out.end());
  ctx.callgraph->setContents(ctx.save(calls.out));

  PairWriter prototypes;
  for (Function &f : ctx.functions)
    if (hasPrototypeRecord(f))
      prototypes.add(f.index, offsetOf(f.prototype));
  ctx.prototype->setContents(ctx.save(prototypes.out));
}

} // namespace lld::cuda
