//===- PredicateScoreboards.h - Which predicates are pending ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which scoreboards tell that the guard of an EXIT is there, if somebody still
/// has to wait for it when the EXIT comes.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_PREDICATESCOREBOARDS_H
#define LLD_CUDA_LIB_FINALCODE_PREDICATESCOREBOARDS_H

#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <vector>

namespace lld::cuda {

class PredicateScoreboards {
public:
  explicit PredicateScoreboards(llvm::ArrayRef<sass::Instruction> code);

  /// The scoreboards that the guard of the EXIT with this index waits for; as
  /// Instruction::waitMask().
  uint64_t waitsFor(uint32_t exit) const;

private:
  static constexpr unsigned NumPredicates = 7;
  /// For each predicate register, the scoreboards that its value still waits
  /// for: bit N is scoreboard N.
  using State = std::array<uint8_t, NumPredicates>;

  static void step(const sass::Instruction &inst, State &state);
  void walk(llvm::ArrayRef<sass::Instruction> code, uint32_t begin,
            uint32_t end, State &state);

  std::vector<uint8_t> guards; ///< By instruction, for EXITs.
};

} // namespace lld::cuda

#endif
