//===- Passes.h - The passes of a link -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a link is made of, in the order in which it is called by runLink() and
/// linkInputs() in Link.cpp. The header comment of each pass's file
/// tells its rule.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_PASSES_H
#define LLD_CUDA_PASSES_H

namespace lld::cuda {

struct Ctx;
struct Resources;

/// All that is done between the command line and commitOutputs(). Link.cpp.
void runLink(Ctx &ctx);
/// Reads the inputs as far as each can be checked by itself, with
/// LinkJob::onlyChecks. Link.cpp.
void checkInputs(Ctx &ctx);
/// -ghls, in place of a link. HostLinkerScript.cpp.
void writeHostLinkerScript(Ctx &ctx);

// Before the inputs are merged.

/// Errors for outputs that are one file, before anything is written, and for
/// those that are inputs, once these are known. Return false if there are any.
/// OutputNames.cpp.
bool checkOutputNames(Ctx &ctx);
bool checkOutputsAgainstInputs(Ctx &ctx);
/// Marks objects that an earlier device link has registered. RegisterFile.cpp.
void findRegistered(Ctx &ctx);
/// Marks objects whose device code is in a layer, too. Layers.cpp.
void findLayers(Ctx &ctx);
/// With -r: what a layer's host object needs. Layers.cpp.
void collectHostFacts(Ctx &ctx);
void optimizeNvidiaIR(Ctx &ctx); // LtoNvidia.cpp
/// Once the rules are settled.
void placeOptimizedCode(Ctx &ctx); // LtoPlace.cpp
void optimizeBitcode(Ctx &ctx);    // LtoLlvm.cpp

// What stays, and where it lies.

void placeCommons(Ctx &ctx);            // LayoutConstants.cpp
void discountUnusedKernels(Ctx &ctx);   // MarkReachable.cpp
void markReachable(Ctx &ctx);           // MarkReachable.cpp
void warnRecursion(Ctx &ctx);           // Undefined.cpp
void warnUncalled(Ctx &ctx);            // Undefined.cpp
void scanRelocations(Ctx &ctx);         // ScanRelocations.cpp
void createCallGraphSections(Ctx &ctx); // CallGraphOutput.cpp
void layoutShared(Ctx &ctx);            // LayoutShared.cpp
void layoutSharedRelocatable(Ctx &ctx); // LayoutRelocatable.cpp, with -r
void layoutUserConstants(Ctx &ctx);     // LayoutUserConstants.cpp
void checkUndefined(Ctx &ctx);          // Undefined.cpp
void layoutTextures(Ctx &ctx);          // LayoutTextures.cpp
void layoutCompilerConstants(Ctx &ctx); // LayoutConstants.cpp
void dumpCallGraph(Ctx &ctx);           // CallGraphDump.cpp

// Code and what counts code; relocations.

void planCodeEdits(Ctx &ctx);          // Finalizer.cpp
void rebuildDebugFrame(Ctx &ctx);      // DebugFrame.cpp
void rebuildLineTables(Ctx &ctx);      // DebugTables.cpp
void finalizeRegisterRanges(Ctx &ctx); // DebugTables.cpp
/// sm_100 and later: in code. Before processRelocations(). LayoutTextures.cpp.
void fillInTextureBase(Ctx &ctx);
void processRelocations(Ctx &ctx); // ProcessRelocations.cpp
void finalizeCode(Ctx &ctx);       // Finalizer.cpp
void rescheduleStubs(Ctx &ctx);    // UnifiedTables.cpp, from finalizeCode()

// Numbers, and tables of them. Between these two groups Resources.h. A const
// link can't get another section or symbol any more.

void decideWrittenSections(Ctx &ctx);              // WrittenSections.cpp
void assignNumbers(Ctx &ctx);                      // OutputOrder.cpp
void printVerbose(Ctx &ctx, Resources &resources); // Verbose.cpp

void buildStringTables(Ctx &ctx);    // OutputOrder.cpp
void writeCallGraph(const Ctx &ctx); // CallGraphOutput.cpp
void mergeCompat(const Ctx &ctx);    // CompatMerge.cpp
void writeNotes(const Ctx &ctx);     // Notes.cpp
/// The smallest virtual architecture of all inputs.
uint16_t getVirtualArch(const Ctx &ctx);  // Notes.cpp
void finishUnifiedTables(const Ctx &ctx); // UnifiedTables.cpp
void writeRelocations(const Ctx &ctx);    // WriteRelocations.cpp
void writeSymbolTable(const Ctx &ctx);    // Writer.cpp
void writeImage(Ctx &ctx);                // Writer.cpp

// After the image.

void writeRegisterFile(Ctx &ctx);   // RegisterFile.cpp
void tellMissingHostCode(Ctx &ctx); // RegisterFile.cpp
void checkToolsPatch(Ctx &ctx);     // MarkReachable.cpp
void writeDotFile(Ctx &ctx);        // CallGraphDump.cpp

} // namespace lld::cuda

#endif
