//===- Collectives.cpp - Offsets of warp-collective operations ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Corrects offsets that ptxas 13.0.48 has recorded for warp-collective
/// operations. Two parts of a link call findCollectiveOperation():
/// NvInfoOutput.cpp for the offsets in attributes that it writes, and Debug.cpp
/// for those in call frames, so that both name the same instruction. The
/// function starts at a WARPSYNC.COLLECTIVE and looks at the next three
/// instructions for the operation of that part; the longest form is a BAR after
/// two instructions that pack its operands. Any other offset is returned
/// unchanged [collective-places].
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/Collectives.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;
using namespace lld::cuda::sass;

namespace lld::cuda {

uint64_t findCollectiveOperation(ArrayRef<uint8_t> code, uint64_t offset) {
  constexpr unsigned EndCollective = 0x11b, Redux = 0x1c4, CRedux = 0x0cc;
  // The longest is a BAR after two instructions that pack its operands.
  constexpr unsigned Longest = 3;
  auto isInside = [&](uint64_t at) {
    return at % InstructionSize == 0 && at < code.size() &&
           code.size() - at >= InstructionSize;
  };
  auto operationAt = [&](uint64_t at) {
    return isInside(at) ? Instruction::read(code.data() + at).operation()
                        : EndCollective;
  };
  // Only the collective form names a place to continue at; the others, which
  // have places of their own, begin no part.
  if (operationAt(offset) != OpWARPSYNC ||
      !Instruction::read(code.data() + offset).displacement())
    return offset;
  for (unsigned i = 1; i <= Longest; ++i) {
    const uint64_t at = offset + i * InstructionSize;
    const unsigned operation = operationAt(at);
    if (operation == OpBAR || operation == Redux || operation == CRedux)
      return at;
    if (operation == EndCollective)
      break;
  }
  return offset;
}

void moveIntoCollectives(ArrayRef<uint8_t> code,
                         MutableArrayRef<uint8_t> payload) {
  for (size_t at = 0; at + 4 <= payload.size(); at += 4)
    write32le(payload.data() + at,
              findCollectiveOperation(code, read32le(payload.data() + at)));
}

} // namespace lld::cuda
