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
#include "lld-cuda/FinalCode/CapmercWriter.h"
#include "lld-cuda/Object/Mercury.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// How many NOPs nvlink puts in front of the loop.
constexpr uint32_t StubNops = 4;

/// The last entry of a stub's Mercury code, .nv.capmerc.nv.uft.rel.F, covers
/// the loop and the NOPs behind it. Returns the entries; none if the section is
/// of another form.
static std::vector<CapmercEntry> readEntries(const SectionPart &code,
                                             const SectionPart &mercury) {
  Expected<CapmercText> text =
      readCapmercText(mercury.contents(), code.bytes.size());
  if (!text) {
    consumeError(text.takeError());
    return {};
  }
  if (text->entries.empty())
    return {};
  const CapmercEntry &last = text->entries.back();
  const bool isStub =
      last.isRun && !last.recordSize && last.count && last.instruction;
  return isStub ? std::move(text->entries) : std::vector<CapmercEntry>();
}

/// In the Mercury view the new NOPs are entries without a record, and the last
/// entry covers so many instructions fewer.
static SmallVector<uint8_t, 0> addEntries(ArrayRef<uint8_t> mercury,
                                          ArrayRef<CapmercEntry> entries) {
  CapmercWriter writer(mercury.take_front(CapmercHeaderSize));
  for (const CapmercEntry &entry : entries.drop_back())
    if (entry.recordOffset)
      writer.addCopy(entry.bytes(mercury));
    else
      writer.addPlain();
  for (uint32_t i = 0; i != StubNops; ++i)
    writer.addPlain();
  writer.addEntry(entries.back().count - StubNops, /*record=*/false);
  return writer.finish();
}

/// Moves the loop back, unless NOPs stand in front of it. Returns the number of
/// instructions before the loop.
static uint32_t insertNops(const Inputs &inputs, SectionPart &code,
                           SectionPart &mercury,
                           ArrayRef<CapmercEntry> entries) {
  const CapmercEntry &last = entries.back();
  const size_t at = size_t(last.instruction) * sass::InstructionSize;
  const uint8_t *before = code.contents().data() + at - sass::InstructionSize;
  if (last.count <= StubNops || sass::Instruction::read(before).isNop())
    return last.instruction;
  const SmallVector<uint8_t, 0> records =
      addEntries(mercury.contents(), entries);
  if (records.size() != mercury.bytes.size()) // No compiler writes so many.
    return last.instruction;
  copy(records, mercury.writable(inputs).begin());
  uint8_t *loop = code.writable(inputs).data() + at;
  sass::Instruction::read(loop).write(loop + StubNops * sass::InstructionSize);
  for (uint32_t i = 0; i != StubNops; ++i)
    sass::Nop.write(loop + i * sass::InstructionSize);
  return last.instruction + StubNops;
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
    const std::vector<CapmercEntry> entries = readEntries(code, mercury);
    if (!entries.empty())
      reschedule(inputs, code, insertNops(inputs, code, mercury, entries));
  }
}

} // namespace lld::cuda
