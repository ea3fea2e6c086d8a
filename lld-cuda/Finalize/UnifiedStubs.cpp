//===- UnifiedStubs.cpp - Stubs of unified functions ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A stub is the code in the table slot of a unified function, .nv.uft.rel.F:
/// it jumps to F, and behind the jump stand a loop that nothing reaches (a
/// branch to itself) and NOPs that fill the section up. From sm_100 on nvlink's
/// finalizer makes stubs anew. It puts four NOPs in front of the loop, which
/// ptxas from 13.1 on leaves out [unified-stub-nops], and gives the
/// instructions new waits: with -g each waits for everything, without it none
/// does, whatever the compiler has chosen [unified-stubs]. finalizeStubs() does
/// the same, and finalizeCode() in Finalizer.cpp calls it as its last step. The
/// compiler's stubs are right as well, so they are changed only where nvlink's
/// bytes are asked for (--nvlink-compat).
///
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "Passes.h"
#include "Program.h"
#include "lld-cuda/BinaryFormat/SectionKinds.h"
#include "lld-cuda/Object/Mercury.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::support;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// How many NOPs nvlink puts in front of the loop.
constexpr uint32_t StubNops = 4;

/// A stub's last entry in .nv.capmerc.nv.uft.rel.F covers the loop and the NOPs
/// behind it. Returns that entry, with its index; nullopt if the section is of
/// another form.
static std::optional<std::pair<CapmercEntry, uint32_t>>
findLoop(const SectionPart &code, const SectionPart &mercury) {
  Expected<CapmercText> text =
      readCapmercText(mercury.contents(), code.bytes.size());
  if (!text) {
    consumeError(text.takeError());
    return std::nullopt;
  }
  if (text->entries.empty())
    return std::nullopt;
  const CapmercEntry &last = text->entries.back();
  if (!last.isRun || last.recordSize || !last.count || !last.instruction)
    return std::nullopt;
  return std::pair(last, uint32_t(text->entries.size() - 1));
}

/// In the Mercury view the new NOPs are entries without a record, and the last
/// entry covers so many instructions fewer. Returns false, with nothing
/// changed, if that would need a larger bitmap.
static bool addEntries(MutableArrayRef<uint8_t> mercury,
                       const CapmercEntry &last, uint32_t index) {
  constexpr unsigned CountOffset = 8, WordBits = 32, RunShift = 7;
  const uint32_t count = index + 1;
  if (divideCeil(count, WordBits) != divideCeil(count + StubNops, WordBits))
    return false;
  endian::write32le(mercury.data() + CountOffset, count + StubNops);
  uint8_t *bitmap = mercury.data() + CapmercHeaderSize;
  for (uint32_t i = index; i != index + StubNops; ++i)
    bitmap[i / 8] |= 1u << i % 8;
  bitmap[(index + StubNops) / 8] &= ~(1u << (index + StubNops) % 8);
  uint8_t *run = mercury.data() + last.recordOffset;
  endian::write16le(run, endian::read16le(run) - (StubNops << RunShift));
  return true;
}

/// Moves the loop back, unless there are NOPs in front of it.
static void insertNops(const Inputs &inputs, SectionPart &code,
                       SectionPart &mercury, CapmercEntry &last,
                       uint32_t index) {
  const size_t at = size_t(last.instruction) * sass::InstructionSize;
  const uint8_t *before = code.contents().data() + at - sass::InstructionSize;
  if (last.count <= StubNops || sass::Instruction::read(before).isNop() ||
      !addEntries(mercury.writable(inputs), last, index))
    return;
  uint8_t *loop = code.writable(inputs).data() + at;
  sass::Instruction::read(loop).write(loop + StubNops * sass::InstructionSize);
  for (uint32_t i = 0; i != StubNops; ++i)
    sass::Nop.write(loop + i * sass::InstructionSize);
  last.instruction += StubNops;
}

/// nvlink's finalizer isn't told how stubs were compiled and schedules what
/// stands before the loop by the link's -g.
static void reschedule(const Inputs &inputs, SectionPart &code, uint32_t loop) {
  uint8_t *bytes = code.writable(inputs).data();
  const bool isDebug = inputs.config.debug && !inputs.config.suppressDebugInfo;
  for (uint32_t i = 0; i != loop; ++i) {
    uint8_t *at = bytes + size_t(i) * sass::InstructionSize;
    auto instruction = sass::Instruction::read(at);
    instruction.clearWaits();
    if (!isDebug) {
      instruction.setStall(instruction.isNop() ? 1 : 5);
      instruction.forbidYield();
    } else if (inputs.rules.clearsSerialCode()) {
      instruction.setScheduling(sass::Instruction::Unscheduled);
    } else {
      instruction.addWaitFor(0);
      instruction.addWaitFor(1);
      instruction.setStall(sass::MaxStall);
      instruction.letYield();
    }
    instruction.write(at);
  }
}

void finalizeStubs(const Inputs &inputs, const Program &program) {
  if (!inputs.rules.remakesUnifiedStubs() || !inputs.isMercury())
    return;
  for (OutputSection *sec : program.sections) {
    if (sec->kind != SectionKind::Stub || sec->parts.empty() || !sec->mercury ||
        sec->mercury->parts.empty())
      continue;
    SectionPart &code = sec->parts[0], &mercury = sec->mercury->parts[0];
    auto loop = findLoop(code, mercury);
    if (!loop)
      continue;
    insertNops(inputs, code, mercury, loop->first, loop->second);
    reschedule(inputs, code, loop->first.instruction);
  }
}

} // namespace lld::cuda
