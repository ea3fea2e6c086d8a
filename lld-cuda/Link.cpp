//===- Link.cpp - A link, pass by pass -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explain/Explain.h"
#include "Explain/Why.h"
#include "Finalize/Mercury.h"
#include "Finalize/NativeCallees.h"
#include "Input/InputFiles.h"
#include "Input/ObjectFile.h"
#include "Merge/Merge.h"
#include "Passes.h"
#include "Report/Reports.h"
#include "Report/Stats.h"
#include "Resources.h"
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
  for (const InputFile &file : ctx.inputs)
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
    if (ctx.diag.stopped())
      return false;
  }
  return true;
}

/// Inputs in order. A system library takes part only if something is undefined
/// by then [device-runtime].
static void mergeInputs(Ctx &ctx) {
  createFixedSections(ctx);
  MergeState state;
  bool wholeProgram = hasWholeProgram(ctx);
  bool droppedSystemLibrary = false, hasMerged = false;
  size_t units = 0;
  for (const InputFile &file : ctx.inputs)
    units += file.units.size();
  for (InputFile &file : ctx.inputs) {
    if (file.systemLibrary && !needsSystemLibrary(ctx)) {
      file.dropped = true;
      // An archive before all device code is exempt, as in nvlink.
      for (InputUnit &unit : file.units)
        droppedSystemLibrary |=
            unit.holds.anyDeviceCode && (hasMerged || !unit.isMember);
      continue;
    }
    for (InputUnit &unit : file.units) {
      ctx.stages->advance(units);
      if (unit.host.isRegistered || unit.host.layer)
        continue;
      for (LoadedCubin &cubin : unit.holds.cubins) {
        if (droppedSystemLibrary && !file.systemLibrary)
          return ctx.diag.report(DiagId::AfterDeviceRuntime,
                                 {"unexpected object after cudadevrt"});
        if (wholeProgram && !isWholeProgram(cubin) &&
            !isDeviceRuntime(ctx.config, file))
          ctx.diag.report(
              DiagId::WholeProgramMixed,
              {diag::file(cubin.label),
               ": -ewp compiled objects should only link with libcudadevrt"});
        mergeObject(ctx, state, cubin);
        if (ctx.diag.stopped())
          return;
        hasMerged = true;
      }
      hasMerged |= !unit.holds.ltoIR.empty();
    }
  }
}

/// .nv.rel.action is the same in every native executable [section-rel-action].
static void createRelAction(Ctx &ctx) {
  static const uint8_t Contents[16] = {0x73, 0, 0, 0,    0,    0, 0,    0,
                                       0,    0, 0, 0x11, 0x25, 0, 0x05, 0x36};
  if (ctx.isRelocatable() || ctx.config.arch.isMercury())
    return;
  OutputSection *sec = getNamedSection(ctx, SectionKind::RelocationAction);
  sec->setContents(Contents);
}

/// Dead code, the memory layout, and the diagnostics that depend on them, in
/// nvlink's order [messages-order].
static void layoutImage(Ctx &ctx) {
  ctx.stages->begin("call graph");
  placeCommons(ctx);
  discountUnusedKernels(ctx);
  ctx.callGraph.build(ctx);
  markReachable(ctx);
  warnRecursion(ctx);
  warnUncalled(ctx);
  ctx.stages->begin("scan relocations");
  scanRelocations(ctx);
  ctx.stages->begin("lay out memory");
  createCallGraphSections(ctx);
  layoutShared(ctx);
  warnDuplicateShared(ctx);
  layoutUserConstants(ctx);
  checkUndefined(ctx);
  layoutTextures(ctx);
  layoutCompilerConstants(ctx);
  createRelAction(ctx);
}

/// Debug tables are made anew, each kind by the edits.
static void rebuildDebugTables(Ctx &ctx) {
  rebuildDebugFrame(ctx);
  rebuildLineTables(ctx);
  finalizeRegisterRanges(ctx);
}

static void relocateAndMoveCode(Ctx &ctx) {
  ctx.stages->begin("relocate");
  // Before relocations: it reads the code's slot numbers as they came.
  fillInTextureBase(ctx);
  // Patches bytes, or keeps an entry for the output, or drops it.
  processRelocations(ctx);
  // Code moves last: until here, offsets are those of the inputs.
  finalizeCode(ctx);
}

/// What the end of a link changes in code, and relocations. Not after errors:
/// what they refer to may be missing.
static void finalizeAndRelocate(Ctx &ctx) {
  if (ctx.diag.errorCount())
    return;
  ctx.stages->begin("finalize");
  // Before anything that counts code is made anew, what will be removed from it
  // and put into it has to be known.
  runUntilFatal(ctx, {planCodeEdits, rebuildDebugTables, relocateAndMoveCode});
}

/// Every table that has to do with numbers of symbols and sections.
static void writeTables(Ctx &ctx, Resources &native, Resources &mercury) {
  ctx.stages->begin("string tables");
  buildStringTables(ctx);
  ctx.stages->begin("attributes");
  writeCallGraph(ctx);
  moveBarrierCounts(ctx, native);
  writeNvInfo(ctx, native);
  if (ctx.isMercury()) {
    moveBarrierCounts(ctx, mercury);
    writeNvInfo(ctx, mercury);
  }
  ctx.stages->begin("other tables");
  mergeCompat(ctx);
  writeNotes(ctx);
  finishUnifiedTables(ctx);
  writeRelocations(ctx);
  writeSymbolTable(ctx);
  if (!ctx.isMercury())
    return;
  writeMercurySymbolTable(ctx);
  finishCapmercSections(ctx);
  // Last: its bytes are those of the first section headers.
  fillReservedShared(ctx);
}

/// Functions, variables, sections, call graph and records of all objects, in
/// their order, which decides all orders of the output.
static void mergeObjects(Ctx &ctx) {
  ctx.stages->begin("merge");
  mergeInputs(ctx);
  reportCutOffInputs(ctx);
  if (!ctx.diag.stopped())
    checkToolsPatch(ctx);
}

/// Also after errors, as nvlink does [messages-order].
static void reportLayout(Ctx &ctx) {
  dumpCallGraph(ctx);
  reportSymbols(ctx);
}

/// Which sections are written, then numbers for all.
static void numberOutput(Ctx &ctx) {
  ctx.stages->begin("number");
  // By what all passes so far have left. None decides that for itself.
  decideWrittenSections(ctx);
  assignNumbers(ctx);
}

/// What kernels need for what they call, and everything that has numbers.
static void writeOutput(Ctx &ctx) {
  ctx.stages->begin("propagate resources");
  // Once for each view, since the two views' records may differ.
  Resources resources, mercuryResources;
  mercuryResources.view = View::Mercury;
  dropOutdatedRecords(ctx);
  propagateResources(ctx, resources);
  if (ctx.isMercury() && !ctx.diag.stopped())
    propagateResources(ctx, mercuryResources);
  if (ctx.diag.stopped())
    return;
  propagateNativeCallees(ctx, resources, mercuryResources);
  // Limits and reports are about the view that nvlink merges.
  Resources &shown = ctx.isMercury() ? mercuryResources : resources;
  checkRegisterLimits(ctx, shown);
  checkCtaGroups(ctx, shown);
  printVerbose(ctx, shown);
  reportMemoryUsage(ctx, shown);
  reportWhy(ctx, shown);
  reportResources(ctx, shown);
  if (ctx.diag.errorCount())
    return;

  writeTables(ctx, resources, mercuryResources);
  ctx.stages->begin("write");
  // Under -Werror the last passes' warnings are errors.
  if (!ctx.diag.exitStatus())
    writeImage(ctx);
  if (!ctx.diag.stopped())
    reportMap(ctx);
}

/// What is said before objects are merged.
static void chooseRules(Ctx &ctx) {
  settleRules(ctx);
  placeOptimizedCode(ctx);
  tellMissingHostCode(ctx);
}

/// From the loaded inputs to the output. A virtual target has nothing to link;
/// its inputs are checked all the same.
static void linkInputs(Ctx &ctx) {
  if (ctx.config.virtualArch || ctx.outputDone)
    return;
  runUntilFatal(ctx, {
                         mergeObjects,
                         warnUnusedPatterns,
                         // -- No object is read any more; which definition is
                         // in force is settled.
                         layoutImage,
                         reportMissingCode,
                         warnEmptyImage,
                         tellKernelsLeftOut,
                         reportLayout,
                         // -- Addresses are settled.
                         finalizeAndRelocate,
                         // -- Contents are settled, but for tables of numbers.
                         numberOutput,
                         // -- Each symbol and section has its number; none is
                         // added or dropped.
                         writeOutput,
                     });
}

static void optimizeAtLinkTime(Ctx &ctx) {
  if (ctx.config.lto) {
    ctx.stages->begin("link-time optimization");
    optimizeNvidiaIR(ctx);
    if (ctx.outputDone)
      tellMissingReports(ctx);
  }
  if (!ctx.diag.stopped() && ctx.config.isLld())
    optimizeBitcode(ctx);
}

static void writeOtherOutputs(Ctx &ctx) {
  if (ctx.job.facts && ctx.isRelocatable())
    collectHostFacts(ctx);
  // With -emit-ptx there is no image to register.
  if (ctx.config.registerFile && !ctx.config.emitPtx)
    writeRegisterFile(ctx);
  if (!ctx.diag.stopped() && ctx.config.dotFile && !ctx.outputDone)
    writeDotFile(ctx);
}

/// Nobody outside NVIDIA knows what is in an index file; nvlink refuses all
/// that anybody could make.
static void refuseIndexFile(Ctx &ctx) {
  const std::string &path = *ctx.config.indexFile;
  OpenedFile file = openFile(ctx, path);
  if (!file.buffer)
    ctx.diag.report(DiagId::CannotOpenInput,
                    {"Could not open input file ", diag::file(path)});
  else if (file.buffer->getBufferSize() == 0)
    ctx.diag.report(DiagId::CannotOpenInput,
                    {"Could not read file ", diag::file(path)});
  else
    ctx.diag.report(DiagId::UnsupportedOption,
                    {"'-uidx' is not supported: the format of index files is "
                     "not public"});
}

/// False: there is nothing to link.
static bool readInputs(Ctx &ctx) {
  if (!checkOutputNames(ctx) || !addTimes(ctx, {}))
    return false;
  if (ctx.config.stats || ctx.config.timeTraceFile)
    ctx.stages->enable();
  ctx.stages->tell(ctx.job.progress);
  ctx.stages->begin("read inputs");
  loadInputs(ctx);
  if (!checkOutputsAgainstInputs(ctx))
    return false;
  addCompileTimes(ctx);
  reportInputs(ctx);
  findRegistered(ctx);
  if (ctx.hasLayers)
    findLayers(ctx);
  return !ctx.diag.stopped();
}

void checkInputs(Ctx &ctx) {
  if (!readInputs(ctx) || ctx.config.virtualArch)
    return;
  // Damage in tables is what the merge finds.
  runUntilFatal(ctx, {settleRules, mergeObjects});
}

void runLink(Ctx &ctx) {
  if (ctx.config.hostLinkerScript)
    return writeHostLinkerScript(ctx);
  if (ctx.config.indexFile)
    return refuseIndexFile(ctx);
  if (ctx.config.resources.joins)
    return joinReports(ctx);
  // After reading, errors can only be warnings under -Werror; they leave no
  // output.
  if (readInputs(ctx) && runUntilFatal(ctx, {optimizeAtLinkTime}) &&
      !ctx.diag.exitStatus()) {
    runUntilFatal(ctx, {chooseRules, linkInputs, writeOtherOutputs});
    reportStats(ctx);
  }
  // Of links that ended early.
  reportMissingCode(ctx);
  reportCutOffInputs(ctx);
}

} // namespace lld::cuda
