//===- ScoreboardFields.h - Scoreboard fields of instructions ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The three scoreboard fields in the scheduling word of a SASS instruction
/// (native GPU code) of sm_100 and later. lib/FinalCode and lib/Reschedule read
/// and rewrite them when the linker finalizes functions at the end of a link.
///
/// The hardware has six scoreboards for instructions of variable latency. Such
/// an instruction names one that stays raised until its result is available
/// (its write scoreboard), or one that stays raised until it has read its
/// sources (its read scoreboard). Dependent instructions name the scoreboards
/// that they wait for.
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

/// The scoreboard fields of an instruction. `write` and `read` are 0 to 5, or
/// NoScoreboard.
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
/// Writes the three fields; all other bits of the instruction stay unchanged.
void writeScoreboards(sass::Instruction &inst, ScoreboardFields fields);

/// Returns whether `inst` is a DEPBAR.LE that only waits for the read
/// scoreboard of `membar`, the instruction before it.
bool countsFence(const sass::Instruction &membar,
                 const sass::Instruction &inst);
/// Makes a DEPBAR for which countsFence() holds wait for `scoreboard`.
void setCounted(sass::Instruction &depbar, unsigned scoreboard);

/// Decodes `code`, 16 bytes an instruction. An incomplete one at the end is
/// ignored.
std::vector<sass::Instruction> readInstructions(llvm::ArrayRef<uint8_t> code);

} // namespace lld::cuda

#endif
