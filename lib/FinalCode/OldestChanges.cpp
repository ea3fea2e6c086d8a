//===- OldestChanges.cpp - NOPs that change in code of CUDA 12 ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the fences that get a NOP, and the NOPs after a WARPSYNC that are
/// removed, in code of a compiler of CUDA 12 (Mercury code of version 1.0).
/// EditPlanner of CodeEdit.cpp calls findOldestChanges() when a link plans the
/// edit of such a function [mercury12-code]. The native code alone doesn't tell
/// which ones are meant; the records in .nv.capmerc.text do, by their class.
/// The function reads them only if the code has a fence or a WARPSYNC of this
/// kind at all, since most functions have neither.
///
//===----------------------------------------------------------------------===//

#include "OldestChanges.h"
#include "VisitEntries.h"
#include "lld-cuda/Object/Mercury.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

Error findOldestChanges(ArrayRef<uint8_t> code, uint32_t used,
                        ArrayRef<uint8_t> capmerc,
                        std::vector<uint32_t> &fences,
                        std::vector<uint32_t> &syncs) {
  constexpr unsigned Always = 7;
  auto at = [&](uint64_t i) {
    return Instruction::read(code.data() + i * InstructionSize);
  };
  auto isFence = [&](uint32_t i) {
    const Instruction inst = at(i);
    return inst.isMembar() && inst.membarKind() == MembarAllCTA &&
           inst.stall() && inst.predicate() == Always;
  };
  auto isSync = [&](uint32_t i) {
    return at(i).operation() == OpWARPSYNC && !at(i).displacement();
  };
  if (none_of(seq(0u, used),
              [&](uint32_t i) { return isFence(i) || isSync(i); }))
    return Error::success();
  return visitEntries(code, used, capmerc, [&](const CapmercEntry &entry) {
    const uint32_t last = entry.instruction + entry.count - 1;
    if (entry.isOf(CapmercFence, capmerc) && isFence(last))
      fences.push_back(last);
    else if (entry.isOf(CapmercBarrier, capmerc) && entry.count == 2 &&
             isSync(entry.instruction) && at(last).isNop())
      syncs.push_back(last);
  });
}

} // namespace lld::cuda
