//===- Passes.h - The passes of a link --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The passes of a link, in the order in which runLink() and the functions that
/// it calls in Link.cpp run them. A pass takes finished stages as const, and
/// the stage that it fills. The comment at the top of each pass's file says
/// what it does; the comments here name that file.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_PASSES_H
#define LLD_CUDA_PASSES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lld::cuda {

struct Config;
struct Ctx;
struct Inputs;
struct Program;
struct Layout;
struct Numbered;
struct Resources;

/// All that is done between the command line and commitOutputs(). Link.cpp.
void runLink(Ctx &ctx);
/// Reads the inputs as far as each can be checked by itself, with
/// LinkJob::onlyChecks. Link.cpp.
void checkInputs(Ctx &ctx);
/// -ghls, in place of a link. HostLinkerScript.cpp.
void writeHostLinkerScript(const Inputs &inputs);

// Before the inputs are merged.

/// Errors for outputs that are one file, before anything is written, and for
/// those that are inputs, once these are known. Return false if there are any.
/// OutputNames.cpp.
bool checkOutputNames(const Inputs &inputs);
/// The paths of all outputs that a link writes into files.
std::vector<std::string> listOutputPaths(const Config &config);
bool checkOutputsAgainstInputs(const Inputs &inputs);
/// Once all inputs are read: makes the rules, if the inputs choose the release,
/// and says what in inputs that are newer than all releases is unknown
/// [release-choice]. SettleRules.cpp.
void settleRules(Inputs &inputs);
/// Marks objects that an earlier device link has registered. RegisterFile.cpp.
void findRegistered(Inputs &inputs);
/// Marks objects whose device code is in a layer, too. Layers.cpp.
void findLayers(Inputs &inputs);
/// With -r: what a layer's host object needs. Layers.cpp.
void collectHostFacts(const Inputs &inputs);
// LtoNvidia.cpp
void optimizeNvidiaIR(Inputs &inputs, Program &program);
/// Once the rules are settled.
/// LtoPlace.cpp.
void placeOptimizedCode(Inputs &inputs);
// LtoLlvm.cpp
void optimizeBitcode(Inputs &inputs);

// What stays, and where it lies.

/// If there are options that control symbols. LocalizeSymbols.cpp.
void localizeSymbols(const Inputs &inputs, Program &program);
void warnUnusedSymbolOptions(const Inputs &inputs, const Program &program);
// LayoutConstants.cpp
void placeCommons(const Inputs &inputs, Program &program);
// MarkReachable.cpp
void discountUnusedKernels(const Inputs &inputs, Program &program);
void markReachable(const Inputs &inputs, Program &program);
// Undefined.cpp
void warnRecursion(const Inputs &inputs, Program &program);
void warnUncalled(const Inputs &inputs, const Program &program);
// ScanRelocations.cpp
void scanRelocations(Program &program);
// CallGraphOutput.cpp
void createCallGraphSections(const Inputs &inputs, Program &program);
// LayoutShared.cpp
void layoutShared(const Inputs &inputs, Program &program);
// LayoutRelocatable.cpp, with -r
void layoutSharedRelocatable(const Inputs &inputs, Program &program);
// LayoutUserConstants.cpp
void layoutUserConstants(const Inputs &inputs, Program &program);
// Undefined.cpp
void checkUndefined(Inputs &inputs, Program &program);
// LayoutTextures.cpp
void layoutTextures(const Inputs &inputs, Program &program, Layout &layout);
// LayoutConstants.cpp
void layoutCompilerConstants(const Inputs &inputs, Program &program);
// CallGraphDump.cpp
void dumpCallGraph(const Inputs &inputs, Program &program);

// Code and what counts code; relocations.

// Finalizer.cpp
void planCodeEdits(const Inputs &inputs, Program &program, Layout &layout);
// DebugFrame.cpp
void rebuildDebugFrame(const Inputs &inputs, const Program &program);
// DebugTables.cpp
void rebuildLineTables(const Inputs &inputs, const Program &program);
void finalizeRegisterRanges(const Inputs &inputs, const Program &program);
/// sm_100 and later: in code. Before processRelocations(). LayoutTextures.cpp.
void fillInTextureBase(const Inputs &inputs, Program &program,
                       const Layout &layout);
// ProcessRelocations.cpp
void processRelocations(const Inputs &inputs, const Program &program);
// Finalizer.cpp
void finalizeCode(const Inputs &inputs, Program &program, const Layout &layout);
// UnifiedStubs.cpp, from finalizeCode()
void rescheduleStubs(const Inputs &inputs, const Program &program);

// Numbers, and tables of them. Between these two groups Resources.h. A const
// Program gets no further section or symbol.

// WrittenSections.cpp
void decideWrittenSections(const Inputs &inputs, Program &program);
// OutputOrder.cpp
void assignNumbers(const Inputs &inputs, const Program &program,
                   Numbered &numbered);
// Verbose.cpp
void printVerbose(const Inputs &inputs, Program &program, Resources &resources);

// OutputOrder.cpp
void buildStringTables(const Inputs &inputs, Program &program,
                       Numbered &numbered);
// CallGraphOutput.cpp
void writeCallGraph(const Inputs &inputs, const Program &program);
// CompatOutput.cpp
void mergeCompat(const Inputs &inputs, const Program &program);
// Notes.cpp
void writeNotes(const Inputs &inputs, const Program &program);
/// The smallest virtual architecture of all inputs.
/// Notes.cpp.
uint16_t getVirtualArch(const Inputs &inputs, const Program &program);
// UnifiedTables.cpp
void finishUnifiedTables(const Inputs &inputs, const Program &program);
// WriteRelocations.cpp
void writeRelocations(const Inputs &inputs, const Program &program,
                      const Numbered &numbered);
// Writer.cpp
void writeSymbolTable(const Inputs &inputs, const Program &program,
                      const Numbered &numbered);
/// `readBack`, if it isn't empty, gets the bytes of the output before that is
/// put in place.
void writeImage(const Inputs &inputs, const Program &program,
                const Numbered &numbered,
                const std::function<void(llvm::StringRef)> &readBack);

// After the image.

// RegisterFile.cpp
void writeRegisterFile(const Inputs &inputs, const Program &program);
void tellMissingHostCode(const Inputs &inputs);
// MarkReachable.cpp
void checkToolsPatch(const Inputs &inputs, Program &program);
// CallGraphDump.cpp
void writeDotFile(const Inputs &inputs, Program &program);

} // namespace lld::cuda

#endif
