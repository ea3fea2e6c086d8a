//===- SelfMoves.cpp - Moves of a register to itself ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the moves of a register to itself that a link removes. EditPlanner
/// (CodeEdit.cpp) calls findSelfMoves() when it plans a function's edit, if the
/// link drops such moves [code-self-moves]. A move of a register to itself is
/// removed only if its record in .nv.capmerc.text says that two moves join a
/// pair, and only if it is one of the two: `MOV R4, R4; MOV R5, R9` loses the
/// first. The records are read only if the code has such a move at all.
///
//===----------------------------------------------------------------------===//

#include "SelfMoves.h"
#include "VisitEntries.h"
#include "lld-cuda/Object/Mercury.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

static bool movesToItself(const Instruction &inst) {
  constexpr unsigned MoveUniformRegister = 0xc82;
  const unsigned opcode = inst.opcode();
  return (opcode == OpcodeMoveRegister || opcode == MoveUniformRegister) &&
         (inst.low >> 16 & 0xff) == (inst.low >> 32 & 0xff);
}

Error findSelfMoves(ArrayRef<uint8_t> code, uint32_t used,
                    ArrayRef<uint8_t> capmerc, std::vector<uint32_t> &moves) {
  auto isMove = [&](uint64_t i) {
    return movesToItself(Instruction::read(code.data() + i * InstructionSize));
  };
  if (none_of(seq(0u, used), isMove))
    return Error::success();
  return visitEntries(code, used, capmerc, [&](const CapmercEntry &entry) {
    const uint32_t i = entry.instruction;
    if (entry.count != 2 || !joinsPair(entry, capmerc))
      return;
    // Exactly one of the two moves a register to itself. Code in which both do
    // hasn't been seen.
    if (isMove(i) != isMove(i + 1))
      moves.push_back(isMove(i) ? i : i + 1);
  });
}

} // namespace lld::cuda
