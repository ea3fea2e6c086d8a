//===- ControlFlow.cpp - Basic blocks of a function -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Divides a function's native code (sm_100 and later) into basic blocks and
/// connects them. Passes of lib/FinalCode and lib/Reschedule call
/// ControlFlow::build() for a function when the linker finalizes it at the end
/// of a link, to follow scoreboards and registers from block to block. A block
/// ends after a branch, call or EXIT, and before a branch's target. Branches
/// out of the function make build() fail; its callers then do without what
/// needs blocks. The blocks' order is the one in which nvlink visits them, down
/// to the buckets of a hash table, since the choice of scoreboards depends on
/// it.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Sass/ControlFlow.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

static constexpr unsigned AlwaysTrue = 7;

/// BRA.U follows a uniform predicate; BRA.DIV branches if threads diverged.
static bool isUniformBranch(const Instruction &inst) {
  constexpr uint64_t HasUniform = 1ull << (91 - 64);
  return inst.opcode() == 0x547 ||
         (inst.opcode() == 0x947 && inst.high & HasUniform);
}

static bool isAlways(const Instruction &inst) {
  return inst.predicate() == AlwaysTrue && !isUniformBranch(inst);
}

/// The instruction a branch goes to, or none if that lies outside.
static std::optional<uint32_t> getTarget(ArrayRef<Instruction> code,
                                         uint32_t index) {
  int64_t bytes = *code[index].displacement();
  int64_t target = int64_t(index) + 1 + bytes / int64_t(InstructionSize);
  if (bytes % int64_t(InstructionSize) || target < 0 ||
      target >= int64_t(code.size()))
    return std::nullopt;
  return uint32_t(target);
}

static const JumpTable *findTable(ArrayRef<JumpTable> tables, uint32_t jump) {
  const auto *it =
      find_if(tables, [&](const JumpTable &t) { return t.jump == jump; });
  return it == tables.end() ? nullptr : it;
}

std::optional<ControlFlow> ControlFlow::build(ArrayRef<Instruction> code,
                                              ArrayRef<JumpTable> tables) {
  size_t used = code.size();
  while (used && code[used - 1].isNop())
    --used;
  if (!used)
    return std::nullopt;
  code = code.take_front(used);
  std::vector<bool> starts(used + 1);
  starts[0] = true;
  for (uint32_t i = 0; i != used; ++i) {
    switch (code[i].operation()) {
    case OpBRA:
    case OpWARPSYNC: {
      if (!code[i].displacement())
        break;
      std::optional<uint32_t> target = getTarget(code, i);
      if (!target)
        return std::nullopt;
      starts[*target] = true;
      starts[i + 1] = true;
      break;
    }
    case OpCALLAbs:
    case OpCALLRel:
      starts[i] = true;
      [[fallthrough]];
    case OpRET:
    case OpEXIT:
    case OpBSYNC:
    case OpBRX:
    case OpBRXUniform:
      starts[i + 1] = true;
      break;
    }
  }
  for (const JumpTable &table : tables)
    for (uint32_t target : table.targets) {
      if (target >= used)
        return std::nullopt;
      starts[target] = true;
    }
  ControlFlow flow;
  std::vector<uint32_t> blockAt(used + 1);
  for (uint32_t i = 0; i != used; ++i) {
    if (starts[i]) {
      blockAt[i] = flow.blocks.size();
      flow.blocks.emplace_back().begin = i;
    }
    flow.blocks.back().end = i + 1;
  }
  for (uint32_t b = 0; b != flow.blocks.size(); ++b) {
    BasicBlock &block = flow.blocks[b];
    const Instruction &last = code[block.end - 1];
    const bool isBranch = last.operation() == OpBRA;
    const bool isCollective =
        last.operation() == OpWARPSYNC && last.displacement();
    block.endsInTable =
        last.operation() == OpBRX || last.operation() == OpBRXUniform;
    block.endsInExit = last.isExit() && isAlways(last);
    block.endsInReturn = last.operation() == OpRET && isAlways(last);
    block.endsInCall = last.isCall();
    if (isBranch || isCollective)
      block.successors.push_back(blockAt[*getTarget(code, block.end - 1)]);
    if (!block.endsInExit && !block.endsInReturn &&
        !(block.endsInTable && isAlways(last)) &&
        !(isBranch && isAlways(last)) && block.end != used &&
        !is_contained(block.successors, b + 1))
      block.successors.push_back(b + 1);
    if (block.endsInTable)
      flow.addTargets(b, findTable(tables, block.end - 1), blockAt);
    for (uint32_t s : block.successors)
      flow.blocks[s].predecessors.push_back(b);
  }
  flow.sort();
  return flow;
}

/// Adds the targets of the jump at a block's end, in the order of the code.
void ControlFlow::addTargets(uint32_t block, const JumpTable *table,
                             ArrayRef<uint32_t> blockAt) {
  if (!table)
    return;
  BasicBlock &b = blocks[block];
  b.hasKnownTargets = true;
  for (uint32_t target : table->targets)
    b.successors.push_back(blockAt[target]);
  llvm::sort(b.successors);
  b.successors.erase(std::unique(b.successors.begin(), b.successors.end()),
                     b.successors.end());
}

void ControlFlow::addTableTargets() {
  std::optional<uint32_t> table;
  for (uint32_t b = 0; b != blocks.size(); ++b) {
    if (b && table && blocks[b].predecessors.empty()) {
      blocks[*table].successors.push_back(b);
      blocks[b].predecessors.push_back(*table);
    }
    if (blocks[b].endsInTable && !blocks[b].hasKnownTargets)
      table = b;
  }
  if (table)
    sort();
}

/// Returns where the parts of a block begin, except for the first.
static SmallVector<uint32_t, 2> findParts(const BasicBlock &block,
                                          ArrayRef<Instruction> code) {
  SmallVector<uint32_t, 2> parts;
  bool loadsUniform = false;
  for (uint32_t i = block.begin; i != block.end; ++i) {
    if (loadsUniform && code[i].operation() == OpWARPSYNC &&
        !code[i].displacement()) {
      parts.push_back(i);
      loadsUniform = false;
    }
    loadsUniform |= code[i].operation() == OpLDCU;
  }
  return parts;
}

void ControlFlow::splitAtBarriers(ArrayRef<Instruction> code) {
  std::vector<BasicBlock> whole = std::move(blocks);
  std::vector<uint32_t> first(whole.size()), last(whole.size());
  blocks.clear();
  for (uint32_t b = 0; b != whole.size(); ++b) {
    first[b] = blocks.size();
    uint32_t begin = whole[b].begin;
    for (uint32_t i : findParts(whole[b], code)) {
      BasicBlock &part = blocks.emplace_back();
      part.begin = begin;
      part.end = begin = i;
      part.continues = true;
      part.successors.push_back(blocks.size());
    }
    last[b] = blocks.size();
    blocks.push_back(whole[b]);
    blocks.back().begin = begin;
    blocks.back().predecessors.clear();
  }
  if (blocks.size() == whole.size()) {
    blocks = std::move(whole);
    return;
  }
  for (uint32_t b : last)
    for (uint32_t &s : blocks[b].successors)
      s = first[s];
  for (uint32_t b = 0; b != blocks.size(); ++b)
    for (uint32_t s : blocks[b].successors)
      blocks[s].predecessors.push_back(b);
  std::vector<uint32_t> wholeOrder = std::move(order);
  order.clear();
  for (uint32_t b : wholeOrder)
    for (uint32_t part = first[b]; part <= last[b]; ++part)
      order.push_back(part);
  position.resize(blocks.size());
  for (uint32_t i = 0; i != order.size(); ++i)
    position[order[i]] = i;
}

/// nvlink keeps the successors of a block in a hash table with chains, by their
/// numbers, and visits them as they stand there.
static unsigned getBucket(uint32_t block) {
  constexpr uint32_t Basis = 0x811c9dc5, Prime = 0x01000193, NumBuckets = 8;
  uint32_t hash = Basis; // FNV-1a
  for (unsigned i = 0; i != sizeof(block); ++i)
    hash = (hash ^ (block >> 8 * i & 0xff)) * Prime;
  return hash % NumBuckets;
}

static SmallVector<uint32_t, 2> inOrderOfBuckets(ArrayRef<uint32_t> blocks) {
  SmallVector<uint32_t, 2> sorted(blocks.begin(), blocks.end());
  // The next block stands after the branch's target.
  std::reverse(sorted.begin(), sorted.end());
  llvm::stable_sort(sorted, [](uint32_t a, uint32_t b) {
    return getBucket(a) < getBucket(b);
  });
  return sorted;
}

void ControlFlow::sort() {
  order.clear();
  std::vector<bool> seen(blocks.size());
  struct Visit {
    uint32_t block;
    SmallVector<uint32_t, 2> successors;
    unsigned next;
  };
  auto enter = [&](uint32_t b) {
    seen[b] = true;
    return Visit{b, inOrderOfBuckets(blocks[b].successors), 0};
  };
  std::vector<Visit> stack;
  stack.push_back(enter(0));
  while (!stack.empty()) {
    Visit &visit = stack.back();
    const uint32_t b = visit.block;
    if (visit.next == visit.successors.size()) {
      order.push_back(b);
      stack.pop_back();
      continue;
    }
    uint32_t s = visit.successors[visit.next++];
    if (!seen[s])
      stack.push_back(enter(s));
  }
  std::reverse(order.begin(), order.end());
  for (uint32_t b = 0; b != blocks.size(); ++b)
    if (!seen[b])
      order.push_back(b);
  position.resize(blocks.size());
  for (uint32_t i = 0; i != order.size(); ++i)
    position[order[i]] = i;
}

} // namespace lld::cuda
