//===- Finalizer.cpp - The native code of sm_100 and later ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// This pass changes native code as nvlink's finalizer does, which removes and
/// inserts instructions (CodeEdit.h). finalizeAndRelocate() in Link.cpp calls
/// planCodeEdits() before debug tables are rebuilt and relocations processed,
/// since these need to know where each instruction will be. finalizeCode()
/// carries the edits out after that, as the last change of contents; in all
/// passes before it, offsets into code are those of the inputs. It also
/// corrects what points into code, such as relocations and jump tables.
///
/// The Mercury view, the second form in which a cubin holds its code
/// (docs/reference/mercury.md), stays as it is, except for the counts of
/// instructions in .nv.capmerc.text.
///
//===----------------------------------------------------------------------===//

#include "Finalize/Finalizer.h"
#include "Finalize/FunctionCode.h"
#include "Input/InputFiles.h"
#include "Input/InputStore.h"
#include "Input/ObjectFile.h"
#include "Inputs.h"
#include "Layout.h"
#include "Parallel.h"
#include "Passes.h"
#include "Program.h"
#include "lld-cuda/BinaryFormat/Relocations.h"
#include "lld-cuda/FinalCode/FinalCodeCache.h"
#include "lld-cuda/Reschedule/Reschedule.h"
#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/MapVector.h"

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

/// Reports damage in a function, with its section and file in the input.
static void reportDamage(const Inputs &inputs, Program &program,
                         const Function &f, StringRef what) {
  inputs.diag.report(DiagId::DamagedInput,
                     {diag::file(program.objects[f.definedIn].label), ": ",
                      diag::section(f.text->name).bare(), ": ", what});
}

/// Returns what chooses schedules as nvlink does, or null if no option asks for
/// that.
static const Rescheduler *reschedulerOf(const Inputs &inputs) {
  return inputs.rules.reallocatesScoreboards() ? getRescheduler() : nullptr;
}

void planCodeEdits(const Inputs &inputs, Program &program, Layout &layout) {
  if (!inputs.isMercury())
    return;
  if (inputs.rules.reallocatesScoreboards() && !getRescheduler())
    inputs.diag.report(
        DiagId::SchedulesKept,
        {"the output has the compiler's instruction schedules, not nvlink's: "
         "this lld-cuda was built with LLDCUDA_RESCHEDULE=OFF"});
  FinalizerOptions options;
  options.keepsPlaceholders = inputs.isRelocatable() || isDebugLink(inputs);
  options.hasExitBarriers = hasExitBarriers(inputs, program);
  options.dropsExitBarriers = !options.hasExitBarriers;
  options.padsReconvergence = inputs.rules.padsReconvergence();
  options.dropsPadding = inputs.rules.dropsReconvergenceNops();
  options.clearsSerialCode = inputs.rules.clearsSerialCode();
  options.rescheduler = reschedulerOf(inputs);
  options.fp64.keepsApart = !inputs.rules.dropsFp64Delays();
  options.fp64.looksBeyondBlocks = inputs.rules.looksBeyondBlocks();
  constexpr uint32_t FirstPadded = 132, FirstWithoutSelfMoves = 133,
                     FirstWithoutDelays = 134;
  const bool dropsSelfMoves =
      options.rescheduler && inputs.rules.dropsSelfMoves();
  const bool dropsDelays = options.rescheduler && inputs.sm() != 100 &&
                           inputs.rules.dropsFp64Delays();
  const bool dropsFenceWaits = options.rescheduler &&
                               inputs.sm() < FirstWithFenceEvents &&
                               inputs.rules.looksBeyondBlocks();
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
      for (const JumpTable &table : findJumpTables(f))
        llvm::append_range(own.jumpTargets, table.targets);
    own.isSlower = inputs.sm() == 103 && obj.file.smNumber() == 100;
    own.dropsDelays = dropsDelays && !own.isSlower && !own.isOldest &&
                      obj.compiledFor.toolkit < FirstWithoutDelays;
    own.dropsSelfMoves = dropsSelfMoves && !own.isOldest &&
                         obj.compiledFor.toolkit < FirstWithoutSelfMoves;
    own.fp64.wasWithinBlocks = obj.compiledFor.toolkit < FirstBeyondBlocks;
    own.dropsFenceWaits = dropsFenceWaits && own.fp64.wasWithinBlocks &&
                          !own.isOldest && !own.isSlower;
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

static void replaceCode(Function &f, const FinalCode &code) {
  if (!code.mercury.empty())
    setOwnContents(*f.text->mercury, code.mercury);
  if (!code.native.empty() && !f.edit)
    f.text->parts[0].setCopy(code.native.data());
  if (!f.edit)
    return;
  setOwnContents(*f.text, code.native);
  f.size = f.edit->newSize();
  for (OutputSection *sec : {f.text->rela, f.text->resolvedRela})
    if (sec)
      for (KeptRelocation &r : sec->kept.elements())
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

/// Moves what points into edited code: jump tables, addends of relocations and
/// functions inside other functions' sections.
static void movePlaces(const Inputs &inputs, Program &program,
                       const Layout &layout) {
  if (layout.codeEdits.empty())
    return;
  for (OutputSection *sec : program.sections) {
    if (!sec->reachable)
      continue;
    if (sec->kind == SectionKind::Literals)
      moveJumpTables(inputs, *sec);
    if (sec->kind == SectionKind::Rela)
      for (KeptRelocation &r : sec->kept.elements())
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
  MapVector<const Function *, MercuryOffsets> known;
  for (OutputSection *sec : program.sections) {
    if (!sec->reachable || sec->kind != SectionKind::Rela || !sec->target ||
        !sec->target->mercury || !sec->target->mercury->rela ||
        !hasTranslatedOffsets(sec->target->name))
      continue;
    DenseMap<uint64_t, int64_t> mercury;
    for (const KeptRelocation &r : sec->target->mercury->rela->kept)
      mercury[r.offset] = r.addend;
    for (KeptRelocation &r : sec->kept.elements()) {
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

static FunctionToSchedule describe(const Inputs &inputs, const Program &program,
                                   const Function &f,
                                   const FunctionCode &code) {
  FunctionToSchedule function = {};
  function.code = code;
  function.sm = inputs.sm();
  function.toolkit = program.objects[f.definedIn].compiledFor.toolkit;
  function.isKernel = f.other & STO_CUDA_ENTRY;
  function.isFinal = !inputs.isRelocatable();
  function.isDebugLink = isDebugLink(inputs);
  function.tables = findJumpTables(f);
  function.looksBeyondBlocks = inputs.rules.looksBeyondBlocks();
  function.hasFp64Events = inputs.rules.hasFp64Events();
  function.hasTwoOperandAdditions = inputs.rules.hasTwoOperandAdditions();
  return function;
}

/// The caches of final code of prepared inputs, by the cubins in these.
using CachesByFile = DenseMap<const CubinFile *, FinalCodeCache *>;

static CachesByFile findCaches(const Inputs &inputs) {
  CachesByFile caches;
  for (const InputFile &file : inputs.files)
    if (file.store && file.store->finalCode)
      for (const InputUnit &unit : file.units)
        for (const LoadedCubin &cubin : unit.holds.cubins)
          caches[&cubin.file] = file.store->finalCode.get();
  return caches;
}

static Error finalizeFunction(const Inputs &inputs, const Program &program,
                              const Function &f, const Rescheduler *rescheduler,
                              const CachesByFile &caches, FinalCode &out) {
  auto allocate = [&](size_t size) { return inputs.memory.allocate(size); };
  FunctionCode code;
  code.native = f.text->parts[0].contents();
  code.mercury = f.text->mercury->parts[0].contents();
  code.edit = f.edit;
  code.isOldest = f.isOldest;
  if (f.edit)
    code.native = moveReturnAddresses(inputs, f, code.native);
  if (!rescheduler)
    return finalizeFunction(code, allocate, out);
  const FunctionToSchedule function = describe(inputs, program, f, code);
  FinalCodeCache *known = caches.lookup(&program.objects[f.definedIn].file);
  const uint8_t *place = f.text->parts[0].bytes.data();
  if (known && known->find(place, function, allocate, out))
    return Error::success();
  if (Error e = rescheduler->finalize(function, allocate, out))
    return e;
  if (known)
    known->add(place, function, out);
  return Error::success();
}

void finalizeCode(const Inputs &inputs, Program &program,
                  const Layout &layout) {
  translateDebugOffsets(inputs, program);
  movePlaces(inputs, program, layout);
  const Rescheduler *rescheduler = reschedulerOf(inputs);
  std::vector<Function *> functions;
  if (inputs.isMercury())
    for (Function &f : program.functions)
      if (hasCode(f) && (f.edit || f.isOldest || rescheduler))
        functions.push_back(&f);
  const CachesByFile caches =
      functions.empty() ? CachesByFile() : findCaches(inputs);
  std::vector<FinalCode> code(functions.size());
  std::vector<std::string> errors(functions.size());
  parallelForEach(inputs, functions.size(), [&](size_t i) {
    if (Error e = finalizeFunction(inputs, program, *functions[i], rescheduler,
                                   caches, code[i]))
      errors[i] = toString(std::move(e));
  });
  for (size_t i = 0; i != functions.size(); ++i) {
    if (!errors[i].empty())
      return reportDamage(inputs, program, *functions[i], errors[i]);
    replaceCode(*functions[i], code[i]);
  }
  finalizeStubs(inputs, program);
}

} // namespace lld::cuda
