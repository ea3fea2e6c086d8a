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
#include "Ctx.h"
#include "Parallel.h"
#include "Passes.h"
#include "lld-cuda/BinaryFormat/Relocations.h"
#include "lld-cuda/Finalize/CodeEdit.h"
#include "lld-cuda/Finalize/OldestCode.h"
#include "lld-cuda/Sass/AdditionSchedule.h"
#include "lld-cuda/Sass/Code.h"
#include "lld-cuda/Sass/Fp64Delays.h"
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

static bool hasCode(const Function &f) {
  return f.reachable && f.text && f.text->mercury && !f.text->parts.empty() &&
         !f.text->mercury->parts.empty();
}

/// -suppress-debug-info takes -g back as far as the code goes.
static bool isDebugLink(const Ctx &ctx) {
  return ctx.config.debug && !ctx.config.suppressDebugInfo;
}

/// Whether EXITs get error barriers: one object compiled for debugging is
/// enough for all.
static bool hasExitBarriers(const Ctx &ctx) {
  if (isDebugLink(ctx))
    return true;
  auto isMark = [](const InfoRecord &r) {
    return r.record.code == EIATTR_GEN_ERRBAR_AT_EXIT;
  };
  return any_of(ctx.globalInfoRecords[unsigned(View::Mercury)], isMark);
}

/// Where to look for a function in the input, for messages.
static void reportDamage(Ctx &ctx, const Function &f, StringRef what) {
  ctx.diag.report(DiagId::DamagedInput,
                  {diag::file(ctx.objects[f.definedIn].label), ": ",
                   diag::section(f.text->name).bare(), ": ", what});
}

void planCodeEdits(Ctx &ctx) {
  if (!ctx.isMercury())
    return;
  FinalizerOptions options;
  options.keepsPlaceholders = ctx.isRelocatable() || isDebugLink(ctx);
  options.hasExitBarriers = hasExitBarriers(ctx);
  options.padsReconvergence = ctx.rules.padsReconvergence();
  options.clearsSerialCode = ctx.rules.clearsSerialCode();
  options.reschedules = ctx.rules.reallocatesScoreboards();
  constexpr uint32_t FirstWithoutDelays = 134;
  const bool dropsDelays =
      options.reschedules && ctx.sm() != 100 && ctx.rules.dropsFp64Delays();
  std::vector<Function *> functions;
  for (Function &f : ctx.functions)
    if (hasCode(f))
      functions.push_back(&f);
  std::vector<CodeEdit> edits(functions.size());
  std::vector<std::string> errors(functions.size());
  parallelForEach(ctx, functions.size(), [&](size_t i) {
    const Function &f = *functions[i];
    FinalizerOptions own = options;
    own.isKernel = f.other & STO_CUDA_ENTRY;
    own.isOldest = f.isOldest;
    const ObjectFile &obj = ctx.objects[f.definedIn];
    own.isSlower = ctx.sm() == 103 && obj.file.smNumber() == 100;
    own.dropsDelays = dropsDelays && !own.isSlower && !own.isOldest &&
                      obj.compiledFor.toolkit < FirstWithoutDelays;
    Expected<CodeEdit> edit = planCodeEdit(
        f.text->parts[0].bytes, f.text->mercury->parts[0].bytes, own);
    if (edit)
      edits[i] = std::move(*edit);
    else
      errors[i] = toString(edit.takeError());
  });
  for (size_t i = 0; i != functions.size(); ++i) {
    if (!errors[i].empty())
      return reportDamage(ctx, *functions[i], errors[i]);
    if (!edits[i].isEmpty())
      functions[i]->edit = &ctx.codeEdits.emplace_back(std::move(edits[i]));
  }
}

static void setOwnContents(OutputSection &sec, uint8_t *bytes, size_t size) {
  sec.setContents({bytes, size});
  sec.parts[0].setCopy(bytes);
}

constexpr uint32_t R_MERCURY_PROG_REL32 = 0x10008;

/// A call inside a section (`ptxas -ewp`) has its return address, which counts
/// from the section's begin, in a register. Native code has it as a plain
/// number; the Mercury view has a relocation for each.
static ArrayRef<uint8_t> moveReturnAddresses(Ctx &ctx, const Function &f,
                                             ArrayRef<uint8_t> code) {
  const OutputSection *rela = f.text->mercury->rela;
  auto isAddress = [&](const KeptRelocation &r) {
    return r.type == R_MERCURY_PROG_REL32 && r.symbol == &f;
  };
  if (!rela || none_of(rela->kept, isAddress))
    return code;
  const MercuryOffsets offsets = getMercuryOffsets(f);
  MutableArrayRef<uint8_t> moved(ctx.allocate(code.size()), code.size());
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

static void editFunction(Ctx &ctx, Function &f) {
  ArrayRef<uint8_t> code =
      moveReturnAddresses(ctx, f, f.text->parts[0].contents());
  Expected<SmallVector<uint8_t, 0>> capmerc =
      editCapmerc(*f.edit, code, f.text->mercury->parts[0].contents());
  if (!capmerc)
    return reportDamage(ctx, f, toString(capmerc.takeError()));
  uint8_t *copy = ctx.allocate(capmerc->size());
  llvm::copy(*capmerc, copy);
  setOwnContents(*f.text->mercury, copy, capmerc->size());

  const size_t size = f.edit->newSize();
  uint8_t *text = ctx.allocate(size);
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
static void moveJumpTables(Ctx &ctx, OutputSection &sec) {
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
    moveJumpTable(*edit, part.writable(ctx), r.offset - part.offset);
  }
}

/// A copy of a section of one part, with all that has been patched.
static MutableArrayRef<uint8_t> copyContents(Ctx &ctx, OutputSection &sec) {
  ArrayRef<uint8_t> bytes = sec.parts[0].contents();
  uint8_t *copy = ctx.allocate(bytes.size());
  llvm::copy(bytes, copy);
  for (const SectionPart &patch : sec.patches())
    llvm::copy(patch.bytes, copy + patch.offset);
  return {copy, bytes.size()};
}

/// `code` is a changed copy of all contents, patches included.
static void replaceCode(Function &f, MutableArrayRef<uint8_t> code) {
  f.text->parts[0].setCopy(code.data());
  if (auto &extras = f.text->extras)
    extras->patches.clear();
}

static ScoreboardAllocator allocatorOf(const Ctx &ctx) {
  return ctx.rules.looksBeyondBlocks() ? ScoreboardAllocator::BeyondBlocks
                                       : ScoreboardAllocator::WithinBlocks;
}

namespace {
/// What an edit removes from a kernel that nvlink has allocated scoreboards
/// for.
struct RemovedCode {
  std::vector<uint32_t> indices; ///< Empty if the edit does something else.
  bool hasEvents = false;
};
} // namespace

static RemovedCode findRemovedCode(const Ctx &ctx, const Function &f) {
  RemovedCode removed;
  if (!f.edit || !ctx.rules.looksBeyondBlocks())
    return removed;
  const ArrayRef<uint8_t> code = f.text->parts[0].contents();
  for (const CodeEdit::Change &c : f.edit->allChanges()) {
    if (c.isBarrier || c.nops || c.isFence)
      return {};
    if (!c.removed || c.isDelay)
      continue;
    removed.indices.push_back(c.index);
    const ScoreboardFields fields = readScoreboards(sass::Instruction::read(
        code.data() + uint64_t(c.index) * sass::InstructionSize));
    removed.hasEvents |=
        fields.write != sass::NoScoreboard || fields.read != sass::NoScoreboard;
  }
  return removed;
}

enum class WhenEdited { Before, After };

/// nvlink allocates the scoreboards of kernels that call nothing anew, without
/// -r. With -g it does something else, see allocateAfterBarriers. Where what is
/// removed from the code has events, the code is needed as it came in.
static void allocateScoreboards(Ctx &ctx, WhenEdited when) {
  if (!ctx.rules.reallocatesScoreboards() || !ctx.isMercury() ||
      ctx.isRelocatable() || isDebugLink(ctx))
    return;
  std::vector<Function *> functions;
  std::vector<std::vector<uint32_t>> removed;
  for (Function &f : ctx.functions)
    if (f.other & STO_CUDA_ENTRY && hasCode(f) &&
        !(f.edit && f.edit->hasDelays())) {
      RemovedCode gone = findRemovedCode(ctx, f);
      if (gone.indices.empty() != (when == WhenEdited::After) ||
          !needsScoreboards(f.text->parts[0].contents(), gone.hasEvents))
        continue;
      functions.push_back(&f);
      removed.push_back(std::move(gone.indices));
    }
  std::vector<MutableArrayRef<uint8_t>> copies;
  for (Function *f : functions)
    copies.push_back(copyContents(ctx, *f->text));
  std::vector<uint8_t> isDone(functions.size());
  parallelForEach(ctx, functions.size(), [&](size_t i) {
    isDone[i] = allocateScoreboards(copies[i], ctx.sm(), allocatorOf(ctx),
                                    /*refusal=*/nullptr,
                                    removed[i]) == Rescheduling::Done;
  });
  for (size_t i = 0; i != functions.size(); ++i)
    if (isDone[i])
      replaceCode(*functions[i], copies[i]);
}

/// With -g, nvlink allocates the scoreboards of kernels that get error barriers
/// anew, also of those with calls.
static void allocateAfterBarriers(Ctx &ctx) {
  if (!ctx.rules.reallocatesScoreboards() || !ctx.isMercury() ||
      ctx.isRelocatable() || !isDebugLink(ctx))
    return;
  std::vector<Function *> functions;
  for (Function &f : ctx.functions)
    if (f.other & STO_CUDA_ENTRY && hasCode(f) && f.edit &&
        !f.edit->hasDelays())
      functions.push_back(&f);
  std::vector<MutableArrayRef<uint8_t>> copies;
  for (Function *f : functions)
    copies.push_back(copyContents(ctx, *f->text));
  parallelForEach(ctx, functions.size(), [&](size_t i) {
    std::vector<uint32_t> exits;
    for (const CodeEdit::Change &c : functions[i]->edit->allChanges())
      if (c.isBarrier)
        exits.push_back(c.index);
    if (!exits.empty() &&
        allocateAfterBarriers(copies[i], ctx.sm(), exits, allocatorOf(ctx)) ==
            Rescheduling::Done)
      replaceCode(*functions[i], copies[i]);
  });
}

static void editFunctions(Ctx &ctx) {
  if (ctx.codeEdits.empty())
    return;
  for (OutputSection *sec : ctx.sections) {
    if (!sec->reachable)
      continue;
    if (sec->kind == SectionKind::Literals)
      moveJumpTables(ctx, *sec);
    if (sec->kind == SectionKind::Rela)
      for (KeptRelocation &r : sec->kept)
        if (const CodeEdit *edit = editOf(r))
          r.addend = edit->newStart(r.addend);
  }
  for (Symbol *s : ctx.locals)
    if (s->kind == Symbol::Kind::InnerFunction && s->section)
      if (const CodeEdit *edit = s->section->owner->edit) {
        s->size = edit->newStart(s->value + s->size);
        s->value = edit->newStart(s->value);
        s->size -= s->value;
      }
  for (Function &f : ctx.functions)
    if (f.edit && !ctx.diag.stopped())
      editFunction(ctx, f);
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
static void translateDebugOffsets(Ctx &ctx) {
  if (!ctx.rules.translatesReplacedDebugOffsets() || !ctx.isMercury())
    return;
  DenseMap<const Function *, MercuryOffsets> known;
  for (OutputSection *sec : ctx.sections) {
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
static void renewOldestCode(Ctx &ctx) {
  std::vector<Function *> functions;
  for (Function &f : ctx.functions)
    if (f.isOldest && hasCode(f))
      functions.push_back(&f);
  std::vector<MutableArrayRef<uint8_t>> copies;
  for (Function *f : functions)
    copies.push_back(copyContents(ctx, *f->text));
  parallelForEach(ctx, functions.size(), [&](size_t i) {
    renewOldestCode(copies[i], findShortened(functions[i]->edit));
    if (ctx.rules.reallocatesScoreboards() && !isDebugLink(ctx))
      allocateOldest(copies[i], ctx.sm(), allocatorOf(ctx),
                     !ctx.isRelocatable());
  });
  for (size_t i = 0; i != functions.size(); ++i)
    replaceCode(*functions[i], copies[i]);
}

namespace {
/// A function of an older compiler.
struct OlderFunction {
  Function *function;
  OlderCode what;
  bool isReplayed;                   ///< By the whole allocator.
  std::vector<uint32_t> removed;     ///< What an edit will remove.
  std::vector<uint32_t> delays;      ///< The same of FP64 arithmetic.
  MutableArrayRef<uint8_t> code;     ///< A copy.
  SmallVector<uint8_t, 0> mercury{}; ///< .nv.capmerc.text; empty: stays.
  bool isChanged = false;
};
} // namespace

/// Gives the code the newer compiler's scoreboards.
static void renewScoreboards(OlderFunction &f, unsigned sm) {
  f.isChanged =
      (f.isReplayed && allocateOlder(f.code, sm, f.what, /*refusal=*/nullptr,
                                     f.removed) == Rescheduling::Done) ||
      (f.what.hasFirstAllocator && moveWaitsToCalls(f.code));
}

/// The same, and schedules the code anew with the instruction for sums of two
/// numbers. Returns false if nothing has changed.
static bool renewAdditions(OlderFunction &f, unsigned sm) {
  const std::vector<uint8_t> old(f.code.begin(), f.code.end());
  const std::vector<sass::Instruction> insts = readInstructions(old);
  if (insts.empty())
    return false;
  Expected<SmallVector<uint8_t, 0>> mercury =
      addAdditionRecords(old, f.function->text->mercury->parts[0].contents());
  if (!mercury) {
    consumeError(mercury.takeError());
    return false;
  }
  f.what.isScheduledAnew = true;
  renewScoreboards(f, sm);
  f.what.isScheduledAnew = false;
  std::vector<ScoreboardFields> fields;
  for (const sass::Instruction &inst : readInstructions(f.code))
    fields.push_back(readScoreboards(inst));
  std::optional<std::vector<sass::Instruction>> code =
      scheduleAdditions(insts, fields);
  if (!code) {
    llvm::copy(old, f.code.begin());
    return false;
  }
  for (size_t i = 0; i != code->size(); ++i)
    (*code)[i].write(f.code.data() + i * sass::InstructionSize);
  f.mercury = std::move(*mercury);
  f.isChanged = true;
  return true;
}

/// sm_120 and sm_121 have that instruction, which ptxas 13.0 doesn't use
/// [code-additions].
static bool hasNewAdditions(const Ctx &ctx) {
  return (ctx.sm() == 120 || ctx.sm() == 121) &&
         ctx.rules.hasTwoOperandAdditions();
}

/// What stands around the delays that an edit will remove comes sooner.
static void closeDelays(OlderFunction &f, unsigned sm) {
  if (f.delays.empty())
    return;
  std::vector<sass::Instruction> code = readInstructions(f.code);
  closeFp64Delays(code, f.delays, sm);
  for (size_t i = 0; i != code.size(); ++i)
    code[i].write(f.code.data() + i * sass::InstructionSize);
  f.isChanged = true;
}

static std::vector<uint32_t> findDelays(const Function &f) {
  std::vector<uint32_t> delays;
  if (f.edit)
    for (const CodeEdit::Change &c : f.edit->allChanges())
      if (c.isDelay)
        delays.push_back(c.index);
  return delays;
}

static std::vector<OlderFunction> findOlderFunctions(Ctx &ctx) {
  constexpr uint32_t FirstBeyondBlocks = 131, FirstWithFp64Events = 133;
  std::vector<OlderFunction> functions;
  for (Function &f : ctx.functions) {
    if (!hasCode(f) || f.isOldest)
      continue;
    const ObjectFile &obj = ctx.objects[f.definedIn];
    OlderCode what;
    what.hasFirstAllocator = obj.compiledFor.toolkit < FirstBeyondBlocks;
    what.lacksFp64Events = ctx.sm() == 100 && ctx.rules.hasFp64Events() &&
                           obj.compiledFor.toolkit < FirstWithFp64Events;
    what.isFinal = !ctx.isRelocatable();
    std::vector<uint32_t> delays = findDelays(f);
    if (!what.hasFirstAllocator && !what.lacksFp64Events && delays.empty())
      continue;
    const bool isReplayed =
        !isDebugLink(ctx) && !(f.edit && f.edit->hasDelays());
    functions.push_back({&f, what, isReplayed, findRemovedCode(ctx, f).indices,
                         std::move(delays), copyContents(ctx, *f.text)});
  }
  return functions;
}

/// Functions of objects that an older compiler has made, with its allocator,
/// get the fields of the newer one [scoreboards-older-code].
static void renewOlderCode(Ctx &ctx) {
  if (!ctx.rules.reallocatesScoreboards() || !ctx.rules.looksBeyondBlocks() ||
      !ctx.isMercury())
    return;
  std::vector<OlderFunction> functions = findOlderFunctions(ctx);
  parallelForEach(ctx, functions.size(), [&](size_t i) {
    OlderFunction &f = functions[i];
    if (!f.what.hasFirstAllocator || !hasNewAdditions(ctx) ||
        !renewAdditions(f, ctx.sm()))
      renewScoreboards(f, ctx.sm());
    closeDelays(f, ctx.sm());
  });
  for (OlderFunction &f : functions) {
    if (f.isChanged)
      replaceCode(*f.function, f.code);
    if (f.mercury.empty())
      continue;
    uint8_t *copy = ctx.allocate(f.mercury.size());
    llvm::copy(f.mercury, copy);
    setOwnContents(*f.function->text->mercury, copy, f.mercury.size());
  }
}

void finalizeCode(Ctx &ctx) {
  translateDebugOffsets(ctx);
  renewOlderCode(ctx);
  allocateAfterBarriers(ctx);
  allocateScoreboards(ctx, WhenEdited::Before);
  editFunctions(ctx);
  if (ctx.diag.stopped())
    return;
  renewOldestCode(ctx);
  allocateScoreboards(ctx, WhenEdited::After);
  rescheduleStubs(ctx);
}

} // namespace lld::cuda
