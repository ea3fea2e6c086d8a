//===- Passes.h - The passes of a link -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a link is made of, in the order in which linkInputs() calls it. Each
/// pass stands in a file of its own whose header comment tells its rule.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_PASSES_H
#define LLD_CUDA_PASSES_H

namespace lld::cuda {

struct Ctx;
struct Resources;

/// Everything from the opened inputs to the output file: the table of contents
/// of a link. Link.cpp.
void linkInputs(Ctx &ctx);

// CallGraphDump.cpp
void dumpCallGraph(Ctx &ctx);
void writeDotFile(Ctx &ctx);

// CallGraphOutput.cpp
void createCallGraphSections(Ctx &ctx);
void decidePrototypeSection(Ctx &ctx);
void writeCallGraph(Ctx &ctx);

// CompatMerge.cpp
void mergeCompat(Ctx &ctx);

// DebugFrame.cpp
void rebuildDebugFrame(Ctx &ctx);

// DebugTables.cpp
void rebuildLineTables(Ctx &ctx);
void finalizeRegisterRanges(Ctx &ctx);

// Finalizer.cpp
void planCodeEdits(Ctx &ctx);
void finalizeCode(Ctx &ctx);

// LayoutConstants.cpp
void placeCommons(Ctx &ctx);
void layoutUserConstants(Ctx &ctx);
void layoutCompilerConstants(Ctx &ctx);

// LayoutRelocatable.cpp
void layoutSharedRelocatable(Ctx &ctx);

// LayoutShared.cpp
void layoutShared(Ctx &ctx);

// LayoutTextures.cpp
void layoutTextures(Ctx &ctx);
/// sm_100 and later: in code. In front of processRelocations().
void fillInTextureBase(Ctx &ctx);

// LtoLlvm.cpp
void optimizeBitcode(Ctx &ctx);

// LtoNvidia.cpp
void optimizeNvidiaIR(Ctx &ctx);

// MarkLive.cpp
void demoteUnusedEntries(Ctx &ctx);
void markLive(Ctx &ctx);

// Notes.cpp
void writeNotes(Ctx &ctx);

// OutputOrder.cpp
void assignNumbers(Ctx &ctx);
void buildStringTables(Ctx &ctx);

// RegisterFile.cpp
void writeRegisterFile(Ctx &ctx);

// Relocations.cpp
void processRelocations(Ctx &ctx);
void writeRelocations(Ctx &ctx);

// ScanRelocations.cpp
void scanRelocations(Ctx &ctx);

// Undefined.cpp
void warnRecursion(Ctx &ctx);
void warnUncalled(Ctx &ctx);
void checkUndefined(Ctx &ctx);

// UnifiedTables.cpp
void rescheduleStubs(Ctx &ctx);
/// Once symbols are numbered.
void finishUnifiedTables(Ctx &ctx);

// Verbose.cpp
void printVerbose(Ctx &ctx, Resources &resources);

// Writer.cpp
void writeSymbolTable(Ctx &ctx);
void writeImage(Ctx &ctx);

} // namespace lld::cuda

#endif
