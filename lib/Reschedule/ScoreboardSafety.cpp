//===- ScoreboardSafety.cpp - Proves that nothing is read too early -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks new scoreboards against old ones without any knowledge of how they
/// were chosen. All that choose scoreboards in a link with --reschedule
/// (Scoreboards.cpp, Fp64Schedule.cpp, CallWaits.cpp) call areScoreboardsSafe()
/// before they use a result, and keep the old ones if it returns false. An
/// event is a result, or a read of sources, that comes after a variable time;
/// it is pending until an instruction waits for its scoreboard. For the old and
/// for the new scoreboards, a data flow analysis finds the events that may be
/// pending before every instruction, on some path. If an event may be pending
/// with the new scoreboards but not with the old ones, the instruction must not
/// depend on it.
///
/// An event may stand for others: if several instructions deliver their results
/// in order, or read their sources in order, the compiler gives a scoreboard
/// only to the youngest. So registers of earlier instructions of the block that
/// have a variable latency but no scoreboard count as registers of the youngest
/// one; their sources do so only until the earlier instruction's own result is
/// there. Results of asynchronous instructions may be in memory.
///
//===----------------------------------------------------------------------===//

#include "Scoreboards.h"
#include "lld-cuda/Sass/ControlFlow.h"
#include "lld-cuda/Sass/Operands.h"
#include "llvm/ADT/BitVector.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

namespace {

constexpr uint32_t NoEvent = ~0u;

struct CheckedEvent {
  uint32_t instruction;
  bool isRead;
  /// The older instruction whose sources these are: they have been read, too,
  /// if its own result is there. Else the instruction itself.
  uint32_t owner;
  /// It is there before the instruction issues, in the code as it is and with
  /// the new scoreboards.
  bool isOver[2] = {false, false};
  bool guardsMemory;       ///< Nor anything but registers.
  uint16_t readResult = 0; ///< Operands::readResult.
  Operands::List guarded;  ///< Registers that must not be touched.
  /// What an asynchronous instruction reads that has an event for its result
  /// only. It must not be written, unless the next read event in the block,
  /// which tells of that as well, is over.
  Operands::List uses;
  uint32_t nextRead = NoEvent;
};

/// Beyond this no proof is tried: events times blocks, in bits.
constexpr uint64_t MaxWork = uint64_t(1) << 27;

class SafetyCheck {
public:
  SafetyCheck(ArrayRef<Instruction> code, ArrayRef<ScoreboardFields> fields,
              ArrayRef<JumpTable> tables, ArrayRef<Operands> operands)
      : code(code), fields(fields), tables(tables), operands(operands) {
    oldFields.reserve(code.size());
    for (const Instruction &inst : code)
      oldFields.push_back(readScoreboards(inst));
  }
  bool run();

private:
  void collectEvents();
  void solve(bool isNew, std::vector<BitVector> &in);
  void step(uint32_t i, bool isNew, BitVector &state,
            BitVector (&onScoreboard)[6]) const;
  bool checkBlock(const BasicBlock &block, BitVector oldState,
                  BitVector newState) const;
  Operands::List sourcesOf(uint32_t i) const;
  bool touches(uint32_t i, const CheckedEvent &e,
               const BitVector &pending) const;
  bool hasResultBefore(uint32_t from, uint32_t to, bool isNew) const;
  const ScoreboardFields &fieldsAt(uint32_t i, bool isNew) const {
    return isNew ? fields[i] : oldFields[i];
  }
  void findMembers(bool isNew, BitVector (&onScoreboard)[6]) const;

  ArrayRef<Instruction> code;
  ArrayRef<ScoreboardFields> fields;
  std::vector<ScoreboardFields> oldFields;
  ArrayRef<JumpTable> tables;
  ControlFlow flow;
  ArrayRef<Operands> operands;
  std::vector<CheckedEvent> events;
  std::vector<uint32_t> firstEvent; ///< By instruction.
};

} // namespace

/// What an instruction reads some time after it has issued: not its guard, nor
/// most uniform registers.
Operands::List SafetyCheck::sourcesOf(uint32_t i) const {
  constexpr unsigned Always = 7;
  const unsigned guard = FirstPredicate + (code[i].predicate() & Always);
  Operands::List late;
  for (RegisterRange r : operands[i].uses)
    if (r.first < operands[i].lateRegisters() ||
        (r.first >= FirstPredicate && r.first != guard))
      late.push_back(r);
  return late;
}

/// Units work in order: the scoreboard of a younger instruction tells of the
/// older ones.
void SafetyCheck::collectEvents() {
  firstEvent.assign(code.size() + 1, 0);
  for (const BasicBlock &block : flow.blocks) {
    // Operands of instructions without a scoreboard of their own.
    Operands::List results[NumReadPipes], uniforms;
    SmallVector<uint32_t, 4> readers[NumReadPipes];
    // Results of asynchronous ones, whatever tells of them; and what those read
    // that have an event for their result only.
    Operands::List hidden, hiddenUses;
    SmallVector<uint32_t, 8> withHiddenUses;
    auto add = [&](uint32_t i, bool isRead, const Operands::List &own) {
      CheckedEvent &e = events.emplace_back();
      e.instruction = e.owner = i;
      e.isRead = isRead;
      e.guarded = own;
      e.guardsMemory = !isRead && operands[i].isAsynchronous();
      if (operands[i].isAsynchronous())
        e.guarded.append(hidden);
      if (operands[i].isAsynchronous() && isRead) {
        e.guarded.append(hiddenUses);
        for (uint32_t n : withHiddenUses)
          events[n].nextRead = events.size() - 1;
        withHiddenUses.clear();
      }
      return &e.guarded;
    };
    auto take = [](Operands::List &from, Operands::List &to) {
      to.append(from);
      from.clear();
    };
    for (uint32_t i = block.begin; i != block.end; ++i) {
      const ScoreboardFields &f = oldFields[i];
      const Operands &ops = operands[i];
      const unsigned unit = unsigned(ops.info().readPipe); // 0: none
      const bool isSpecial = ops.resultClass == ResultClass::S2UR;
      firstEvent[i] = events.size();
      if (f.write != NoScoreboard) {
        Operands::List *guarded = add(i, false, ops.defs);
        if (unit)
          take(results[unit], *guarded);
        if (isSpecial)
          take(uniforms, *guarded);
        if (ops.isAsynchronous() && f.read == NoScoreboard) {
          events.back().uses = sourcesOf(i);
          withHiddenUses.push_back(events.size() - 1);
        }
      } else if (unit) {
        results[unit].append(ops.defs);
      } else if (isSpecial) {
        uniforms.append(ops.defs);
      }
      if (f.read != NoScoreboard) {
        add(i, true, sourcesOf(i));
        events.back().readResult = ops.readResult;
        for (uint32_t reader : readers[unit]) {
          add(i, true, sourcesOf(reader));
          CheckedEvent &e = events.back();
          e.owner = reader;
          for (bool isNew : {false, true})
            e.isOver[isNew] = hasResultBefore(reader, i, isNew);
        }
        readers[unit].clear();
      } else if (unit) {
        readers[unit].push_back(i);
      }
      if (ops.isAsynchronous() && f.write == NoScoreboard)
        hidden.append(ops.defs);
      if (ops.isAsynchronous() && f.read == NoScoreboard)
        (f.write == NoScoreboard ? hidden : hiddenUses).append(sourcesOf(i));
    }
  }
  firstEvent[code.size()] = events.size();
}

void SafetyCheck::findMembers(bool isNew, BitVector (&onScoreboard)[6]) const {
  for (BitVector &b : onScoreboard)
    b.resize(events.size());
  for (size_t n = 0; n != events.size(); ++n) {
    const ScoreboardFields &f = fieldsAt(events[n].instruction, isNew);
    const unsigned s = events[n].isRead ? f.read : f.write;
    if (s < 6)
      onScoreboard[s].set(n);
    // A result tells that the sources have been read, but of asynchronous
    // instructions.
    if (events[n].owner == events[n].instruction &&
        operands[events[n].owner].isAsynchronous())
      continue;
    if (unsigned own = fieldsAt(events[n].owner, isNew).write; own < 6)
      onScoreboard[own].set(n);
  }
}

/// Whether the result of instruction `from` is waited for before `to` issues,
/// in the same block.
bool SafetyCheck::hasResultBefore(uint32_t from, uint32_t to,
                                  bool isNew) const {
  const unsigned s = fieldsAt(from, isNew).write;
  for (uint32_t i = from + 1; i <= to && s < 6; ++i)
    if (fieldsAt(i, isNew).waits >> s & 1)
      return true;
  return false;
}

void SafetyCheck::step(uint32_t i, bool isNew, BitVector &state,
                       BitVector (&onScoreboard)[6]) const {
  const ScoreboardFields &f = fieldsAt(i, isNew);
  for (unsigned s = 0; f.waits && s != 6; ++s)
    if (f.waits >> s & 1)
      state.reset(onScoreboard[s]);
  for (uint32_t n = firstEvent[i];
       n != events.size() && events[n].instruction == i; ++n)
    if ((events[n].isRead ? f.read : f.write) != NoScoreboard &&
        !events[n].isOver[isNew])
      state.set(n);
}

/// Finds the events that may be pending before each block.
void SafetyCheck::solve(bool isNew, std::vector<BitVector> &in) {
  BitVector onScoreboard[6];
  findMembers(isNew, onScoreboard);
  const size_t n = flow.blocks.size();
  in.assign(n, BitVector(events.size()));
  std::vector<bool> queued(n, true);
  std::vector<uint32_t> queue(flow.order.rbegin(), flow.order.rend());
  while (!queue.empty()) {
    const uint32_t b = queue.back();
    queue.pop_back();
    queued[b] = false;
    BitVector state = in[b];
    for (uint32_t i = flow.blocks[b].begin; i != flow.blocks[b].end; ++i)
      step(i, isNew, state, onScoreboard);
    for (uint32_t s : flow.blocks[b].successors) {
      if (!state.test(in[s]))
        continue;
      in[s] |= state;
      if (!queued[s]) {
        queued[s] = true;
        queue.push_back(s);
      }
    }
  }
}

/// Constants and special registers are no memory that somebody writes, and
/// nothing that leads threads elsewhere or together touches any.
static bool mayTouchMemory(const Operands &ops) {
  switch (ops.resultClass) {
  case ResultClass::Fixed:
  case ResultClass::FP64:
  case ResultClass::DSETP:
  case ResultClass::XU:
  case ResultClass::MUFU:
  case ResultClass::XU64:
  case ResultClass::F2I64:
  case ResultClass::S2R:
  case ResultClass::S2UR:
  case ResultClass::LDC:
  case ResultClass::LDCU:
  case ResultClass::SHFL:
  case ResultClass::REDUX:
  case ResultClass::BSSY:
    return false;
  default:
    return ops.operation != OpBSYNC && ops.operation != OpBRA &&
           ops.operation != OpNOP && ops.operation != OpYIELD;
  }
}

bool SafetyCheck::touches(uint32_t i, const CheckedEvent &e,
                          const BitVector &pending) const {
  const bool isRead =
      e.nextRead != NoEvent && !pending.test(e.nextRead) &&
      (i <= e.instruction || i > events[e.nextRead].instruction);
  return (!isRead && overlap(e.uses, operands[i].defs)) ||
         (e.guardsMemory && mayTouchMemory(operands[i])) ||
         (e.readResult && (operands[i].reads(e.readResult) ||
                           operands[i].writes(e.readResult))) ||
         overlap(e.guarded, operands[i].defs) ||
         (!e.isRead && overlap(e.guarded, operands[i].uses));
}

bool SafetyCheck::run() {
  std::optional<ControlFlow> graph = ControlFlow::build(code, tables);
  if (!graph)
    return false;
  flow = std::move(*graph);
  collectEvents();
  if (uint64_t(events.size()) * (flow.blocks.size() + code.size()) > MaxWork)
    return false;
  std::vector<BitVector> before, after;
  solve(false, before);
  solve(true, after);
  BitVector oldMembers[6], newMembers[6];
  findMembers(false, oldMembers);
  findMembers(true, newMembers);
  for (size_t b = 0; b != flow.blocks.size(); ++b) {
    BitVector oldState = before[b], newState = after[b];
    for (uint32_t i = flow.blocks[b].begin; i != flow.blocks[b].end; ++i) {
      // Waits come first.
      const uint8_t oldWaits = oldFields[i].waits, newWaits = fields[i].waits;
      for (unsigned s = 0; (oldWaits | newWaits) && s != 6; ++s) {
        if (oldWaits >> s & 1)
          oldState.reset(oldMembers[s]);
        if (newWaits >> s & 1)
          newState.reset(newMembers[s]);
      }
      if (newState.test(oldState)) { // Something is over in the old code only.
        BitVector early = newState;
        early.reset(oldState);
        for (unsigned n : early.set_bits())
          if (touches(i, events[n], newState))
            return false;
      }
      step(i, false, oldState, oldMembers);
      step(i, true, newState, newMembers);
    }
    if (flow.blocks[b].endsInTable && !flow.blocks[b].hasKnownTargets &&
        newState.any())
      return false;
  }
  return true;
}

bool areScoreboardsSafe(ArrayRef<Instruction> code,
                        ArrayRef<ScoreboardFields> fields,
                        ArrayRef<JumpTable> tables,
                        ArrayRef<Operands> operands) {
  std::vector<Operands> decoded;
  if (operands.empty()) {
    decoded.reserve(code.size());
    for (const Instruction &inst : code)
      decoded.push_back(decodeOperands(inst));
    operands = decoded;
  }
  return code.size() == fields.size() &&
         SafetyCheck(code, fields, tables, operands).run();
}

} // namespace lld::cuda
