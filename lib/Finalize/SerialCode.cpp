//===- SerialCode.cpp - Code that isn't optimized -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SerialCode.h"
#include "lld-cuda/Sass/Scoreboards.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

bool isSerialCode(ArrayRef<Instruction> code) {
  constexpr uint8_t Both = 3;
  auto waits = [](const Instruction &inst) {
    return !inst.stall() || (readScoreboards(inst).waits & Both) == Both ||
           inst.isMembar() || inst.isFencePlaceholder();
  };
  return !code.empty() && code.front().stall() == MaxStall &&
         all_of(code, waits);
}

std::vector<uint32_t> clearScheduling(ArrayRef<Instruction> code) {
  std::vector<uint32_t> scheduling;
  for (const Instruction &inst : code)
    scheduling.push_back(inst.isFencePlaceholder() ? inst.scheduling()
                                                   : Instruction::Unscheduled);
  return scheduling;
}

} // namespace lld::cuda
