//===- PredicateScoreboards.h - What guards of EXITs wait for ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An analysis of which scoreboards the guard of an EXIT still waits for when
/// the EXIT issues. CodeEdit.cpp asks when it writes an error barrier before
/// the EXIT: the barrier has the same guard, and takes over these waits but not
/// the EXIT's others.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_PREDICATESCOREBOARDS_H
#define LLD_CUDA_LIB_FINALCODE_PREDICATESCOREBOARDS_H

#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <vector>

namespace lld::cuda {

/// The result for all EXITs of a function. `code` is needed only by the
/// constructor.
class PredicateScoreboards {
public:
  explicit PredicateScoreboards(llvm::ArrayRef<sass::Instruction> code);

  /// Returns the scoreboards that the guard of the EXIT with the index `exit`
  /// waits for, in the form of Instruction::waitMask().
  uint64_t waitsFor(uint32_t exit) const;

private:
  static constexpr unsigned NumPredicates = 7;
  /// For each predicate register, the scoreboards that its value still waits
  /// for: bit N is scoreboard N.
  using State = std::array<uint8_t, NumPredicates>;

  static void step(const sass::Instruction &inst, State &state);
  void walk(llvm::ArrayRef<sass::Instruction> code, uint32_t begin,
            uint32_t end, State &state);

  std::vector<uint8_t> guards; ///< Indexed by instruction; set for EXITs.
};

} // namespace lld::cuda

#endif
