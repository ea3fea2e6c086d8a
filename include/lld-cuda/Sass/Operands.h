//===- Operands.h - Registers that instructions use -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which registers an instruction of sm_100 and later reads and writes, for the
/// pass that allocates scoreboards anew (Scoreboards.h). General, uniform and
/// predicate registers share one numbering.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SASS_OPERANDS_H
#define LLD_CUDA_SASS_OPERANDS_H

#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/SmallVector.h"

namespace lld::cuda::sass {

/// Where in the common numbering the kinds of registers begin.
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

/// What has an event that a scoreboard tells.
enum class EventKind : uint8_t { None, Result, Read, Both, FP64 };

/// Units that deliver their results in order: of those that one instruction
/// needs, it waits for the youngest.
enum class ResultPipe : uint8_t { None, XU, Shared, FP64, Tensor };
constexpr unsigned NumResultPipes = 5;

/// Units that read their sources in order.
enum class ReadPipe : uint8_t { None, Load, Store, Shared, XU, FP64 };
constexpr unsigned NumReadPipes = 6;

struct ClassInfo {
  EventKind events;
  uint16_t latency, readLatency;
  ResultPipe resultPipe;
  ReadPipe readPipe;
};

const ClassInfo &getClassInfo(ResultClass c);

struct RegisterRange {
  uint16_t first;
  uint16_t count;

  bool overlaps(RegisterRange o) const {
    return first < o.first + o.count && o.first < first + count;
  }
};

class Operands {
public:
  using List = llvm::SmallVector<RegisterRange, 4>;

  ResultClass resultClass = ResultClass::Other;
  bool isKnown = true; ///< The operation stands in Operands.def.
  /// WARPSYNC.COLLECTIVE, ENDCOLLECTIVE, a call or a return: waits for all that
  /// is pending.
  bool isCollective = false;
  uint16_t operation = 0;
  /// A predicate that is there when the sources have been read. 0: none.
  uint16_t readResult = 0;
  List uses, defs;

  const ClassInfo &info() const { return getClassInfo(resultClass); }
  /// Threads must not leave, or meet again, with uniform results on the way.
  bool needsUniform() const {
    return operation == OpBSYNC || operation == OpEXIT;
  }
  bool writesUniform() const {
    for (RegisterRange r : defs)
      if (r.first >= FirstUniform && r.first < FirstPredicate)
        return true;
    return false;
  }
  /// Threads that come in between have not waited.
  bool opensCollective() const {
    return isCollective && operation == OpWARPSYNC;
  }
  /// Copies, barriers and tensor memory, whose events stand for more than their
  /// registers.
  bool isAsynchronous() const {
    return resultClass >= ResultClass::SYNCS &&
           resultClass <= ResultClass::STAS;
  }
  /// Where what is still to be read ends: others take uniform registers at
  /// once.
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

Operands decodeOperands(const Instruction &inst);

} // namespace lld::cuda::sass

#endif
