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
  PairWriter w;
  auto writeEdges = [&](std::vector<Function *> Function::*list) {
    for (Function &f : ctx.functions)
      if (f.live)
        forEachInOrder(ctx, f.*list, [&](Function *g) {
          if (g->live)
            w.add(f.index, g->index);
        });
  };
  w.addMarker(CallGraphGroup::Calls);
  writeEdges(&Function::callees);
  w.addMarker(CallGraphGroup::AddressTaken);
  for (Function &f : ctx.functions)
    if (f.live && f.addressTaken)
      w.add(f.index, offsetOf(f.prototype));
  w.addMarker(CallGraphGroup::Indirect);
  for (Function &f : ctx.functions)
    if (f.live)
      forEachInOrder(ctx, f.indirectCalls, [&](StringRef prototype) {
        w.add(f.index, offsetOf(prototype));
      });
  w.addMarker(CallGraphGroup::Takes);
  writeEdges(&Function::takes);
  ctx.callgraph->setContents(ctx.save(w.out));

  PairWriter prototypes;
  for (Function &f : ctx.functions)
    if (hasPrototypeRecord(f))
      prototypes.add(f.index, offsetOf(f.prototype));
  ctx.prototype->setContents(ctx.save(prototypes.out));
}

} // namespace lld::cuda
