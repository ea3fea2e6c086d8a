//===- WrittenSections.cpp - Which sections are in the output -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// decideWrittenSections() decides which of the sections that a link has
/// created are written. numberOutput() in Link.cpp calls it right before
/// sections get their numbers; no other pass decides that. SectionKinds.def has
/// the rule of each kind (always, if it has entries, if memory was laid out in
/// it), and earlier passes have left the facts that the rules ask for
/// [section-written]. Sections are created long before it is known whether they
/// are needed, because their order of creation is the output's, and the name of
/// each is in .shstrtab even if the section isn't written.
///
//===----------------------------------------------------------------------===//

#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Merge/NativeCallees.h"
#include "Passes.h"
#include "Program.h"
#include "Twins.h"
#include "lld-cuda/Support/Prefetch.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

/// Whether a record of .nv.info stays when no function does: it is about the
/// image as a whole, or about a sampler.
static bool outlivesFunctions(const InfoRecord &r) {
  const NvInfoAttribute *attribute = getNvInfoAttribute(r.record.code);
  if (!attribute || attribute->symbols == NvInfoSymbols::None)
    return true;
  if (attribute->symbols != NvInfoSymbols::First)
    return false;
  uint64_t base;
  const Symbol *s = r.file->resolve(r.record.word(0), base, View::Native);
  return s && s->isVariable() && static_cast<const Variable *>(s)->isTexture();
}

/// An empty .nv.info is left out: its records go with their functions, but for
/// those that an object without code has, too [attribute-section-left-out].
static bool hasInfoRecords(const Program &program) {
  return any_of(program.functions,
                [](const Function &f) { return f.reachable && f.text; }) ||
         any_of(program.globalInfoRecords[unsigned(View::Native)],
                outlivesFunctions);
}

static bool hasRecords(const Program &program, const OutputSection &sec) {
  if (sec.kind == SectionKind::Info)
    return hasInfoRecords(program);
  return any_of(program.functions,
                [](const Function &f) { return f.hasPrototypeRecord(); });
}

/// Sections of shared memory that hold nothing stay by chance: where they are
/// aligned to exactly 16 [shared-empty-sections].
static bool isUsedSharedMemory(const Inputs &inputs, const Program &program,
                               const OutputSection &sec) {
  constexpr uint64_t HuskAlign = 16;
  if (inputs.isRelocatable())
    return sec.contributed || sec.laidOut;
  if (sec.kind == SectionKind::DebugShared)
    return sec.laidOut || (program.anyDynamicShared && sec.align == HuskAlign);
  // On sm_90 the reserved part is added before empty sections are dropped.
  return sec.laidOut &&
         (sec.size > sec.reservedSize() || sec.align == HuskAlign ||
          inputs.sm() == FirstCompatSM);
}

static bool isWritten(const Inputs &inputs, const Program &program,
                      const OutputSection &sec) {
  if (!sec.reachable)
    return false;
  switch (sec.facts().written) {
  case SectionWritten::Always:
    return true;
  case SectionWritten::Contributed:
    return sec.contributed || !sec.parts.empty();
  case SectionWritten::HasEntries:
    return !sec.kept.empty() || (sec.mercury && !sec.mercury->kept.empty());
  case SectionWritten::HasRecords:
    return hasRecords(program, sec);
  case SectionWritten::LaidOut:
    return isUsedSharedMemory(inputs, program, sec);
  case SectionWritten::WithCode:
  case SectionWritten::ManySections:
    return false; // Decided when all others are.
  }
  llvm_unreachable("all cases return");
}

/// The parameter bank that the finalizer makes for a kernel's code.
static OutputSection *getParameterBank(const OutputSection &sec) {
  OutputSection *bank =
      sec.isText() && sec.owner ? sec.owner->constant0 : nullptr;
  return bank && bank->kind == SectionKind::ParameterBank ? bank : nullptr;
}

/// Whether two sections are made of equal parts.
static bool haveEqualParts(const OutputSection &a, const OutputSection &b) {
  auto areEqual = [](const SectionPart &x, const SectionPart &y) {
    return x.offset == y.offset && x.contents() == y.contents();
  };
  return a.size == b.size &&
         std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(),
                    b.parts.end(), areEqual);
}

/// Since 13.5 both views share .debug_info, with the native view's addresses
/// [file-of-finalizer].
static bool sharesDebugInfo(const Inputs &inputs, const OutputSection &native) {
  return native.kind == SectionKind::DebugInfo &&
         inputs.rules.finalizerWritesFile();
}

/// A written section's twin is written, too.
static void writeTwin(const Inputs &inputs, Program &program,
                      OutputSection &native) {
  const TwinFacts &facts = getTwinFacts(native.kind);
  OutputSection &twin = *getTwin(inputs, program, native);
  if (facts.bytes == TwinBytes::OwnIfDifferent)
    twin.isSharedCopy = haveEqualParts(native, twin);
  const bool isEmptyDebug =
      native.facts().bucket == SectionBucket::Debug && !twin.size;
  if (twin.isSharedCopy || isEmptyDebug || sharesDebugInfo(inputs, native)) {
    twin.isSharedCopy = true;
    twin.size = native.size;
  }
  if (!facts.align)
    twin.align = native.align;
  twin.written = true;
}

/// Whether the output's release gives sections of that kind a twin.
static bool hasTwin(const Inputs &inputs, SectionKind kind) {
  if (kind == SectionKind::CallGraph || kind == SectionKind::Prototypes)
    return inputs.rules.mirrorsCallGraph();
  return bool(getTwinFacts(kind));
}

/// The symbol table has a twin in any case, and that of .symtab_shndx is there
/// if that is: they say nothing about the number of the other sections.
static bool countsTwin(const Inputs &inputs, const OutputSection &native) {
  return hasTwin(inputs, native.kind) &&
         native.facts().bucket != SectionBucket::Tables;
}

/// Decides which sections the finalizer adds: parameter banks, .symtab_shndx if
/// the sections are too many for 16 bits, and all twins.
static void decideMercurySections(const Inputs &inputs, Program &program) {
  size_t count = 3; // Null, and both symbol tables' own.
  for (OutputSection *sec : program.sections) {
    if (!sec->written)
      continue;
    count += 1 + countsTwin(inputs, *sec);
    if (sec->isText() && sec->owner && sec->owner->constant0)
      ++count;
    if (OutputSection *bank = getParameterBank(*sec))
      bank->written = true;
  }
  if (count > SHN_LORESERVE && !program.symtabShndx->written)
    program.symtabShndx->written = program.symtabShndx->isAppended = true;
  for (OutputSection *sec : program.sections)
    if (sec->written && hasTwin(inputs, sec->kind)) {
      sec->isLast = hasOnlyNativeCalls(program, *sec);
      if (!sec->isLast)
        writeTwin(inputs, program, *sec);
    }
}

/// Also numbers sections in the order of their creation. nvlink's final link
/// has one more, without a name, before .nv.info [extended-indices]. Dead
/// sections count, too, but not for the finalizer
/// (test/benchmarks/many-sections.test).
void decideWrittenSections(const Inputs &inputs, Program &program) {
  uint32_t next = 1;
  forEachObject(ArrayRef(program.sections), [&](OutputSection &sec) {
    sec.written = isWritten(inputs, program, sec);
    if (!sec.reachable && inputs.isMercury())
      return;
    if (&sec == program.nvinfo && !inputs.isRelocatable())
      ++next;
    sec.creationIndex = next++;
    next += sec.companion == Companion::Noted;
  });
  // .symtab_shndx exists as soon as a creation number is too large for a
  // symbol, though the final numbers may not be.
  program.symtabShndx->written = next > SHN_LORESERVE;
  if (inputs.isMercury())
    decideMercurySections(inputs, program);
}

} // namespace lld::cuda
