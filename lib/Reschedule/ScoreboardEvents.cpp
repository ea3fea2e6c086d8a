//===- ScoreboardEvents.cpp - Which instruction waits for which -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds, in a basic block, which instruction is the first to depend on each
/// result or read of sources that comes after a variable time (an "event").
/// Replay (ScoreboardReplay.cpp) runs a ConsumerFinder over each block of a
/// function before it chooses the block's scoreboards anew, in a link with
/// --reschedule [scoreboards-dependences]. Dependences follow from registers.
/// What the input waits for corrects them: the compiler knows more, for example
/// that a younger result of the same unit tells of an older one.
///
//===----------------------------------------------------------------------===//

#include "ScoreboardEvents.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda::scoreboards {

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
static bool isOrderedWithReads(ReadPipe p) {
  return p == ReadPipe::Load || p == ReadPipe::Shared || p == ReadPipe::XU;
}

static bool writesAfterRead(const Operands &reader, const Operands &writer) {
  return (isOrderedWithReads(reader.info().readPipe) &&
          isOrderedWithReads(writer.info().readPipe)) ||
         (reader.resultClass == ResultClass::LDC &&
          writer.resultClass == ResultClass::LDC);
}

bool Kernel::hasResultEvent(uint32_t i) const {
  const EventKind k = operands[i].info().events;
  return fields[i].write != NoScoreboard || k == EventKind::Result ||
         k == EventKind::Both ||
         (k == EventKind::FP64 && sm >= FirstWithSlowFP64) || isSlowInOutput(i);
}

bool Kernel::hasReadEvent(uint32_t i) const {
  const EventKind k = operands[i].info().events;
  return fields[i].read != NoScoreboard || k == EventKind::Read ||
         k == EventKind::Both ||
         (k == EventKind::FP64 && sm >= FirstWithSlowFP64) || isSlowInOutput(i);
}

bool dependsOn(const Operands &inst, const Operands &source, bool isRead) {
  if (!isRead)
    return overlap(source.defs, inst.uses) || overlap(source.defs, inst.defs);
  bool found = false;
  forEachRegister(source.uses, [&](unsigned r) {
    found |= r < source.lateRegisters() && inst.writes(r) && !source.writes(r);
  });
  return found || (source.readResult && (inst.reads(source.readResult) ||
                                         inst.writes(source.readResult)));
}

/// More than this many readers of one register, or writers, are beyond measure:
/// no time is to be lost with them.
constexpr size_t MaxNodes = 256;

void ConsumerFinder::clear() {
  writers.clear();
  readers.clear();
  withReadResult.clear();
  for (auto &list : onScoreboard)
    list.clear();
}

void ConsumerFinder::addWriter(unsigned reg, int node, bool replaces) {
  auto &list = writers.listOf(reg);
  if (replaces)
    list.clear();
  list.push_back(node);
  isUnclear |= list.size() > MaxNodes;
}

void ConsumerFinder::addReaders(int node) {
  const Operands &ops = operandsAt(node);
  forEachRegister(ops.uses, [&](unsigned reg) {
    if (reg >= ops.lateRegisters() || ops.writes(reg))
      return;
    auto &list = readers.listOf(reg);
    list.push_back(node);
    isUnclear |= list.size() > MaxNodes;
  });
  if (ops.readResult)
    withReadResult.push_back(node);
}

/// Notes that `node` waits for instructions whose predicate result is there
/// when they have read their sources, if it uses the predicate.
void ConsumerFinder::useReadResults(int node) {
  erase_if(withReadResult, [&](int n) {
    const unsigned reg = operandsAt(n).readResult;
    const bool isNeeded =
        operandsAt(node).reads(reg) || operandsAt(node).writes(reg);
    if (isNeeded)
      consume(readConsumer(n), node);
    return isNeeded;
  });
}

void ConsumerFinder::addCandidate(int node, bool isUse) {
  for (auto &[n, u] : candidates)
    if (n == node)
      return;
  candidates.push_back({node, isUse});
}

/// Notes which earlier instructions `node` waits for because it overwrites
/// registers that they read.
void ConsumerFinder::endReads(int node) {
  const Operands &ops = operandsAt(node);
  const bool hasEvent = kernel.hasResultEvent(instructionAt(node));
  int youngest[NumReadPipes];
  std::fill(std::begin(youngest), std::end(youngest), -1);
  SmallVector<int, 8> single;
  forEachRegister(ops.defs, [&](unsigned reg) {
    if (reg >= FirstPredicate || readers[reg].empty())
      return;
    RegisterLists::NodeList kept;
    for (int n : readers[reg]) {
      if (hasEvent && !isPending(n) &&
          (writesAfterRead(operandsAt(n), ops) ||
           (!kernel.hasUnorderedFP64() &&
            kernel.isSlowInOutput(instructionAt(n)) &&
            kernel.isSlowInOutput(instructionAt(node))))) {
        kept.push_back(n);
        continue;
      }
      const unsigned pipe = readPipeAt(n);
      if (isPending(n))
        single.push_back(n);
      else if (resultIsRead[n])
        continue;
      else if (!pipe)
        single.push_back(n);
      else if (n > lastRead[pipe])
        youngest[pipe] = std::max(youngest[pipe], n);
    }
    readers.listOf(reg) = std::move(kept);
  });
  for (int n : single)
    consume(readConsumer(n), node);
  for (unsigned pipe = 0; pipe != NumReadPipes; ++pipe)
    if (int n = youngest[pipe]; n >= 0) {
      consume(readConsumer(n), node);
      lastRead[pipe] = n;
    }
}

/// An error barrier waits for its guard before the EXIT after it waits for a
/// younger result of the same unit.
bool ConsumerFinder::needsNewEvent(int from, int node) const {
  const uint32_t i = instructionAt(from);
  return kernel.waitsTwice(instructionAt(node)) &&
         kernel.isForBarrier(instructionAt(node), i) &&
         kernel.fields[i].write == NoScoreboard;
}

/// Whose result `node` has to wait for.
void ConsumerFinder::endResults(int node) {
  const unsigned own = resultPipeAt(node);
  forEachRegister(operandsAt(node).defs, [&](unsigned reg) {
    for (int n : writers[reg])
      if (!own || own != resultPipeAt(n))
        addCandidate(n, false);
  });
  int youngest[NumResultPipes];
  std::fill(std::begin(youngest), std::end(youngest), -1);
  for (auto [n, isUse] : candidates)
    if (const unsigned pipe = resultPipeAt(n); pipe && !isPending(n))
      youngest[pipe] = std::max(youngest[pipe], n);
  for (auto [n, isUse] : candidates) {
    const unsigned pipe = resultPipeAt(n);
    if (pipe && !isPending(n) &&
        (n <= lastResult[pipe] || n < youngest[pipe])) {
      if (n > lastResult[pipe] && needsNewEvent(n, node)) {
        resultConsumer(n) = node - int(pending.size());
        out->isNewResult[n - pending.size()] = true;
      }
      isCovered[n] = true;
    } else if (!isCovered[n]) {
      consume(resultConsumer(n), node);
    }
  }
  for (unsigned pipe = 1; pipe != NumResultPipes; ++pipe)
    lastResult[pipe] = std::max(lastResult[pipe], youngest[pipe]);
}

void ConsumerFinder::visit(int node) {
  const Operands &ops = operandsAt(node);
  candidates.clear();
  forEachRegister(ops.uses, [&](unsigned reg) {
    for (int n : writers[reg]) {
      addCandidate(n, true);
      resultIsRead[n] = true;
    }
  });
  for (auto [n, isUse] : candidates)
    if (!isPending(n))
      for (unsigned r = 0; r != NumReadPipes; ++r)
        if (coversReads(operandsAt(n).info().resultPipe, ReadPipe(r)))
          lastRead[r] = std::max(lastRead[r], n);
  if (kernel.looksBeyondBlocks && kernel.needsUniform(ops))
    for (unsigned reg = FirstUniform; reg != FirstPredicate; ++reg) {
      for (int n : writers[reg]) {
        addCandidate(n, true);
        resultIsRead[n] = true;
      }
      for (int n : readers[reg])
        consume(readConsumer(n), node);
    }
  useReadResults(node);
  endReads(node);
  endResults(node);
  const bool hasEvent = kernel.hasResultEvent(instructionAt(node));
  forEachRegister(ops.defs, [&](unsigned reg) {
    if (hasEvent)
      addWriter(reg, node, true);
    else
      writers.clear(reg);
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

/// Whether the loop's header waits at instruction `index` of the block, where
/// none of `entries` is needed, for what is pending at the end of the loop. The
/// wait is added after the allocation and frees nothing. So it is one if an
/// instruction after it waits for `entries`, which nobody has joined but at
/// `index`, or if only R1 is pending, which nobody needs, and is joined there,
/// or not at the end, which waits for what is complete:
///
///     L: LDG R4, [R8]  W0 wait=0   // Of the STS: a wait of the loop.
///        DADD R2, R2, R4  wait=0   // For the LDG and the STS before the loop.
///        STS [R15], R2  R0
///        @P0 BRA L
bool ConsumerFinder::isLoopWait(uint32_t index, unsigned scoreboard,
                                ArrayRef<Entry> entries) const {
  const bool isLast = begin + index + 1 == end;
  if ((kernel.usesScoreboard(begin + index, scoreboard) || !isLast) &&
      all_of(entries, [&](Entry e) { return isStackPointer(e); }))
    return true;
  for (uint32_t i = begin + index + 1; i != end; ++i) {
    const ScoreboardFields &f = kernel.fields[i];
    if (f.waits >> scoreboard & 1)
      return !kernel.waitsForFence(i) && any_of(entries, [&](Entry e) {
        return dependsOn(kernel.operands[i], operandsAt(e.node), e.isRead);
      });
    if (kernel.usesScoreboard(i, scoreboard))
      return false;
  }
  return false;
}

/// Whether the header of a loop may wait there for one of `entries` or not, and
/// it matters, since the entry has not the same scoreboard in both runs.
bool ConsumerFinder::isUnclearAtHeader(uint32_t index, unsigned scoreboard,
                                       ArrayRef<Entry> entries) const {
  const bool isLast = begin + index + 1 == end;
  const bool hasR1 =
      any_of(entries, [&](Entry e) { return isStackPointer(e); });
  const bool isNeeded = any_of(entries, [&](Entry e) {
    return dependsOn(kernel.operands[begin + index], operandsAt(e.node),
                     e.isRead);
  });
  if (isNeeded ||
      (!kernel.usesScoreboard(begin + index, scoreboard) && (hasR1 || isLast)))
    return false;
  return any_of(entries, [&](Entry e) {
    return isPending(e.node) && pending[e.node].scoreboard[Input] !=
                                    pending[e.node].scoreboard[Output];
  });
}

/// The input waits for `scoreboard` at the instruction `index` of the block.
void ConsumerFinder::correctAt(uint32_t index, unsigned scoreboard,
                               bool waitsForAll) {
  auto entries = std::move(onScoreboard[scoreboard]);
  onScoreboard[scoreboard].clear();
  const int j = index;
  const bool isLast = begin + index + 1 == end;
  const bool isReturn = kernel.operands[begin + index].operation == OpRET;
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
    isExplained |= kernel.needsUniform(kernel.operands[begin + index]) &&
                   !e.isRead && operandsAt(e.node).writesUniform();
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
  if (isHeader && !waitsForAll) {
    if (isLoopWait(index, scoreboard, entries)) {
      onScoreboard[scoreboard] = std::move(entries);
      out->loopWaits[index] |= 1 << scoreboard;
      return;
    }
    isUnclear |= isUnclearAtHeader(index, scoreboard, entries);
  }
  for (Entry e : entries) {
    int &consumer = e.isRead ? readConsumer(e.node) : resultConsumer(e.node);
    if (isReturn) {
      if (consumer == Nobody || consumer == Leaves)
        consumer = j;
      continue;
    }
    if (waitsForAll ? consumer == Nobody && !isPending(e.node)
                    : isLast && !isPending(e.node))
      consumer = Leaves;
    else if (!waitsForAll && !isLast)
      consumer = j;
  }
}

/// Whether somebody in another block depends on a result isn't told by the
/// input. The caller may: a return waits for it.
void ConsumerFinder::completeNewEvent(uint32_t index) {
  const int node = int(pending.size() + index);
  int &consumer = out->result[index];
  if (consumer != Nobody || isCovered[node] || endsInExit)
    return;
  if (kernel.operands[end - 1].operation == OpRET)
    consumer = end - 1 - begin;
  else
    isUnclear = true;
}

/// An atomic operation whose result nobody gets. The input tells whether it
/// leaves the block [scoreboards-fences].
bool ConsumerFinder::isForFence(uint32_t index) const {
  const Operands &ops = kernel.operands[begin + index];
  return ops.resultClass == ResultClass::ATOMG && ops.defs.empty() &&
         kernel.fields[begin + index].write != kernel.globalScoreboard();
}

/// Returns the index of the next fence of the block, which waits for
/// everything.
int ConsumerFinder::findFence(uint32_t index) {
  if (nextFence > int(index))
    return nextFence;
  nextFence = Leaves;
  for (uint32_t j = index + 1; j < end - begin && nextFence == Leaves; ++j)
    if (kernel.waitsForFence(begin + j))
      nextFence = j;
  return nextFence;
}

void ConsumerFinder::correctByInput() {
  for (int n = 0; n != int(pending.size()); ++n)
    if (unsigned s = pending[n].scoreboard[Input]; s != NoScoreboard)
      onScoreboard[s].push_back({n, pending[n].isRead});
  for (uint32_t j = 0; j != end - begin; ++j) {
    const ScoreboardFields &f = kernel.fields[begin + j];
    const Operands &ops = kernel.operands[begin + j];
    const bool tellsNothing =
        kernel.waitsForFence(begin + j) || ops.opensCollective();
    for (unsigned s = 0; s != 6 && !tellsNothing; ++s)
      if (f.waits >> s & 1 && !onScoreboard[s].empty())
        correctAt(j, s, ops.isCollective);
    const int node = int(pending.size() + j);
    if (kernel.isSlowInOutput(begin + j)) {
      completeNewEvent(j);
      continue;
    }
    for (bool isRead : {false, true}) {
      int &consumer = isRead ? out->read[j] : out->result[j];
      if (isRead && kernel.getsFenceEvent(begin + j)) {
        isUnclear |= begin + j + 1 == end; // Something jumps between them.
        consumer = j + 1;
        continue;
      }
      const unsigned s = isRead ? f.read : f.write;
      if (s == NoScoreboard) {
        if (isRead || !out->isNewResult[j])
          consumer = Nobody;
        continue;
      }
      if (!isRead && consumer == Nobody && isForFence(j)) {
        consumer = findFence(j);
        if (consumer != Leaves)
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

/// The input tells who waits for a result in memory, but where it has been
/// waited for before by chance, with others on its scoreboard: a barrier does.
void ConsumerFinder::waitAtBarrier() {
  uint32_t barrier = begin;
  while (barrier != end && kernel.operands[barrier].operation != OpBAR)
    ++barrier;
  if (barrier == end)
    return;
  for (size_t n = 0; n != pending.size(); ++n)
    if (const Operands &ops = operandsAt(n);
        pending[n].scoreboard[Input] == NoScoreboard && !pending[n].isRead &&
        ops.isAsynchronous() && ops.defs.empty())
      consume(out->pending[n], int(pending.size() + barrier - begin));
}

/// On sm_103 FP64 arithmetic reads its sources and delivers its results in
/// order: an instruction that waits for one of them needn't wait for older
/// ones, in the block or after it.
void ConsumerFinder::putFP64InOrder() {
  const int size = int(end - begin);
  out->dropsResult.assign(size, false);
  out->dropsRead.assign(size, false);
  out->readInOutput.assign(out->read.begin(), out->read.end());
  auto isFP64 = [&](int j) {
    return kernel.operands[begin + j].info().resultPipe == ResultPipe::FP64;
  };
  std::set<std::pair<int, int>> results, reads; // Consumers first.
  for (int n = 0; n != size; ++n)
    if (isFP64(n)) {
      if (out->result[n] != Nobody)
        results.insert({out->result[n], n});
      if (out->read[n] != Nobody)
        reads.insert({out->read[n], n});
    }
  int lastResult = -1, lastRead = -1;
  for (int j = 0; j != size && !(results.empty() && reads.empty()); ++j) {
    int youngest = lastResult;
    for (auto [consumer, n] : results)
      if (consumer == j)
        youngest = std::max(youngest, n);
    while (!results.empty() && results.begin()->first == j) {
      const int n = results.begin()->second;
      out->dropsResult[n] = n < youngest || n <= lastResult;
      results.erase(results.begin());
    }
    lastResult = youngest;
    lastRead = youngest = std::max(lastRead, lastResult);
    SmallVector<int, 8> waiting;
    while (!reads.empty() && reads.begin()->first == j) {
      const int n = reads.begin()->second;
      reads.erase(reads.begin());
      if (n > lastRead && isFP64(j)) {
        // Instruction j issues after the read anyway, since its unit works in
        // order.
        int next = findDependent(j + 1, {int(pending.size()) + n, true});
        while (next != Leaves && isFP64(next))
          next = findDependent(next + 1, {int(pending.size()) + n, true});
        out->readInOutput[n] = next;
        out->dropsRead[n] = next == Leaves;
        if (next != Leaves)
          reads.insert({next, n});
        continue;
      }
      waiting.push_back(n);
      youngest = std::max(youngest, n);
    }
    for (int n : waiting)
      out->dropsRead[n] = n < youngest || n <= lastRead;
    lastRead = youngest;
  }
  for (auto [consumer, n] : results)
    out->dropsResult[n] = n <= lastResult;
  for (auto [consumer, n] : reads)
    out->dropsRead[n] = n <= lastRead;
}

bool ConsumerFinder::find(uint32_t first, uint32_t last, bool header,
                          bool exits, ArrayRef<Pending> carried,
                          Consumers &result) {
  clear();
  begin = first;
  end = last;
  isHeader = header;
  endsInExit = exits;
  isUnclear = false;
  nextFence = Nobody;
  pending = carried;
  out = &result;
  result.pending.assign(pending.size(), Nobody);
  result.result.assign(end - begin, Nobody);
  result.read.assign(end - begin, Nobody);
  result.loopWaits.assign(end - begin, 0);
  result.isUnused.assign(end - begin, false);
  result.isNewResult.assign(end - begin, false);
  const size_t size = pending.size() + (end - begin);
  resultIsRead.assign(size, false);
  isCovered.assign(size, false);
  std::fill(std::begin(lastResult), std::end(lastResult), -1);
  std::fill(std::begin(lastRead), std::end(lastRead), -1);
  for (int n = 0; n != int(pending.size()); ++n) {
    if (pending[n].isRead)
      addReaders(n);
    else
      forEachRegister(operandsAt(n).defs,
                      [&](unsigned reg) { addWriter(reg, n, false); });
  }
  for (int n = pending.size(); n != int(size) && !isUnclear; ++n)
    visit(n);
  waitAtBarrier();
  if (!isUnclear)
    correctByInput();
  if (!isUnclear && kernel.wasUnordered)
    putFP64InOrder();
  for (uint32_t j = 0; j != end - begin; ++j)
    result.isUnused[j] =
        result.result[j] != Leaves && !resultIsRead[pending.size() + j];
  return !isUnclear;
}

} // namespace lld::cuda::scoreboards
