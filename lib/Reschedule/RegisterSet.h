//===- RegisterSet.h - Sets of registers ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A set of registers in the common numbering of Sass/Operands.h. Schedules ask
/// for each pair of near instructions which registers both of them use
/// (IssueDistances.cpp), and for each block which registers are live
/// (LiveRegisters.cpp). Such sets are nearly empty, so forEach() skips 64
/// registers at a time, which std::bitset can't.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_REGISTERSET_H
#define LLD_CUDA_LIB_RESCHEDULE_REGISTERSET_H

#include "lld-cuda/Sass/Operands.h"
#include "llvm/ADT/bit.h"
#include <array>

namespace lld::cuda::scoreboards {

class RegisterSet {
  static constexpr unsigned WordBits = 64;
  std::array<uint64_t, (sass::NumRegisters + WordBits - 1) / WordBits> words =
      {};

public:
  bool operator[](unsigned reg) const {
    return words[reg / WordBits] >> reg % WordBits & 1;
  }
  void set(unsigned reg) {
    words[reg / WordBits] |= uint64_t(1) << reg % WordBits;
  }
  void reset(unsigned reg) {
    words[reg / WordBits] &= ~(uint64_t(1) << reg % WordBits);
  }
  void reset() { words = {}; }
  /// Returns the set of all registers.
  static RegisterSet all() {
    RegisterSet result;
    for (unsigned reg = 0; reg != sass::NumRegisters; ++reg)
      result.set(reg);
    return result;
  }
  bool none() const { return words == decltype(words)(); }
  bool any() const { return !none(); }

  /// Calls `fn` with each register, in ascending order.
  template <class Fn> void forEach(Fn fn) const {
    for (unsigned i = 0; i != words.size(); ++i)
      for (uint64_t rest = words[i]; rest; rest &= rest - 1)
        fn(i * WordBits + llvm::countr_zero(rest));
  }

  RegisterSet &operator|=(const RegisterSet &o) {
    for (size_t i = 0; i != words.size(); ++i)
      words[i] |= o.words[i];
    return *this;
  }
  RegisterSet &operator&=(const RegisterSet &o) {
    for (size_t i = 0; i != words.size(); ++i)
      words[i] &= o.words[i];
    return *this;
  }
  /// Removes the registers of another set.
  RegisterSet &operator-=(const RegisterSet &o) {
    for (size_t i = 0; i != words.size(); ++i)
      words[i] &= ~o.words[i];
    return *this;
  }
  friend RegisterSet operator|(RegisterSet a, const RegisterSet &b) {
    return a |= b;
  }
  friend RegisterSet operator&(RegisterSet a, const RegisterSet &b) {
    return a &= b;
  }
  friend RegisterSet operator-(RegisterSet a, const RegisterSet &b) {
    return a -= b;
  }
  friend bool operator==(const RegisterSet &a, const RegisterSet &b) {
    return a.words == b.words;
  }
};

} // namespace lld::cuda::scoreboards

#endif
