//===- Finalizer.cpp - The native code of sm_100 and later ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What nvlink's finalizer changes in the native code, see CodeEdit.h. The
/// edits are planned before relocations are processed and carried out after
/// that: code and relocations are read as they came in, and what has been
/// patched and kept moves along. The Mercury view stays as it is, but for the
/// counts of instructions in .nv.capmerc.text.
///
//===----------------------------------------------------------------------===//

#include "Finalize/Finalizer.h"
#include "Finalize/FunctionCode.h"
#include "Input/ObjectFile.h"
#include "Layout.h"
#include "Parallel.h"
#include "Passes.h"
#include "Program.h"
#include "lld-cuda/BinaryFormat/Relocations.h"
#include "lld-cuda/Finalize/CodeEdit.h"
#include "lld-cuda/Finalize/OldestCode.h"
#include "lld-cuda/Sass/Code.h"
#include "lld-cuda/Sass/ControlFlow.h"
#include "lld-cuda/Sass/Scoreboards.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

MercuryOffsets getMercuryOffsets(const Function &f) {
  if (!f.text || !f.text->mercury || f.text->parts.empty() ||
      f.text->mercury->parts.empty())
    return {};
  return MercuryOffsets(f.text->parts[0].bytes, f.text->mercury->parts[0].bytes,
                        f.mercurySize);
}

/// Whether EXITs get error barriers: one object compiled for debugging is
/// enough for all.
static bool hasExitBarriers(const Inputs &inputs, const Program &program) {
  if (isDebugLink(inputs))
    return true;
  auto isMark = [](const InfoRecord &r) {
    return r.record.code == EIATTR_GEN_ERRBAR_AT_EXIT;
  };
  return any_of(program.globalInfoRecords[unsigned(View::Mercury)], isMark);
}

/// Where to look for a function in the input, for messages.
static void reportDamage(const Inputs &inputs, Program &program,
                         const Function &f, StringRef what) {
  inputs.diag.report(DiagId::DamagedInput,
                     {diag::file(program.objects[f.definedIn].label), ": ",
                      diag::section(f.text->name).bare(), ": ", what});
}

void planCodeEdits(const Inputs &inputs, Program &program, Layout &layout) {
  if (!inputs.isMercury())
    return;
  FinalizerOptions options;
  options.keepsPlaceholders = inputs.isRelocatable() || isDebugLink(inputs);
  options.hasExitBarriers = hasExitBarriers(inputs, program);
  options.padsReconvergence = inputs.rules.padsReconvergence();
  options.clearsSerialCode = inputs.rules.clearsSerialCode();
  options.reschedules = inputs.rules.reallocatesScoreboards();
  options.fp64.keepsApart = !inputs.rules.dropsFp64Delays();
  options.fp64.looksBeyondBlocks = inputs.rules.looksBeyondBlocks();
  constexpr uint32_t FirstPadded = 132, FirstWithoutSelfMoves = 133;
  const bool dropsSelfMoves =
      options.reschedules && inputs.rules.dropsSelfMoves();
  const bool dropsDelays = options.reschedules && inputs.sm() != 100 &&
                           inputs.rules.dropsFp64Delays();
  std::vector<Function *> functions;
  for (Function &f : program.functions)
    if (hasCode(f))
      functions.push_back(&f);
  std::vector<CodeEdit> edits(functions.size());
  std::vector<std::string> errors(functions.size());
  parallelForEach(inputs, functions.size(), [&](size_t i) {
    const Function &f = *functions[i];
    FinalizerOptions own = options;
    own.isKernel = f.other & STO_CUDA_ENTRY;
    own.isOldest = f.isOldest;
    const ObjectFile &obj = program.objects[f.definedIn];
    own.mayBePadded = obj.compiledFor.toolkit >= FirstPadded;
    if (own.padsReconvergence && !own.mayBePadded)
      for (const JumpTable &table : findJumpTables(f, /*isEdited=*/false))
        llvm::append_range(own.jumpTargets, table.targets);
    own.isSlower = inputs.sm() == 103 && obj.file.smNumber() == 100;
    own.dropsDelays = dropsDelays && !own.isSlower && !own.isOldest &&
                      obj.compiledFor.toolkit < FirstWithoutDelays;
    own.dropsSelfMoves = dropsSelfMoves && !own.isOldest &&
                         obj.compiledFor.toolkit < FirstWithoutSelfMoves;
    own.fp64.wasWithinBlocks = obj.compiledFor.toolkit < FirstBeyondBlocks;
    own.fp64.hadEvents = obj.compiledFor.toolkit >= FirstWithFp64Events;
    Expected<CodeEdit> edit = planCodeEdit(
        f.text->parts[0].bytes, f.text->mercury->parts[0].bytes, own);
    if (edit)
      edits[i] = std::move(*edit);
    else
      errors[i] = toString(edit.takeError());
  });
  for (size_t i = 0; i != functions.size(); ++i) {
    if (!errors[i].empty())
      return reportDamage(inputs, program, *functions[i], errors[i]);
    if (!edits[i].isEmpty())
      functions[i]->edit = &layout.codeEdits.emplace_back(std::move(edits[i]));
  }
}

constexpr uint32_t R_MERCURY_PROG_REL32 = 0x10008;

/// A call inside a section (`ptxas -ewp`) has its return address, which counts
/// from the section's begin, in a register. Native code has it as a plain
/// number; the Mercury view has a relocation for each.
static ArrayRef<uint8_t> moveReturnAddresses(const Inputs &inputs,
                                             const Function &f,
                                             ArrayRef<uint8_t> code) {
  const OutputSection *rela = f.text->mercury->rela;
  auto isAddress = [&](const KeptRelocation &r) {
    return r.type == R_MERCURY_PROG_REL32 && r.symbol == &f;
  };
  if (!rela || none_of(rela->kept, isAddress))
    return code;
  const MercuryOffsets offsets = getMercuryOffsets(f);
  MutableArrayRef<uint8_t> moved(inputs.memory.allocate(code.size()),
                                 code.size());
  llvm::copy(code, moved.begin());
  for (const KeptRelocation &r : rela->kept) {
    const MercuryOffsets::Pair *at =
        isAddress(r) ? offsets.findContaining(r.offset) : nullptr;
    if (!at || at->native + sass::InstructionSize > moved.size())
      continue;
    uint8_t *p = moved.data() + at->native;
    sass::Instruction inst = sass::Instruction::read(p);
    if (!inst.movesImmediate())
      continue;
    inst.setImmediate(f.edit->newStart(inst.immediate()));
    inst.write(p);
  }
  return moved;
}

static void editFunction(const Inputs &inputs, Program &program, Function &f) {
  ArrayRef<uint8_t> code =
      moveReturnAddresses(inputs, f, f.text->parts[0].contents());
  Expected<SmallVector<uint8_t, 0>> capmerc =
      editCapmerc(*f.edit, code, f.text->mercury->parts[0].contents());
  if (!capmerc)
    return reportDamage(inputs, program, f, toString(capmerc.takeError()));
  uint8_t *copy = inputs.memory.allocate(capmerc->size());
  llvm::copy(*capmerc, copy);
  setOwnContents(*f.text->mercury, copy, capmerc->size());

  const size_t size = f.edit->newSize();
  uint8_t *text = inputs.memory.allocate(size);
  writeEditedCode(*f.edit, code, text);
  setOwnContents(*f.text, text, size);
  f.size = size;
  for (OutputSection *sec : {f.text->rela, f.text->resolvedRela})
    if (sec)
      for (KeptRelocation &r : sec->kept)
        r.offset = f.edit->newOffset(r.offset);
}

/// The edit of the function that a relocation names.
static const CodeEdit *editOf(const KeptRelocation &r) {
  return r.symbol && r.symbol->isFunction()
             ? static_cast<const Function *>(r.symbol)->edit
             : nullptr;
}

/// Jump tables of .nv.constant2 hold offsets into the code. The Mercury view
/// has a relocation for each, which stays.
static void moveJumpTables(const Inputs &inputs, OutputSection &sec) {
  if (!sec.mercury || !sec.mercury->rela)
    return;
  for (const KeptRelocation &r : sec.mercury->rela->kept) {
    const CodeEdit *edit = editOf(r);
    if (!edit || r.type != R_MERCURY_PROG_REL32)
      continue;
    auto next = upper_bound(sec.parts, r.offset,
                            [](uint64_t offset, const SectionPart &part) {
                              return offset < part.offset;
                            });
    if (next == sec.parts.begin())
      continue;
    SectionPart &part = *std::prev(next);
    moveJumpTable(*edit, part.writable(inputs), r.offset - part.offset);
  }
}

static ScoreboardAllocator allocatorOf(const Inputs &inputs) {
  return inputs.rules.looksBeyondBlocks() ? ScoreboardAllocator::BeyondBlocks
                                          : ScoreboardAllocator::WithinBlocks;
}

enum class WhenEdited { Before, After };

static bool removesCode(const Function &f) {
  return f.edit && any_of(f.edit->allChanges(), [](const CodeEdit::Change &c) {
           return c.removed != 0;
         });
}

/// nvlink allocates the scoreboards of kernels that call nothing anew, without
/// -r. With -g it does something else, see allocateAfterBarriers. Where what is
/// removed from the code has events, or EXITs get barriers, the code is needed
/// as it came in.
static void allocateScoreboards(const Inputs &inputs, Program &program,
                                WhenEdited when) {
  if (!inputs.rules.reallocatesScoreboards() || !inputs.isMercury() ||
      inputs.isRelocatable() || isDebugLink(inputs))
    return;
  std::vector<Function *> functions;
  std::vector<std::vector<uint32_t>> removed, exits;
  std::vector<std::vector<JumpTable>> tables;
  for (Function &f : program.functions)
    if (f.other & STO_CUDA_ENTRY && hasCode(f) &&
        !(f.edit && f.edit->hasDelays())) {
      RemovedCode gone = findRemovedCode(inputs, f);
      std::vector<uint32_t> barriers;
      if (!removesCode(f))
        barriers = findExitsWithBarriers(f);
      const bool isBefore = !gone.indices.empty() || !barriers.empty();
      if (isBefore != (when == WhenEdited::Before) ||
          !needsScoreboards(f.text->parts[0].contents(), gone.hasEvents))
        continue;
      functions.push_back(&f);
      removed.push_back(std::move(gone.indices));
      exits.push_back(std::move(barriers));
      tables.push_back(findJumpTables(f, when == WhenEdited::After));
    }
  std::vector<MutableArrayRef<uint8_t>> copies;
  for (Function *f : functions)
    copies.push_back(copyContents(inputs, *f->text));
  std::vector<uint8_t> isDone(functions.size());
  parallelForEach(inputs, functions.size(), [&](size_t i) {
    isDone[i] = allocateScoreboards(copies[i], inputs.sm(), allocatorOf(inputs),
                                    /*refusal=*/nullptr,
                                    {removed[i], tables[i], exits[i]}) ==
                Rescheduling::Done;
  });
  for (size_t i = 0; i != functions.size(); ++i)
    if (isDone[i])
      replaceCode(*functions[i], copies[i]);
}

/// nvlink allocates the scoreboards of kernels that get error barriers anew,
/// with -g all, without it those that allocateScoreboards() leaves alone.
/// `isDone`: some have got theirs.
static void allocateAfterBarriers(const Inputs &inputs, Program &program,
                                  const DenseSet<const Function *> &isDone) {
  if (!inputs.rules.reallocatesScoreboards() || !inputs.isMercury() ||
      inputs.isRelocatable() || !hasExitBarriers(inputs, program))
    return;
  const bool isForAll = isDebugLink(inputs);
  std::vector<Function *> functions;
  for (Function &f : program.functions)
    if (f.other & STO_CUDA_ENTRY && hasCode(f) && f.edit &&
        !f.edit->hasDelays() && !isDone.contains(&f) &&
        (isForAll || !needsScoreboards(f.text->parts[0].contents())))
      functions.push_back(&f);
  std::vector<MutableArrayRef<uint8_t>> copies;
  for (Function *f : functions)
    copies.push_back(copyContents(inputs, *f->text));
  parallelForEach(inputs, functions.size(), [&](size_t i) {
    const Function &f = *functions[i];
    const std::vector<uint32_t> exits = findExitsWithBarriers(f);
    const std::vector<JumpTable> tables = findJumpTables(f, /*isEdited=*/false);
    if (!exits.empty() &&
        allocateAfterBarriers(copies[i], inputs.sm(), {{}, tables, exits},
                              allocatorOf(inputs)) == Rescheduling::Done)
      replaceCode(*functions[i], copies[i]);
  });
}

static void editFunctions(const Inputs &inputs, Program &program,
                          const Layout &layout) {
  if (layout.codeEdits.empty())
    return;
  for (OutputSection *sec : program.sections) {
    if (!sec->reachable)
      continue;
    if (sec->kind == SectionKind::Literals)
      moveJumpTables(inputs, *sec);
    if (sec->kind == SectionKind::Rela)
      for (KeptRelocation &r : sec->kept)
        if (const CodeEdit *edit = editOf(r))
          r.addend = edit->newStart(r.addend);
  }
  for (Symbol *s : program.locals)
    if (s->kind == Symbol::Kind::InnerFunction && s->section)
      if (const CodeEdit *edit = s->section->owner->edit) {
        s->size = edit->newStart(s->value + s->size);
        s->value = edit->newStart(s->value);
        s->size -= s->value;
      }
  for (Function &f : program.functions)
    if (f.edit && !inputs.diag.stopped())
      editFunction(inputs, program, f);
}

/// Whether the finalizer translates what the section says about places in code
/// by relocations alone. It makes frames and line tables anew.
static bool hasTranslatedOffsets(StringRef debugSection) {
  return debugSection == ".debug_info" || debugSection == ".debug_loc";
}

/// Offsets after a function's end become its end. Where no instruction begins,
/// that of the next one counts, and 0 in the last instruction.
static uint64_t toNativeOrNext(const MercuryOffsets &offsets, uint64_t mercury,
                               const Function &f) {
  if (mercury >= f.mercurySize)
    return f.text->parts[0].bytes.size();
  const auto instructions = offsets.instructions();
  const auto *next =
      llvm::lower_bound(instructions, mercury,
                        [](const MercuryOffsets::Pair &pair, uint64_t offset) {
                          return pair.mercury < offset;
                        });
  return next == instructions.end() ? 0 : next->run;
}

/// The Mercury offsets in debug sections become native ones of the code in
/// force, also where a replaced definition said them: wrong, so only asked for.
static void translateDebugOffsets(const Inputs &inputs,
                                  const Program &program) {
  if (!inputs.rules.translatesReplacedDebugOffsets() || !inputs.isMercury())
    return;
  DenseMap<const Function *, MercuryOffsets> known;
  for (OutputSection *sec : program.sections) {
    if (!sec->reachable || sec->kind != SectionKind::Rela || !sec->target ||
        !sec->target->mercury || !sec->target->mercury->rela ||
        !hasTranslatedOffsets(sec->target->name))
      continue;
    DenseMap<uint64_t, int64_t> mercury;
    for (const KeptRelocation &r : sec->target->mercury->rela->kept)
      mercury[r.offset] = r.addend;
    for (KeptRelocation &r : sec->kept) {
      auto offset = mercury.find(r.offset);
      if (!r.symbol || !r.symbol->isFunction() || offset == mercury.end())
        continue;
      const Function &f = *static_cast<const Function *>(r.symbol);
      auto [offsets, isNew] = known.try_emplace(&f);
      if (isNew)
        offsets->second = getMercuryOffsets(f);
      if (!offsets->second.isKnown())
        continue;
      r.addend = toNativeOrNext(offsets->second, offset->second, f);
    }
  }
}

/// Indices of the instructions before which the edit has removed one.
static std::vector<uint32_t> findShortened(const CodeEdit *edit) {
  std::vector<uint32_t> shortened;
  if (edit)
    for (const CodeEdit::Change &c : edit->allChanges())
      if (c.removed)
        shortened.push_back(
            edit->newStart((uint64_t(c.index) + 1) * sass::InstructionSize) /
            sass::InstructionSize);
  return shortened;
}

/// nvlink makes code of CUDA 12 as its own compiler would [mercury12-code].
static void renewOldestCode(const Inputs &inputs, Program &program) {
  std::vector<Function *> functions;
  for (Function &f : program.functions)
    if (f.isOldest && hasCode(f))
      functions.push_back(&f);
  std::vector<MutableArrayRef<uint8_t>> copies;
  for (Function *f : functions)
    copies.push_back(copyContents(inputs, *f->text));
  parallelForEach(inputs, functions.size(), [&](size_t i) {
    renewOldestCode(copies[i], findShortened(functions[i]->edit));
    if (inputs.rules.reallocatesScoreboards() && !isDebugLink(inputs))
      allocateOldest(copies[i], inputs.sm(), allocatorOf(inputs),
                     !inputs.isRelocatable());
  });
  for (size_t i = 0; i != functions.size(); ++i)
    replaceCode(*functions[i], copies[i]);
}

void finalizeCode(const Inputs &inputs, Program &program,
                  const Layout &layout) {
  translateDebugOffsets(inputs, program);
  allocateAfterBarriers(inputs, program, renewOlderCode(inputs, program));
  allocateScoreboards(inputs, program, WhenEdited::Before);
  editFunctions(inputs, program, layout);
  if (inputs.diag.stopped())
    return;
  renewOldestCode(inputs, program);
  allocateScoreboards(inputs, program, WhenEdited::After);
  rescheduleStubs(inputs, program);
}

} // namespace lld::cuda
