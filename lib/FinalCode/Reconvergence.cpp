//===- Reconvergence.cpp - NOPs where threads meet again ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds NOPs that code has or lacks where the threads of a warp meet again.
/// EditPlanner (CodeEdit.cpp) calls one of two opposite functions when a link
/// plans a function's edit. If the link follows the rules of a newer release of
/// nvlink, which writes such NOPs, findMissingNops() lists the BSYNC and
/// BREAK.RELIABLE instructions without one; if it follows those of an older
/// release, which removes them, findJoinedNops() lists the NOPs. Not every NOP
/// before a BSYNC is of this kind: in doubt, the records in .nv.capmerc.text
/// say which NOP is part of the same Mercury instruction as the BSYNC or BREAK.
///
//===----------------------------------------------------------------------===//

#include "Reconvergence.h"
#include "VisitEntries.h"
#include "lld-cuda/FinalCode/CodeEdit.h"
#include "lld-cuda/Object/Mercury.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;
using namespace lld::cuda::sass;

namespace lld::cuda {

namespace {

class NopFinder {
public:
  NopFinder(ArrayRef<uint8_t> code, uint32_t used, ArrayRef<uint8_t> capmerc,
            const FinalizerOptions &options)
      : code(code), used(used), capmerc(capmerc), options(options) {}

  Error find(MissingNops &missing);

private:
  Instruction at(uint32_t i) const {
    return Instruction::read(code.data() + uint64_t(i) * InstructionSize);
  }
  /// Whether what follows the BREAK begins a block. A NOP of its own doesn't.
  bool endsBlock(uint32_t i);
  void findTargets();
  Error dropPadded(MissingNops &missing);

  ArrayRef<uint8_t> code;
  const uint32_t used;
  ArrayRef<uint8_t> capmerc;
  const FinalizerOptions &options;
  BitVector targets; ///< Instructions that others lead to; empty: not known.
};

} // namespace

static bool isReliableBreak(const Instruction &inst) {
  constexpr unsigned Break = 0x142, IsReliable = 1 << 8;
  return inst.operation() == Break && inst.high & IsReliable;
}

static bool isPlainNop(const Instruction &inst) {
  constexpr unsigned Always = 7;
  return inst.isNop() && inst.predicate() == Always;
}

void NopFinder::findTargets() {
  targets.resize(used);
  for (uint32_t target : options.jumpTargets)
    if (target < used)
      targets.set(target);
  for (uint32_t i = 0; i != used; ++i) {
    const Instruction inst = at(i);
    const std::optional<int64_t> displacement = inst.displacement();
    if (!displacement || inst.operation() == OpBSSY)
      continue;
    const int64_t target =
        int64_t(i) + 1 + *displacement / int64_t(InstructionSize);
    if (target >= 0 && target < used)
      targets.set(target);
  }
}

bool NopFinder::endsBlock(uint32_t i) {
  if (i + 1 == used)
    return false;
  if (at(i + 1).operation() == OpBSYNC)
    return true;
  if (targets.empty())
    findTargets();
  return targets[i + 1];
}

/// The NOP that is looked for is the one that is part of the same Mercury
/// instruction as the BSYNC after it: ptxas 13.0.100 writes it, as do later
/// releases, and so does a relocatable link. Code of 13.0 has NOPs of other
/// kinds before a BSYNC, too, such as the one after UTMACCTL.
Error NopFinder::dropPadded(MissingNops &missing) {
  Expected<CapmercText> text = readCapmercText(capmerc, code.size());
  if (!text)
    return text.takeError();
  BitVector joined(used); ///< To the instruction before.
  for (const CapmercEntry &entry : text->entries)
    for (uint32_t i = 1; i < entry.count; ++i)
      if (entry.instruction + i < used)
        joined.set(entry.instruction + i);
  erase_if(missing.before, [&](uint32_t i) { return joined[i]; });
  return Error::success();
}

Error NopFinder::find(MissingNops &missing) {
  bool mayBePadded = false;
  for (uint32_t i = 0; i != used; ++i) {
    const Instruction inst = at(i);
    if (inst.syncMode()) {
      const bool hasNop = i && isPlainNop(at(i - 1));
      if (options.mayBePadded && hasNop)
        continue;
      mayBePadded |= hasNop;
      missing.before.push_back(i);
    } else if (isReliableBreak(inst) && !options.mayBePadded && endsBlock(i)) {
      missing.after.push_back(i);
    }
  }
  return mayBePadded ? dropPadded(missing) : Error::success();
}

Error findMissingNops(ArrayRef<uint8_t> code, uint32_t used,
                      ArrayRef<uint8_t> capmerc,
                      const FinalizerOptions &options, MissingNops &missing) {
  return NopFinder(code, used, capmerc, options).find(missing);
}

Error findJoinedNops(ArrayRef<uint8_t> code, uint32_t used,
                     ArrayRef<uint8_t> capmerc, std::vector<uint32_t> &nops) {
  auto at = [&](uint64_t i) {
    return Instruction::read(code.data() + i * InstructionSize);
  };
  // The NOP of the pair that begins at an instruction.
  auto nopOf = [&](uint32_t i) -> std::optional<uint32_t> {
    if (isPlainNop(at(i)) && at(i + 1).syncMode())
      return i;
    if (isReliableBreak(at(i)) && isPlainNop(at(i + 1)))
      return i + 1;
    return std::nullopt;
  };
  const uint32_t pairs = used ? used - 1 : 0;
  if (none_of(seq(0u, pairs), [&](uint32_t i) { return nopOf(i).has_value(); }))
    return Error::success();
  return visitEntries(code, used, capmerc, [&](const CapmercEntry &entry) {
    if (entry.count == 2)
      if (std::optional<uint32_t> nop = nopOf(entry.instruction))
        nops.push_back(*nop);
  });
}

} // namespace lld::cuda
