//===- ScoreboardLoops.cpp - Scoreboard waits that loops add --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of the replay of nvlink's scoreboard allocator (ScoreboardReplay.h)
/// that adds waits for loops. ScoreboardReplay.cpp calls waitInLoops() once for
/// a function, when the scoreboards of all its blocks are chosen: what is still
/// pending at the end of a loop is waited for in the loop's first block. Where
/// the rules don't give what the input has, the function keeps its schedule.
///
//===----------------------------------------------------------------------===//

#include "ScoreboardReplay.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda::scoreboards {

void Replay::findLoops() {
  for (uint32_t b = 0; b != flow.blocks.size(); ++b)
    for (uint32_t s : flow.blocks[b].successors) {
      // The branch to itself after the code is no loop.
      const BasicBlock &block = flow.blocks[b];
      const bool isTrap = s == b && block.end - block.begin == 1 &&
                          block.successors.size() == 1;
      if (flow.position[s] > flow.position[b] || isTrap)
        continue;
      loops.push_back({s, b});
      for (uint32_t part = s; part <= flow.lastPart(s); ++part)
        isHeader[part] = true;
    }
}

/// Whether all of `open` was pending there when the loop began. The second
/// allocator looks at results only, and none at those of textures
/// [scoreboards-textures].
bool Replay::wasPending(uint32_t header, unsigned s, Run run,
                        ArrayRef<const Pending *> open) const {
  return all_of(open, [&](const Pending *p) {
    if (p->isRead
            ? kernel.looksBeyond(run)
            : kernel.operands[p->instruction].resultClass == ResultClass::TEX)
      return false;
    return any_of(in[header], [&](const Pending &o) {
      return o.instruction == p->instruction && o.isRead == p->isRead &&
             o.scoreboard[run] == s;
    });
  });
}

/// What is pending at the end of a loop is waited for in the header: at the
/// first dependent instruction, or the first that uses the scoreboard, or at
/// its end. Elsewhere in the loop only by dependent instructions.
bool Replay::waitInLoop(const Loop &loop, Run run, size_t &budget) {
  auto &fields = run == Input ? loopedForward : looped;
  SmallVector<const Pending *, 4> open[NumScoreboards];
  unsigned numOpen = 0;
  for (const Pending &p : out[loop.latch])
    if (unsigned s = p.scoreboard[run]; s != NoScoreboard) {
      numOpen += open[s].empty();
      open[s].push_back(&p);
    }
  const uint32_t first = flow.blocks[loop.header].begin;
  const uint32_t headerEnd = flow.blocks[flow.lastPart(loop.header)].end;
  const uint32_t last = flow.blocks[loop.latch].end;
  for (uint32_t i = first; i != last && numOpen; ++i) {
    if (!budget--)
      return false;
    if (run == Output && kernel.removes(i))
      continue;
    ScoreboardFields &f = fields[i];
    for (unsigned s = 0; s != NumScoreboards; ++s) {
      if (open[s].empty())
        continue;
      const bool isInHeader = i < headerEnd;
      const bool depends =
          f.waits >> s & 1 || (isInHeader && f.write == s) ||
          (i + 1 == headerEnd && !wasPending(loop.header, s, run, open[s])) ||
          any_of(open[s], [&](const Pending *p) {
            return dependsOn(kernel.operands[i],
                             kernel.operands[p->instruction], p->isRead);
          });
      if (!depends && !(isInHeader && f.read == s))
        continue;
      if (!depends)
        waitsForItsRead[run].set(i);
      f.waits |= 1 << s;
      open[s].clear();
      --numOpen;
    }
  }
  return true;
}

bool Replay::waitInLoops() {
  looped = results;
  loopedForward = forward;
  size_t budget = 64 * kernel.fields.size() + 4096;
  bool isSame = !kernel.wasWithinBlocks;
  for (const Loop &loop : loops) {
    for (unsigned r = 0; r != NumRuns; ++r)
      if (!waitInLoop(loop, Run(r), budget))
        return refuse("size", 0);
    isSame &= all_of(out[loop.latch], [](const Pending &p) {
      return p.scoreboard[Input] == p.scoreboard[Output];
    });
  }
  // Now and then a read joins others without a wait.
  if (!kernel.looksBeyondBlocks &&
      waitsForItsRead[Output].test(waitsForItsRead[Input]))
    return refuse("read that waits in a loop", 0);
  for (size_t i = 0; i != looped.size(); ++i) {
    if (loopedForward[i] == kernel.fields[i])
      continue;
    if (!isSame || !sameSituation[i] || loopedForward[i] != looped[i])
      return refuse("unexplained fields in the end", i);
    looped[i] = kernel.fields[i];
  }
  return true;
}

} // namespace lld::cuda::scoreboards
