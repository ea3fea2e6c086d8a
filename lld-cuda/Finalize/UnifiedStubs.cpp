//===- UnifiedStubs.cpp - Schedules of stubs of unified functions ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A stub is the code in the table slot of a unified function, .nv.uft.rel.F,
/// and jumps to F. From sm_100 on nvlink's finalizer gives the stub's
/// instructions new waits: with -g each waits for everything, without it none
/// does, whatever the compiler has chosen [unified-stubs]. rescheduleStubs()
/// gives them the same waits, and finalizeCode() in Finalizer.cpp calls it as
/// its last step. The compiler's waits are right as well, so they are changed
/// only where nvlink's bytes are asked for (--nvlink-compat).
///
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "Passes.h"
#include "Program.h"
#include "lld-cuda/BinaryFormat/SectionKinds.h"
#include "lld-cuda/Sass/Code.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// With -g the compiler lets each instruction wait for everything. nvlink's
/// finalizer isn't told how stubs were compiled and schedules them by the
/// link's -g. Those that fill the section up have no stalls.
static void rescheduleStub(const Inputs &inputs, SectionPart &code) {
  MutableArrayRef<uint8_t> bytes = code.writable(inputs);
  const bool isDebug = inputs.config.debug && !inputs.config.suppressDebugInfo;
  for (size_t at = 0; at + sass::InstructionSize <= bytes.size();
       at += sass::InstructionSize) {
    auto instruction = sass::Instruction::read(bytes.data() + at);
    if (!instruction.stall())
      continue;
    instruction.clearWaits();
    if (isDebug) {
      instruction.addWaitFor(0);
      instruction.addWaitFor(1);
      instruction.setStall(sass::MaxStall);
      instruction.letYield();
    } else {
      instruction.setStall(instruction.isNop() ? 1 : 5);
      instruction.forbidYield();
    }
    instruction.write(bytes.data() + at);
  }
}

void rescheduleStubs(const Inputs &inputs, const Program &program) {
  if (!inputs.rules.reschedulesUnifiedStubs() || !inputs.isMercury())
    return;
  for (OutputSection *sec : program.sections)
    if (sec->kind == SectionKind::Stub && !sec->parts.empty())
      rescheduleStub(inputs, sec->parts[0]);
}

} // namespace lld::cuda
