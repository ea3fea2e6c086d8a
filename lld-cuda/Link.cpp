//===- Link.cpp - A link, pass by pass ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// runLink() is the link as a table of contents: it reads the inputs, optimizes
/// at link time where there is IR, merges the objects, lays out memory,
/// relocates, numbers and writes. Passes.h has the passes, each with its file.
/// runCommandLine() and the library's link() call runLink(); a LinkSession,
/// whose inputs come one by one, calls mergeFile() for each and linkMerged() at
/// its end.
///
/// The comments with "--" in linkProgram() say what holds from there on: no
/// object is read any more, addresses are settled, contents are settled. After
/// an error the following passes run all the same, as nvlink's do, and report
/// theirs in its order [messages-order]; a fatal one ends the link after the
/// phase in which it was reported. No image is written after an error of either
/// kind.
///
//===----------------------------------------------------------------------===//

#include "Analysis/Resources.h"
#include "Check/Check.h"
#include "Companions.h"
#include "Ctx.h"
#include "Explain/Explain.h"
#include "Finalize/Mercury.h"
#include "Input/CompileCache.h"
#include "Input/InputFiles.h"
#include "Input/ObjectFacts.h"
#include "Input/ObjectFile.h"
#include "Input/RequiredKernels.h"
#include "Input/SymbolControl.h"
#include "LinkSteps.h"
#include "Merge/Merge.h"
#include "Merge/NativeCallees.h"
#include "Messages/Stages.h"
#include "Parallel.h"
#include "Passes.h"
#include "Report/Reports.h"
#include "Report/Why.h"
#include "lld-cuda/Support/Heap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

static bool isWholeProgram(const LoadedCubin &cubin) {
  return cubin.file.header().e_type == ET_CUDA_EWP;
}

/// Whether an input was compiled as an extensible whole program, which nothing
/// but the device runtime should be linked to [whole-program].
static bool hasWholeProgram(const Ctx &ctx) {
  for (const InputFile &file : ctx.inputs.files)
    for (const InputUnit &unit : file.units)
      if (any_of(unit.holds.cubins, isWholeProgram))
        return true;
  return false;
}

/// Phases in order, until one of them leaves a fatal error. False: one has.
static bool runUntilFatal(Ctx &ctx,
                          std::initializer_list<void (*)(Ctx &)> phases) {
  for (void (*phase)(Ctx &) : phases) {
    phase(ctx);
    if (ctx.inputs.diag.stopped())
      return false;
  }
  return true;
}

static void mergeCubin(Ctx &ctx, MergeProgress &progress,
                       const LoadedCubin &cubin) {
  MergeBatch *batch = progress.batch.get();
  if (batch && batch->add(cubin))
    return;
  if (batch)
    batch->finish();
  mergeObject(ctx.inputs, ctx.program, progress.state, cubin);
}

void mergeFile(Ctx &ctx, MergeProgress &progress, InputFile &file) {
  if (file.systemLibrary && !needsSystemLibrary(ctx.inputs, ctx.program)) {
    file.dropped = true;
    // An archive before all device code is exempt, as in nvlink.
    for (InputUnit &unit : file.units)
      progress.droppedSystemLibrary |=
          unit.holds.anyDeviceCode && (progress.hasMerged || !unit.isMember);
    return;
  }
  for (InputUnit &unit : file.units) {
    ctx.inputs.clock.advance(progress.units);
    if (unit.host.isRegistered || unit.host.layer)
      continue;
    for (LoadedCubin &cubin : unit.holds.cubins) {
      if (progress.droppedSystemLibrary && !file.systemLibrary)
        return ctx.inputs.diag.report(DiagId::AfterDeviceRuntime,
                                      {"unexpected object after cudadevrt"});
      if (progress.wholeProgram && !isWholeProgram(cubin) &&
          !isDeviceRuntime(ctx.inputs.config, file))
        ctx.inputs.diag.report(
            DiagId::WholeProgramMixed,
            {diag::file(cubin.label),
             ": -ewp compiled objects should only link with libcudadevrt"});
      if (!cubin.facts)
        cubin.facts = findObjectFacts(cubin.file, ctx.inputs.isMercury(),
                                      ctx.inputs.factMemory);
      mergeCubin(ctx, progress, cubin);
      if (ctx.inputs.diag.stopped())
        return;
      progress.hasMerged = true;
    }
    progress.hasMerged |= !unit.holds.ltoIR.empty();
  }
}

/// Merges the inputs, one after the other in the order of the command line.
static void mergeInputs(Ctx &ctx) {
  createFixedSections(ctx.inputs, ctx.program);
  MergeProgress progress;
  progress.wholeProgram = hasWholeProgram(ctx);
  progress.units = 0;
  for (const InputFile &file : ctx.inputs.files)
    progress.units += file.units.size();
  // nvlink of CUDA 12 has symbols without names between those of functions.
  if (ctx.inputs.mergesBatches && !ctx.inputs.rules.leavesNamelessSymbols())
    progress.batch =
        std::make_unique<MergeBatch>(ctx.inputs, ctx.program, progress.state);
  for (InputFile &file : ctx.inputs.files) {
    mergeFile(ctx, progress, file);
    if (ctx.inputs.diag.stopped())
      break;
  }
  if (progress.batch)
    progress.batch->finish();
}

/// .nv.rel.action is the same in every native executable [section-rel-action].
static void createRelAction(Ctx &ctx) {
  static const uint8_t Contents[16] = {0x73, 0, 0, 0,    0,    0, 0,    0,
                                       0,    0, 0, 0x11, 0x25, 0, 0x05, 0x36};
  if (ctx.inputs.isRelocatable() || ctx.inputs.config.arch.isMercury())
    return;
  OutputSection *sec =
      getNamedSection(ctx.inputs, ctx.program, SectionKind::RelocationAction);
  sec->setContents(Contents);
}

/// Dead code, the memory layout, and the diagnostics that depend on them, in
/// nvlink's order [messages-order].
static void layoutImage(Ctx &ctx) {
  ctx.inputs.clock.begin("call graph");
  placeCommons(ctx.inputs, ctx.program);
  discountUnusedKernels(ctx.inputs, ctx.program);
  ctx.program.callGraph.build(ctx.program);
  markReachable(ctx.inputs, ctx.program);
  warnRecursion(ctx.inputs, ctx.program);
  warnUncalled(ctx.inputs, ctx.program);
  ctx.inputs.clock.begin("scan relocations");
  scanRelocations(ctx.inputs, ctx.program);
  ctx.inputs.clock.begin("lay out memory");
  createCallGraphSections(ctx.inputs, ctx.program);
  layoutShared(ctx.inputs, ctx.program);
  warnDuplicateShared(ctx.inputs, ctx.program);
  layoutUserConstants(ctx.inputs, ctx.program);
  checkUndefined(ctx.inputs, ctx.program);
  layoutTextures(ctx.inputs, ctx.program, ctx.layout);
  placeCompanions(ctx.program);
  layoutCompilerConstants(ctx.inputs, ctx.program);
  createRelAction(ctx);
}

/// Debug tables are made anew, each kind by the edits.
static void rebuildDebugTables(Ctx &ctx) {
  rebuildDebugFrame(ctx.inputs, ctx.program);
  rebuildLineTables(ctx.inputs, ctx.program);
  finalizeRegisterRanges(ctx.inputs, ctx.program);
}

static void relocateAndMoveCode(Ctx &ctx) {
  ctx.inputs.clock.begin("relocate");
  // Before relocations: it reads the code's slot numbers as they came.
  fillInTextureBase(ctx.inputs, ctx.program, ctx.layout);
  // Patches bytes, or keeps an entry for the output, or drops it.
  processRelocations(ctx.inputs, ctx.program);
  // Code moves last: until here, offsets are those of the inputs.
  finalizeCode(ctx.inputs, ctx.program, ctx.layout);
  joinResolvedLists(ctx.inputs, ctx.program);
}

/// Processes relocations and changes code as nvlink's finalizer does. Skipped
/// after errors, because symbols that relocations name may be missing.
static void finalizeAndRelocate(Ctx &ctx) {
  if (ctx.inputs.diag.errorCount())
    return;
  ctx.inputs.clock.begin("finalize");
  // Before anything that counts code is made anew, what will be removed from it
  // and put into it has to be known.
  planCodeEdits(ctx.inputs, ctx.program, ctx.layout);
  if (!ctx.inputs.diag.stopped())
    runUntilFatal(ctx, {rebuildDebugTables, relocateAndMoveCode});
}

/// Every table that has to do with numbers of symbols and sections.
static void writeTables(Ctx &ctx, Resources &native, Resources &mercury) {
  ctx.inputs.clock.begin("string tables");
  buildStringTables(ctx.inputs, ctx.program, ctx.numbered);
  ctx.inputs.clock.begin("attributes");
  writeCallGraph(ctx.inputs, ctx.program);
  moveBarrierCounts(ctx.inputs, ctx.program, native);
  writeNvInfo(ctx.inputs, ctx.program, native);
  if (ctx.inputs.isMercury()) {
    moveBarrierCounts(ctx.inputs, ctx.program, mercury);
    writeNvInfo(ctx.inputs, ctx.program, mercury);
  }
  ctx.inputs.clock.begin("other tables");
  mergeCompat(ctx.inputs, ctx.program);
  writeNotes(ctx.inputs, ctx.program);
  finishUnifiedTables(ctx.inputs, ctx.program);
  writeRelocations(ctx.inputs, ctx.program, ctx.numbered);
  writeSymbolTable(ctx.inputs, ctx.program, ctx.numbered);
  if (!ctx.inputs.isMercury())
    return;
  writeMercurySymbolTable(ctx.inputs, ctx.program, ctx.numbered);
  finishCapmercSections(ctx.inputs, ctx.program, ctx.numbered);
  // Last: its bytes are those of the first section headers.
  fillReservedShared(ctx.inputs, ctx.numbered);
}

static void finishMerge(Ctx &ctx) {
  placeCompanions(ctx.program);
  reportCutOffInputs(ctx.inputs);
  if (!ctx.inputs.diag.stopped())
    checkToolsPatch(ctx.inputs, ctx.program);
}

/// Functions, variables, sections, call graph and records of all objects, in
/// their order, which decides all orders of the output.
static void mergeObjects(Ctx &ctx) {
  ctx.inputs.clock.begin("merge");
  mergeInputs(ctx);
  finishMerge(ctx);
}

static void reportMerge(Ctx &ctx) {
  warnUnusedPatterns(ctx.inputs, ctx.program);
  if (!ctx.inputs.symbolControl)
    return;
  warnUnusedSymbolOptions(ctx.inputs, ctx.program);
  localizeSymbols(ctx.inputs, ctx.program);
}

/// Reports what isn't in the image. Each of these reports may end the link.
static void reportMissing(Ctx &ctx) {
  reportMissingCode(ctx.inputs);
  if (!ctx.inputs.diag.stopped())
    warnEmptyImage(ctx.inputs, ctx.program);
  if (!ctx.inputs.diag.stopped())
    tellKernelsLeftOut(ctx.inputs, ctx.program);
  if (ctx.inputs.requiredKernels && !ctx.inputs.diag.stopped())
    checkRequiredKernels(ctx.inputs, ctx.program);
}

/// Reports on the layout, as nvlink does even after errors [messages-order].
static void reportLayout(Ctx &ctx) {
  dumpCallGraph(ctx.inputs, ctx.program);
  reportSymbols(ctx.inputs, ctx.program);
}

/// Which sections are written, then numbers for all.
static void numberOutput(Ctx &ctx) {
  // Earlier passes have left the facts that this asks for; none of them decides
  // which sections are written.
  decideWrittenSections(ctx.inputs, ctx.program);
  assignNumbers(ctx.inputs, ctx.program, ctx.numbered);
}

/// What kernels need for what they call: registers, stack and so on.
static void findResources(Ctx &ctx) {
  ctx.mercuryResources.view = View::Mercury;
  propagateResources(ctx.inputs, ctx.program, ctx.resources);
  if (ctx.inputs.isMercury() && !ctx.inputs.diag.stopped()) {
    propagateResources(ctx.inputs, ctx.program, ctx.mercuryResources);
    takeMercuryStacks(ctx.resources, ctx.mercuryResources);
  }
}

/// Neither depends on the other, and both are mostly one thread's, so a large
/// link does both at once. Numbering reports nothing.
static void numberAndFindResources(Ctx &ctx) {
  dropOutdatedRecords(ctx.inputs, ctx.program);
  if (ctx.inputs.worthThreads > 1 && ctx.inputs.config.threads != 1) {
    ctx.inputs.clock.begin("number and propagate resources");
    return parallelForEach(ctx.inputs, 2, [&](size_t task) {
      task ? findResources(ctx) : numberOutput(ctx);
    });
  }
  ctx.inputs.clock.begin("number");
  numberOutput(ctx);
  ctx.inputs.clock.begin("propagate resources");
  findResources(ctx);
}

/// --check: what looks at the output's bytes before they are put in place; else
/// empty.
static std::function<void(StringRef)> readerOf(Ctx &ctx) {
  if (!ctx.inputs.config.check)
    return nullptr;
  return [&ctx](StringRef image) {
    ctx.inputs.clock.begin("check");
    checkImage({ctx.inputs, ctx.program, ctx.layout, ctx.numbered,
                ctx.resources, ctx.mercuryResources},
               image);
  };
}

/// Checks and reports what kernels need, and writes everything that has
/// numbers.
static void writeOutput(Ctx &ctx) {
  Resources &resources = ctx.resources,
            &mercuryResources = ctx.mercuryResources;
  propagateNativeCallees(ctx.inputs, ctx.program, ctx.numbered, resources,
                         mercuryResources);
  // Limits and reports are about the view that nvlink merges.
  Resources &shown = ctx.inputs.isMercury() ? mercuryResources : resources;
  checkRegisterLimits(ctx.inputs, ctx.program, shown);
  checkCtaGroups(ctx.inputs, shown);
  printVerbose(ctx.inputs, ctx.program, shown);
  reportMemoryUsage(ctx.inputs, ctx.program, shown);
  reportWhy(ctx.inputs, ctx.program, shown);
  reportResources(ctx.inputs, ctx.program, shown);
  if (ctx.inputs.diag.errorCount())
    return;

  writeTables(ctx, resources, mercuryResources);
  if (ctx.inputs.job.ownsProcess)
    leaveHeapPages();
  ctx.inputs.clock.begin("write");
  // Under -Werror the last passes' warnings are errors.
  if (!ctx.inputs.diag.exitStatus())
    writeImage(ctx.inputs, ctx.program, ctx.numbered, readerOf(ctx));
  if (!ctx.inputs.diag.stopped())
    reportMap(ctx.inputs, ctx.program, ctx.numbered);
}

/// Settles the rules of the link, and prepares its inputs by them.
static void chooseRules(Ctx &ctx) {
  settleRules(ctx.inputs);
  placeOptimizedCode(ctx.inputs);
  tellMissingHostCode(ctx.inputs);
  if (ctx.inputs.symbolControl)
    ctx.inputs.symbolControl->separate();
}

/// Does a link from the merged inputs to the output.
static void linkProgram(Ctx &ctx) {
  runUntilFatal(ctx, {
                         reportMerge,
                         // -- No object is read any more; which definition is
                         // in force is settled.
                         layoutImage,
                         reportMissing,
                         reportLayout,
                         // -- Addresses are settled.
                         finalizeAndRelocate,
                         // -- Contents are settled, but for tables of numbers.
                         numberAndFindResources,
                         // -- Each symbol and section has its number; none is
                         // added or dropped.
                         writeOutput,
                     });
}

/// Does a link from the loaded inputs to the output. Nothing is linked for a
/// virtual target; its inputs have been checked all the same.
static void linkInputs(Ctx &ctx) {
  if (!ctx.inputs.config.virtualArch && !ctx.inputs.outputDone)
    runUntilFatal(ctx, {mergeObjects, linkProgram});
}

static void optimizeAtLinkTime(Ctx &ctx) {
  if (ctx.inputs.config.lto) {
    ctx.inputs.clock.begin("link-time optimization");
    optimizeNvidiaIR(ctx.inputs, ctx.program);
    if (ctx.inputs.outputDone)
      tellMissingReports(ctx.inputs);
  }
  if (!ctx.inputs.diag.stopped() && ctx.inputs.config.isLld())
    optimizeBitcode(ctx.inputs);
}

static void writeOtherOutputs(Ctx &ctx) {
  if (ctx.inputs.job.facts && ctx.inputs.isRelocatable())
    collectHostFacts(ctx.inputs);
  // With -emit-ptx there is no image to register.
  if (ctx.inputs.config.registerFile && !ctx.inputs.config.emitPtx)
    writeRegisterFile(ctx.inputs, ctx.program);
  if (!ctx.inputs.diag.stopped() && ctx.inputs.config.dotFile &&
      !ctx.inputs.outputDone)
    writeDotFile(ctx.inputs, ctx.program);
}

/// Nobody outside NVIDIA knows what is in an index file; nvlink refuses all
/// that anybody could make.
static void refuseIndexFile(Ctx &ctx) {
  const std::string &path = *ctx.inputs.config.indexFile;
  OpenedFile file = openFile(ctx.inputs, path);
  if (!file.buffer)
    ctx.inputs.diag.report(DiagId::CannotOpenInput,
                           {"Could not open input file ", diag::file(path)});
  else if (file.buffer->getBufferSize() == 0)
    ctx.inputs.diag.report(DiagId::CannotOpenInput,
                           {"Could not read file ", diag::file(path)});
  else
    ctx.inputs.diag.report(
        DiagId::UnsupportedOption,
        {"'-uidx' is not supported: the format of index files is "
         "not public"});
}

/// Returns false if there is a mistake in the options.
static bool readSymbolOptions(Inputs &inputs) {
  if (!readRequiredKernels(inputs))
    return false;
  if (inputs.config.lld.symbolOptions.empty())
    return true;
  inputs.symbolControl = std::make_unique<SymbolControl>(inputs);
  return inputs.symbolControl->read();
}

/// Returns false if there is nothing to link.
static bool readInputs(Ctx &ctx) {
  if (!checkOutputNames(ctx.inputs) || !addTimes(ctx.inputs, {}))
    return false;
  if (ctx.inputs.config.stats || ctx.inputs.config.timeTraceFile)
    ctx.inputs.clock.enable();
  ctx.inputs.clock.tell(ctx.inputs.job.progress);
  ctx.inputs.clock.begin("read inputs");
  if (!readSymbolOptions(ctx.inputs))
    return false;
  loadInputs(ctx.inputs);
  if (!checkOutputsAgainstInputs(ctx.inputs))
    return false;
  addCompileTimes(ctx.inputs);
  reportInputs(ctx.inputs);
  findRegistered(ctx.inputs);
  if (ctx.inputs.counts.hasLayers)
    findLayers(ctx.inputs);
  return !ctx.inputs.diag.stopped();
}

void checkInputs(Ctx &ctx) {
  const bool isRead = readInputs(ctx);
  ctx.tools.compileCache->report(ctx.inputs);
  if (!isRead || ctx.inputs.config.virtualArch)
    return;
  // Damage in tables is what the merge finds.
  settleRules(ctx.inputs);
  if (!ctx.inputs.diag.stopped())
    mergeObjects(ctx);
}

void linkMerged(Ctx &ctx) {
  runUntilFatal(ctx, {finishMerge, linkProgram, writeOtherOutputs});
  reportMissingCode(ctx.inputs);
}

void runLink(Ctx &ctx) {
  if (ctx.inputs.config.hostLinkerScript)
    return writeHostLinkerScript(ctx.inputs);
  if (ctx.inputs.config.indexFile)
    return refuseIndexFile(ctx);
  if (ctx.inputs.config.resources.joins)
    return joinReports(ctx.inputs, ctx.program);
  // After reading, errors can only be warnings under -Werror; they leave no
  // output.
  if (readInputs(ctx) && runUntilFatal(ctx, {optimizeAtLinkTime}) &&
      !ctx.inputs.diag.exitStatus()) {
    runUntilFatal(ctx, {chooseRules, linkInputs, writeOtherOutputs});
    reportStats(ctx.inputs, ctx.program, ctx.numbered);
  }
  // Reports that links which ended early have not reached.
  reportMissingCode(ctx.inputs);
  reportCutOffInputs(ctx.inputs);
  ctx.tools.compileCache->report(ctx.inputs);
}

} // namespace lld::cuda
