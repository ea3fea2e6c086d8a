//===- Link.cpp - A link, pass by pass -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "Mercury.h"
#include "Merge.h"
#include "Passes.h"
#include "Reports.h"
#include "Resources.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

static bool isWholeProgram(const LoadedCubin &cubin) {
  return cubin.file.header().e_type == ET_CUDA_EWP;
}

/// Whether an input was compiled as an extensible whole program, which nothing
/// but the device runtime should be linked to (spec: seams, 22).
static bool hasWholeProgram(const Ctx &ctx) {
  for (const InputFile &file : ctx.inputs)
    for (const InputUnit &unit : file.units)
      if (any_of(unit.cubins, isWholeProgram))
        return true;
  return false;
}

/// Inputs in order. A system library takes part only if something is undefined
/// by then (spec: addendum, 14).
static void mergeInputs(Ctx &ctx) {
  createFixedSections(ctx);
  bool wholeProgram = hasWholeProgram(ctx);
  bool droppedSystemLibrary = false, hasMerged = false;
  for (InputFile &file : ctx.inputs) {
    if (file.systemLibrary && !needsSystemLibrary(ctx)) {
      file.dropped = true;
      // An archive in front of all device code is exempt, as in nvlink.
      for (InputUnit &unit : file.units)
        droppedSystemLibrary |=
            unit.holdsDeviceCode && (hasMerged || !unit.isMember);
      continue;
    }
    for (InputUnit &unit : file.units) {
      for (LoadedCubin &cubin : unit.cubins) {
        if (droppedSystemLibrary && !file.systemLibrary)
          return ctx.diag.fatal("unexpected object after cudadevrt");
        if (wholeProgram && !isWholeProgram(cubin) &&
            !StringRef(file.path).contains("cudadevrt"))
          ctx.diag.warning("'" + cubin.label +
                           "': -ewp compiled objects should only link with "
                           "libcudadevrt");
        mergeObject(ctx, cubin);
        if (ctx.diag.stopped())
          return;
        hasMerged = true;
      }
      hasMerged |= !unit.ltoIR.empty();
    }
  }
}

/// An empty .nv.info is left out: its records go with their functions, but for
/// those about the image as a whole, which an object without content has, too
/// (test/corpus/host-objects.test, empty.test, kernels-used.test).
static void decideInfoSection(Ctx &ctx) {
  auto isRecordOfImage = [](const InfoRecord &r) {
    const NvInfoAttribute *attribute = getNvInfoAttribute(r.record.code);
    return !attribute || attribute->symbols == NvInfoSymbols::None;
  };
  ctx.nvinfo->emitted =
      any_of(ctx.functions,
             [](const Function &f) { return f.live && f.text; }) ||
      any_of(ctx.globalInfoRecords[unsigned(View::Native)], isRecordOfImage);
}

/// .nv.rel.action is the same in every native executable (spec: relocations,
/// section 5).
static void createRelAction(Ctx &ctx) {
  static const uint8_t Contents[16] = {0x73, 0, 0, 0,    0,    0, 0,    0,
                                       0,    0, 0, 0x11, 0x25, 0, 0x05, 0x36};
  if (ctx.isRelocatable() || ctx.config.arch.isMercury())
    return;
  OutputSection *sec =
      getNamedSection(ctx, ".nv.rel.action", SHT_CUDA_RELOCINFO, 0, 8, 8);
  sec->role = SectionRole::RelAction;
  sec->emitted = true;
  sec->setContents(Contents);
}

/// Dead code, the memory layout, and the diagnostics that depend on them, in
/// nvlink's order (spec: addendum, section 2.1).
static void layoutImage(Ctx &ctx) {
  ctx.stages.begin("call graph");
  placeCommons(ctx);
  demoteUnusedEntries(ctx);
  ctx.callGraph.build(ctx);
  markLive(ctx);
  warnRecursion(ctx);
  warnUncalled(ctx);
  ctx.stages.begin("scan relocations");
  scanRelocations(ctx);
  ctx.stages.begin("lay out memory");
  createCallGraphSections(ctx);
  layoutShared(ctx);
  warnDuplicateShared(ctx);
  layoutUserConstants(ctx);
  checkUndefined(ctx);
  layoutTextures(ctx);
  layoutCompilerConstants(ctx);
  createRelAction(ctx);
}

void linkInputs(Ctx &ctx) {
  ctx.stages.begin("merge");
  mergeInputs(ctx);
  reportCutOffInputs(ctx);
  if (ctx.diag.stopped())
    return;
  layoutImage(ctx);
  if (!ctx.diag.stopped()) {
    dumpCallGraph(ctx);
    reportSymbols(ctx);
  }
  if (ctx.diag.stopped())
    return;
  if (!ctx.diag.errorCount()) {
    ctx.stages.begin("finalize");
    planCodeEdits(ctx);
    if (ctx.diag.stopped())
      return;
    rebuildDebugFrame(ctx);
    rebuildLineTables(ctx);
    finalizeRegisterRanges(ctx);
    if (ctx.diag.stopped())
      return;
    ctx.stages.begin("relocate");
    fillInTextureBase(ctx);
    processRelocations(ctx);
    finalizeCode(ctx);
  }
  if (ctx.diag.stopped())
    return;
  ctx.stages.begin("number");
  decidePrototypeSection(ctx);
  decideInfoSection(ctx);
  assignNumbers(ctx);

  ctx.stages.begin("propagate resources");
  Resources resources, mercuryResources;
  mercuryResources.view = View::Mercury;
  dropOutdatedRecords(ctx);
  propagateResources(ctx, resources);
  if (ctx.isMercury() && !ctx.diag.stopped())
    propagateResources(ctx, mercuryResources);
  if (ctx.diag.stopped())
    return;
  Resources &shown = ctx.isMercury() ? mercuryResources : resources;
  checkRegisterLimits(ctx, shown);
  checkCtaGroups(ctx, shown);
  printVerbose(ctx, shown);
  reportMemoryUsage(ctx, shown);
  if (ctx.diag.errorCount())
    return;

  ctx.stages.begin("string tables");
  buildStringTables(ctx);
  ctx.stages.begin("attributes");
  writeCallGraph(ctx);
  writeNvInfo(ctx, resources);
  if (ctx.isMercury())
    writeNvInfo(ctx, mercuryResources);
  ctx.stages.begin("other tables");
  mergeCompat(ctx);
  writeNotes(ctx);
  finishUnifiedTables(ctx);
  writeRelocations(ctx);
  writeSymbolTable(ctx);
  if (ctx.isMercury()) {
    writeMercurySymbolTable(ctx);
    finishCapmercSections(ctx);
    fillReservedShared(ctx);
  }
  ctx.stages.begin("write");
  // Under -Werror the last passes' warnings are errors.
  if (!ctx.diag.exitStatus())
    writeImage(ctx);
  if (!ctx.diag.stopped())
    reportMap(ctx);
}

} // namespace lld::cuda
