//===- ScoreboardEvents.cpp - Who waits for whom in a block ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rules of docs/scoreboards.md, "Dependences inside a block".
///
//===----------------------------------------------------------------------===//

#include "ScoreboardEvents.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda::scoreboards {

namespace {

/// Units that deliver their results in order: of those that one instruction
/// needs, it waits for the youngest.
enum class ResultPipe : uint8_t { None, XU, Shared, FP64, Count };

/// Units that read their sources in order.
enum class ReadPipe : uint8_t { None, Load, Store, Shared, XU, FP64, Count };

constexpr unsigned NumResultPipes = unsigned(ResultPipe::Count);
constexpr unsigned NumReadPipes = unsigned(ReadPipe::Count);

} // namespace

static ResultPipe getResultPipe(ResultClass c) {
  switch (c) {
  case ResultClass::XU:
    return ResultPipe::XU;
  case ResultClass::LDS:
  case ResultClass::SHFL:
    return ResultPipe::Shared;
  case ResultClass::FP64:
    return ResultPipe::FP64;
  default:
    return ResultPipe::None;
  }
}

static ReadPipe getReadPipe(ResultClass c) {
  switch (c) {
  case ResultClass::LDG:
  case ResultClass::ATOMG:
    return ReadPipe::Load;
  case ResultClass::LDS:
  case ResultClass::SHFL:
    return ReadPipe::Shared;
  case ResultClass::STG:
  case ResultClass::STS:
  case ResultClass::RED:
    return ReadPipe::Store;
  case ResultClass::XU:
  case ResultClass::REDUX:
    return ReadPipe::XU;
  case ResultClass::FP64:
    return ReadPipe::FP64;
  default:
    return ReadPipe::None;
  }
}

/// Whether a result in `p` tells that sources in `r` have been read.
static bool coversReads(ResultPipe p, ReadPipe r) {
  switch (p) {
  case ResultPipe::XU:
    return r == ReadPipe::XU;
  case ResultPipe::Shared:
    return r == ReadPipe::Store || r == ReadPipe::Shared;
  case ResultPipe::FP64:
    return r == ReadPipe::FP64;
  default:
    return false;
  }
}

/// Instructions that read their sources before a later one of them writes.
static bool isOrderedWithReads(ResultClass c) {
  switch (c) {
  case ResultClass::LDG:
  case ResultClass::LDS:
  case ResultClass::XU:
  case ResultClass::SHFL:
  case ResultClass::ATOMG:
  case ResultClass::REDUX:
    return true;
  default:
    return false;
  }
}

static bool writesAfterRead(ResultClass reader, ResultClass writer) {
  return (isOrderedWithReads(reader) && isOrderedWithReads(writer)) ||
         (reader == ResultClass::LDC && writer == ResultClass::LDC);
}

bool Kernel::hasResultEvent(uint32_t i) const {
  if (fields[i].write != NoScoreboard)
    return true;
  switch (operands[i].resultClass) {
  case ResultClass::LDG:
  case ResultClass::ATOMG:
  case ResultClass::LDS:
  case ResultClass::LDC:
  case ResultClass::LDCU:
  case ResultClass::S2R:
  case ResultClass::S2UR:
  case ResultClass::XU:
  case ResultClass::SHFL:
  case ResultClass::REDUX:
    return true;
  case ResultClass::FP64:
    return sm >= 120;
  default:
    return false;
  }
}

bool Kernel::hasReadEvent(uint32_t i) const {
  if (fields[i].read != NoScoreboard)
    return true;
  switch (operands[i].resultClass) {
  case ResultClass::LDG:
  case ResultClass::ATOMG:
  case ResultClass::LDS:
  case ResultClass::LDC:
  case ResultClass::XU:
  case ResultClass::SHFL:
  case ResultClass::REDUX:
  case ResultClass::STG:
  case ResultClass::STS:
  case ResultClass::RED:
    return true;
  case ResultClass::FP64:
    return sm >= 120;
  default:
    return false;
  }
}

template <class Fn> static void forEach(const Operands::List &list, Fn fn) {
  for (RegisterRange r : list)
    for (unsigned i = 0; i != r.count; ++i)
      if (r.first + i < NumRegisters)
        fn(unsigned(r.first + i));
}

bool dependsOn(const Operands &inst, const Operands &source, bool isRead) {
  if (!isRead)
    return overlap(source.defs, inst.uses) || overlap(source.defs, inst.defs);
  bool found = false;
  forEach(source.uses, [&](unsigned r) {
    found |= r < FirstUniform && inst.writes(r) && !source.writes(r);
  });
  return found;
}

/// More than this many readers of one register, or writers, are beyond measure:
/// no time is to be lost with them.
constexpr size_t MaxNodes = 256;

void ConsumerFinder::clear() {
  for (uint16_t r : touchedWriters)
    writers[r].clear();
  for (uint16_t r : touchedReaders)
    readers[r].clear();
  touchedWriters.clear();
  touchedReaders.clear();
  for (auto &list : onScoreboard)
    list.clear();
}

void ConsumerFinder::addWriter(unsigned reg, int node, bool replaces) {
  if (writers[reg].empty())
    touchedWriters.push_back(reg);
  if (replaces)
    writers[reg].clear();
  writers[reg].push_back(node);
  tooMany |= writers[reg].size() > MaxNodes;
}

void ConsumerFinder::addReaders(int node) {
  const Operands &ops = operandsAt(node);
  forEach(ops.uses, [&](unsigned reg) {
    if (reg >= FirstUniform || ops.writes(reg))
      return;
    if (readers[reg].empty())
      touchedReaders.push_back(reg);
    readers[reg].push_back(node);
    tooMany |= readers[reg].size() > MaxNodes;
  });
}

void ConsumerFinder::addCandidate(int node, bool isUse) {
  for (auto &[n, u] : candidates)
    if (n == node)
      return;
  candidates.push_back({node, isUse});
}

/// Whom `node` makes wait because it overwrites what they still read.
void ConsumerFinder::endReads(int node) {
  const Operands &ops = operandsAt(node);
  const bool hasEvent = kernel.hasResultEvent(instructionAt(node));
  int youngest[NumReadPipes];
  std::fill(std::begin(youngest), std::end(youngest), -1);
  SmallVector<int, 8> single;
  forEach(ops.defs, [&](unsigned reg) {
    if (reg >= FirstUniform || readers[reg].empty())
      return;
    NodeList kept;
    for (int n : readers[reg]) {
      if (hasEvent && !isPending(n) &&
          writesAfterRead(classAt(n), ops.resultClass)) {
        kept.push_back(n);
        continue;
      }
      ReadPipe pipe = getReadPipe(classAt(n));
      if (isPending(n))
        single.push_back(n);
      else if (resultIsRead[n])
        continue;
      else if (pipe == ReadPipe::None)
        single.push_back(n);
      else if (n > lastRead[unsigned(pipe)])
        youngest[unsigned(pipe)] = std::max(youngest[unsigned(pipe)], n);
    }
    readers[reg] = std::move(kept);
  });
  for (int n : single)
    consume(readConsumer(n), node);
  for (unsigned pipe = 0; pipe != NumReadPipes; ++pipe)
    if (int n = youngest[pipe]; n >= 0) {
      consume(readConsumer(n), node);
      lastRead[pipe] = n;
    }
}

/// Whose result `node` has to wait for.
void ConsumerFinder::endResults(int node) {
  const ResultPipe own = getResultPipe(classAt(node));
  forEach(operandsAt(node).defs, [&](unsigned reg) {
    for (int n : writers[reg])
      if (own == ResultPipe::None || own != getResultPipe(classAt(n)))
        addCandidate(n, false);
  });
  int youngest[NumResultPipes];
  std::fill(std::begin(youngest), std::end(youngest), -1);
  for (auto [n, isUse] : candidates)
    if (unsigned pipe = unsigned(getResultPipe(classAt(n)));
        pipe && !isPending(n))
      youngest[pipe] = std::max(youngest[pipe], n);
  for (auto [n, isUse] : candidates) {
    unsigned pipe = unsigned(getResultPipe(classAt(n)));
    if (pipe && !isPending(n) && (n <= lastResult[pipe] || n < youngest[pipe]))
      isCovered[n] = true;
    else if (!isCovered[n])
      consume(resultConsumer(n), node);
  }
  for (unsigned pipe = 1; pipe != NumResultPipes; ++pipe)
    lastResult[pipe] = std::max(lastResult[pipe], youngest[pipe]);
}

void ConsumerFinder::visit(int node) {
  const Operands &ops = operandsAt(node);
  candidates.clear();
  forEach(ops.uses, [&](unsigned reg) {
    for (int n : writers[reg]) {
      addCandidate(n, true);
      resultIsRead[n] = true;
    }
  });
  for (auto [n, isUse] : candidates)
    if (ResultPipe pipe = getResultPipe(classAt(n));
        pipe != ResultPipe::None && !isPending(n))
      for (unsigned r = 0; r != NumReadPipes; ++r)
        if (coversReads(pipe, ReadPipe(r)))
          lastRead[r] = std::max(lastRead[r], n);
  endReads(node);
  endResults(node);
  const bool hasEvent = kernel.hasResultEvent(instructionAt(node));
  forEach(ops.defs, [&](unsigned reg) {
    if (hasEvent)
      addWriter(reg, node, true);
    else
      writers[reg].clear();
  });
  if (kernel.hasReadEvent(instructionAt(node)))
    addReaders(node);
}

int ConsumerFinder::findDependent(uint32_t index, Entry e) const {
  constexpr uint32_t MaxDistance = 256;
  const uint32_t last = std::min(end - begin, index + MaxDistance);
  for (uint32_t j = index; j < last; ++j)
    if (dependsOn(kernel.operands[begin + j], operandsAt(e.node), e.isRead))
      return j;
  return Leaves;
}

/// The input waits for `scoreboard` at the instruction `index` of the block.
void ConsumerFinder::correctAt(uint32_t index, unsigned scoreboard,
                               bool waitsForAll) {
  auto entries = std::move(onScoreboard[scoreboard]);
  onScoreboard[scoreboard].clear();
  const int j = index;
  const bool isLast = begin + index + 1 == end;
  bool isExplained = false;
  for (Entry e : entries) {
    int &consumer = e.isRead ? readConsumer(e.node) : resultConsumer(e.node);
    // The dependence found before was none.
    if (consumer != Nobody && consumer < j)
      consumer = dependsOn(kernel.operands[begin + index], operandsAt(e.node),
                           e.isRead)
                     ? j
                     : Nobody;
    if (classAt(e.node) == ResultClass::MEMBAR && !isPending(e.node))
      consumer = j;
    isExplained |= consumer == j;
    isExplained |= kernel.operands[begin + index].needsUniform() && !e.isRead &&
                   operandsAt(e.node).writesUniform();
  }
  if (isExplained && !waitsForAll) {
    // Others on the scoreboard come to an end by chance.
    for (Entry e : entries) {
      int &consumer = e.isRead ? readConsumer(e.node) : resultConsumer(e.node);
      if (consumer == Nobody && !isPending(e.node))
        consumer = findDependent(index + 1, e);
    }
    return;
  }
  for (Entry e : entries) {
    int &consumer = e.isRead ? readConsumer(e.node) : resultConsumer(e.node);
    if (waitsForAll ? consumer == Nobody && !isPending(e.node)
                    : isLast && !isPending(e.node))
      consumer = Leaves;
    else if (!waitsForAll && !isLast)
      consumer = j;
  }
}

void ConsumerFinder::correctByInput() {
  for (int n = 0; n != int(pending.size()); ++n)
    if (unsigned s = pending[n].scoreboard[Input]; s != NoScoreboard)
      onScoreboard[s].push_back({n, pending[n].isRead});
  for (uint32_t j = 0; j != end - begin; ++j) {
    const ScoreboardFields &f = kernel.fields[begin + j];
    const Operands &ops = kernel.operands[begin + j];
    const bool tellsNothing =
        f.waits == AllScoreboards || ops.opensCollective();
    for (unsigned s = 0; s != 6 && !tellsNothing; ++s)
      if (f.waits >> s & 1 && !onScoreboard[s].empty())
        correctAt(j, s, ops.isCollective);
    const int node = int(pending.size() + j);
    for (bool isRead : {false, true}) {
      int &consumer = isRead ? out->read[j] : out->result[j];
      const unsigned s = isRead ? f.read : f.write;
      if (s == NoScoreboard) {
        consumer = Nobody;
        continue;
      }
      if (consumer == Nobody || classAt(node) == ResultClass::MEMBAR)
        consumer = Leaves;
      onScoreboard[s].push_back({node, isRead});
    }
  }
  // Nobody waits for these in this block.
  for (auto &list : onScoreboard)
    for (Entry e : list)
      if (isPending(e.node))
        out->pending[e.node] = Nobody;
      else
        (e.isRead ? readConsumer(e.node) : resultConsumer(e.node)) = Leaves;
}

bool ConsumerFinder::find(uint32_t first, uint32_t last,
                          ArrayRef<Pending> carried, Consumers &result) {
  clear();
  begin = first;
  end = last;
  pending = carried;
  out = &result;
  result.pending.assign(pending.size(), Nobody);
  result.result.assign(end - begin, Nobody);
  result.read.assign(end - begin, Nobody);
  const size_t size = pending.size() + (end - begin);
  resultIsRead.assign(size, false);
  isCovered.assign(size, false);
  std::fill(std::begin(lastResult), std::end(lastResult), -1);
  std::fill(std::begin(lastRead), std::end(lastRead), -1);
  for (int n = 0; n != int(pending.size()); ++n) {
    if (pending[n].isRead)
      addReaders(n);
    else
      forEach(operandsAt(n).defs,
              [&](unsigned reg) { addWriter(reg, n, false); });
  }
  for (int n = pending.size(); n != int(size) && !tooMany; ++n)
    visit(n);
  if (tooMany)
    return false;
  correctByInput();
  return true;
}

} // namespace lld::cuda::scoreboards
