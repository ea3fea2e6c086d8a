//===- Operands.h - Registers of an instruction -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The registers that a SASS instruction (native GPU code) of sm_100 or later
/// reads and writes, and how its result becomes available. lib/Reschedule asks
/// when it allocates scoreboards anew, and lib/FinalCode when it adjusts waits
/// and stalls, both while the linker finalizes functions at the end of a link.
/// General, uniform and predicate registers share one numbering. The data is in
/// Operands.def.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SASS_OPERANDS_H
#define LLD_CUDA_SASS_OPERANDS_H

#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/SmallVector.h"

namespace lld::cuda::sass {

/// The first number of each kind of register in the common numbering.
enum : unsigned {
  FirstUniform = 256,
  FirstPredicate = 512,
  FirstUniformPredicate = 520,
  NumRegisters = 528,
};

/// How a result becomes available, and when the sources have been read: the
/// rows SASS_CLASS of Operands.def.
enum class ResultClass : uint8_t {
#define SASS_CLASS(NAME, EVENTS, LATENCY, READ_LATENCY, RESULT_PIPE,           \
                   READ_PIPE)                                                  \
  NAME,
#include "lld-cuda/Sass/Operands.def"
};

/// Which events of an instruction are signalled by a scoreboard.
enum class EventKind : uint8_t { None, Result, Read, Both, FP64 };

/// Units that deliver their results in order, so that an instruction that needs
/// several of them waits only for the youngest.
enum class ResultPipe : uint8_t { None, XU, Shared, FP64, Tensor };
constexpr unsigned NumResultPipes = 5;

/// Units that read their sources in order.
enum class ReadPipe : uint8_t { None, Load, Store, Shared, XU, FP64 };
constexpr unsigned NumReadPipes = 6;

/// What is known of the instructions of one class. Latencies are in cycles.
struct ClassInfo {
  EventKind events;
  uint16_t latency, readLatency;
  ResultPipe resultPipe;
  ReadPipe readPipe;
};

const ClassInfo &getClassInfo(ResultClass c);

/// Registers that follow each other, in the common numbering.
struct RegisterRange {
  uint16_t first;
  uint16_t count;

  bool overlaps(RegisterRange o) const {
    return first < o.first + o.count && o.first < first + count;
  }
};

/// The operands of one instruction.
class Operands {
public:
  using List = llvm::SmallVector<RegisterRange, 4>;

  ResultClass resultClass = ResultClass::Other;
  bool isKnown = true; ///< Operands.def lists the operation.
  /// The instruction is a WARPSYNC.COLLECTIVE, ENDCOLLECTIVE, call or return,
  /// which waits for all that is pending.
  bool isCollective = false;
  uint16_t operation = 0;
  /// A predicate that is available when the sources have been read; 0 if none.
  uint16_t readResult = 0;
  List uses, defs;

  const ClassInfo &info() const { return getClassInfo(resultClass); }
  /// Returns whether the instruction waits for all pending results in uniform
  /// registers, because threads must not exit or reconverge before they have
  /// arrived.
  bool needsUniform() const {
    return operation == OpBSYNC || operation == OpEXIT;
  }
  bool writesUniform() const {
    for (RegisterRange r : defs)
      if (r.first >= FirstUniform && r.first < FirstPredicate)
        return true;
    return false;
  }
  /// Returns whether the instruction begins a collective part of the code, in
  /// which threads may arrive that haven't waited for what this one waits for.
  bool opensCollective() const {
    return isCollective && operation == OpWARPSYNC;
  }
  /// Returns true for copies, barriers and tensor memory, whose events stand
  /// for more than their registers.
  bool isAsynchronous() const {
    return resultClass >= ResultClass::SYNCS &&
           resultClass <= ResultClass::STAS;
  }
  /// Returns the bound of the registers that the instruction may read late,
  /// that is, some time after issue: those with lower numbers. They are the
  /// general registers, and for asynchronous copies, tensor memory and textures
  /// the uniform ones too.
  unsigned lateRegisters() const {
    return resultClass == ResultClass::AsyncUniform ||
                   resultClass == ResultClass::TensorUniform ||
                   resultClass == ResultClass::TEX
               ? unsigned(FirstPredicate)
               : unsigned(FirstUniform);
  }
  bool reads(unsigned reg) const { return contains(uses, reg); }
  bool writes(unsigned reg) const { return contains(defs, reg); }

private:
  static bool contains(const List &list, unsigned reg) {
    for (RegisterRange r : list)
      if (reg - r.first < r.count)
        return true;
    return false;
  }
};

bool overlap(const Operands::List &a, const Operands::List &b);

/// Calls `fn` with the number of each register of the list.
template <class Fn> void forEachRegister(const Operands::List &list, Fn fn) {
  for (RegisterRange r : list)
    for (unsigned k = r.first; k < r.first + r.count && k < NumRegisters; ++k)
      fn(k);
}

/// Decodes an instruction. `isKnown` is false if Operands.def doesn't list it.
Operands decodeOperands(const Instruction &inst);

} // namespace lld::cuda::sass

#endif
