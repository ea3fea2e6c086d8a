//===- ScoreboardFields.h - What instructions wait for ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// On sm_100 and later, an instruction of variable latency increments one of
/// six scoreboards until its result is there (its write scoreboard) or until it
/// has read its sources (its read scoreboard); whoever depends on it waits for
/// the scoreboard. Three fields of the scheduling word say which.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SASS_SCOREBOARDFIELDS_H
#define LLD_CUDA_SASS_SCOREBOARDFIELDS_H

#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace lld::cuda {

constexpr unsigned NumScoreboards = 6;
constexpr uint8_t AllScoreboards = 0x3f;

/// The scoreboard fields of an instruction.
struct ScoreboardFields {
  uint8_t write = sass::NoScoreboard;
  uint8_t read = sass::NoScoreboard;
  uint8_t waits = 0; ///< Bit i: waits for scoreboard i.

  bool operator==(const ScoreboardFields &o) const {
    return write == o.write && read == o.read && waits == o.waits;
  }
  bool operator!=(const ScoreboardFields &o) const { return !(*this == o); }
};

ScoreboardFields readScoreboards(const sass::Instruction &inst);
void writeScoreboards(sass::Instruction &inst, ScoreboardFields fields);

/// Whether `inst` is a DEPBAR.LE that waits for the scoreboard of the MEMBAR
/// before it, and does nothing else.
bool countsFence(const sass::Instruction &membar,
                 const sass::Instruction &inst);
/// Makes such a DEPBAR wait for another scoreboard.
void setCounted(sass::Instruction &depbar, unsigned scoreboard);

/// All whole instructions of `code`.
std::vector<sass::Instruction> readInstructions(llvm::ArrayRef<uint8_t> code);

} // namespace lld::cuda

#endif
