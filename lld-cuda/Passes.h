//===- Passes.h - The passes of a link --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The passes of a link: free functions, declared in the order in which
/// runLink() of Link.cpp calls them, directly or through the functions of that
/// file. A pass gets the stages (Inputs.h) that are finished as const, and the
/// one that it fills. Errors are reported to Inputs::diag; after a fatal one
/// Link.cpp calls no further pass. The comment before each declaration names
/// the file that defines the pass; that file's first comment says what it does.
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

/// Performs the link of `ctx`, from reading the inputs to preparing the
/// outputs, which the caller then puts in place with commitOutputs().
/// Driver.cpp calls it for a command line, Library.cpp for the library.
/// Link.cpp.
void runLink(Ctx &ctx);
/// Reads and merges the inputs to find damage in them, and links nothing.
/// Called by Library.cpp if LinkJob::onlyChecks is set. Link.cpp.
void checkInputs(Ctx &ctx);
/// Writes a script for the host linker instead of linking (-ghls).
/// HostLinkerScript.cpp.
void writeHostLinkerScript(const Inputs &inputs);

// Before the inputs are merged.

/// Returns false, with an error reported, if two outputs are the same file.
/// Called before anything is read. OutputNames.cpp.
bool checkOutputNames(const Inputs &inputs);
/// Returns the paths of all files that a link writes. Confinement.cpp calls it
/// to let a confined process write them. OutputNames.cpp.
std::vector<std::string> listOutputPaths(const Config &config);
/// Returns false, with an error reported, if an output is also an input. Called
/// when the inputs are known. OutputNames.cpp.
bool checkOutputsAgainstInputs(const Inputs &inputs);
/// Chooses the nvlink release whose rules the link follows, if that is left to
/// the inputs (rule [release-choice] of docs/reference), and warns about what
/// is unknown in inputs that are newer than all releases. Called when all
/// inputs are read. SettleRules.cpp.
void settleRules(Inputs &inputs);
/// Marks objects that an earlier device link has registered with the CUDA
/// runtime, which are then not linked. RegisterFile.cpp.
void findRegistered(Inputs &inputs);
/// Marks objects whose device code is also in a layer (the result of an earlier
/// link with -r), which is then linked instead. Layers.cpp.
void findLayers(Inputs &inputs);
/// Collects in LinkJob::facts what the host object of a layer needs, after a
/// link with -r. Layers.cpp.
void collectHostFacts(const Inputs &inputs);
/// Optimizes NVIDIA's LTO IR (-lto). LtoNvidia.cpp.
void optimizeNvidiaIR(Inputs &inputs, Program &program);
/// Moves the cubin that was made of LTO IR to its place among the inputs, which
/// the release's rules decide. LtoPlace.cpp.
void placeOptimizedCode(Inputs &inputs);
/// Compiles LLVM bitcode, in the lld flavour. LtoLlvm.cpp.
void optimizeBitcode(Inputs &inputs);

// Passes that decide what is kept, and at which addresses.

/// Makes symbols local that options want to be (SymbolControl.h). Called only
/// if there are such options. LocalizeSymbols.cpp.
void localizeSymbols(const Inputs &inputs, Program &program);
/// Warns about options on symbols that have matched nothing.
/// LocalizeSymbols.cpp.
void warnUnusedSymbolOptions(const Inputs &inputs, const Program &program);
/// Places common variables at the end of .nv.global. LayoutConstants.cpp.
void placeCommons(const Inputs &inputs, Program &program);
/// Decides, by options and by the references of host code, which kernels are
/// counted (Function::isCounted). MarkReachable.cpp.
void discountUnusedKernels(const Inputs &inputs, Program &program);
/// Marks the functions that no counted kernel reaches, and their sections, as
/// unreachable, unless dead code is kept. MarkReachable.cpp.
void markReachable(const Inputs &inputs, Program &program);
/// Warns about kernels whose stack size can't be known, because they reach a
/// recursion. Undefined.cpp.
void warnRecursion(const Inputs &inputs, Program &program);
/// Warns about functions that are kept only because their address is taken
/// (-extrawarn). Undefined.cpp.
void warnUncalled(const Inputs &inputs, const Program &program);
/// Finds the shared variables and textures that each function uses.
/// ScanRelocations.cpp.
void scanRelocations(const Inputs &inputs, Program &program);
/// Creates .nv.callgraph and .nv.prototype. CallGraphOutput.cpp.
void createCallGraphSections(const Inputs &inputs, Program &program);
/// Gives shared variables their addresses and sections their sizes.
/// LayoutShared.cpp.
void layoutShared(const Inputs &inputs, Program &program);
/// Does with -r what layoutShared() does in a final link, and is called by it.
/// LayoutRelocatable.cpp.
void layoutSharedRelocatable(const Inputs &inputs, Program &program);
/// Lays out the bank of __constant__ variables anew if it is too large.
/// LayoutUserConstants.cpp.
void layoutUserConstants(const Inputs &inputs, Program &program);
/// Reports undefined symbols of a final link. Undefined.cpp.
void checkUndefined(Inputs &inputs, Program &program);
/// Gives textures, samplers and surfaces slots after the parameters of the
/// kernels that use them. LayoutTextures.cpp.
void layoutTextures(const Inputs &inputs, Program &program, Layout &layout);
/// Copies the literals of device functions into the banks of the kernels that
/// reach them. LayoutConstants.cpp.
void layoutCompilerConstants(const Inputs &inputs, Program &program);
/// Prints the call graph (-dump-callgraph). CallGraphDump.cpp.
void dumpCallGraph(const Inputs &inputs, Program &program);

// Passes that change code, and the debug tables that refer to it; relocations.

/// Plans the changes in native code that finalizeCode() carries out.
/// Finalizer.cpp.
void planCodeEdits(const Inputs &inputs, Program &program, Layout &layout);
/// From sm_100 on: makes the native .debug_frame anew. DebugFrame.cpp.
void rebuildDebugFrame(const Inputs &inputs, const Program &program);
/// From sm_100 on: these make the native line tables and register ranges fit
/// the code after its edits. DebugTables.cpp.
void rebuildLineTables(const Inputs &inputs, const Program &program);
void finalizeRegisterRanges(const Inputs &inputs, const Program &program);
/// From sm_100 on: writes the offset of the first texture slot into code. Reads
/// fields that processRelocations() changes. LayoutTextures.cpp.
void fillInTextureBase(const Inputs &inputs, Program &program,
                       const Layout &layout);
/// Resolves, keeps or drops each relocation. ProcessRelocations.cpp.
void processRelocations(const Inputs &inputs, const Program &program);
/// Changes native code as planned, from sm_100 on. Finalizer.cpp.
void finalizeCode(const Inputs &inputs, Program &program, const Layout &layout);
/// Gives the stubs of unified functions the NOPs and waits that nvlink gives
/// them. Called by finalizeCode(). UnifiedStubs.cpp.
void finalizeStubs(const Inputs &inputs, const Program &program);

// Passes that number sections and symbols, and write the tables that contain
// such numbers. A pass that gets a const Program adds no section or symbol.
// Between assignNumbers() and printVerbose() the passes of Analysis/Resources.h
// are called.

/// Decides which sections are written. WrittenSections.cpp.
void decideWrittenSections(const Inputs &inputs, Program &program);
/// Puts written sections and symbols in the output's order and numbers them.
/// OutputOrder.cpp.
void assignNumbers(const Inputs &inputs, const Program &program,
                   Numbered &numbered);
/// Prints the sizes of memories and the resources of kernels (-v). Verbose.cpp.
void printVerbose(const Inputs &inputs, Program &program, Resources &resources);

/// Makes .shstrtab and .strtab. OutputOrder.cpp.
void buildStringTables(const Inputs &inputs, Program &program,
                       Numbered &numbered);
/// Writes .nv.callgraph and .nv.prototype. CallGraphOutput.cpp.
void writeCallGraph(const Inputs &inputs, const Program &program);
/// Combines the compatibility attributes of all inputs in .nv.compat.
/// CompatOutput.cpp.
void mergeCompat(const Inputs &inputs, const Program &program);
/// Writes the notes about the tools that made the output, and for what it was
/// compiled. Notes.cpp.
void writeNotes(const Inputs &inputs, const Program &program);
/// Returns the smallest virtual architecture (the NN of compute_NN) of all
/// inputs. Notes.cpp.
uint16_t getVirtualArch(const Inputs &inputs, const Program &program);
/// Writes symbol numbers into the tables of unified functions and variables.
/// UnifiedTables.cpp.
void finishUnifiedTables(const Inputs &inputs, const Program &program);
/// Writes the relocations that are kept. WriteRelocations.cpp.
void writeRelocations(const Inputs &inputs, const Program &program,
                      const Numbered &numbered);
/// Writes .symtab. Writer.cpp.
void writeSymbolTable(const Inputs &inputs, const Program &program,
                      const Numbered &numbered);
/// Writes the output, a cubin. If `readBack` isn't empty, it is called with the
/// bytes of the file before that is put in place (--check). Writer.cpp.
void writeImage(const Inputs &inputs, const Program &program,
                const Numbered &numbered,
                const std::function<void(llvm::StringRef)> &readBack);

// Passes outside that order: writeRegisterFile() and writeDotFile() are called
// when the output is written, tellMissingHostCode() after settleRules(), and
// checkToolsPatch() after the merge.

/// Writes the list of linked objects that host code registers
/// (--register-link-binaries). RegisterFile.cpp.
void writeRegisterFile(const Inputs &inputs, const Program &program);
/// Warns about inputs that no host code registers. RegisterFile.cpp.
void tellMissingHostCode(const Inputs &inputs);
/// Reports functions that weren't compiled for -astoolspatch.
/// MarkReachable.cpp.
void checkToolsPatch(const Inputs &inputs, Program &program);
/// Writes the call graph as a graph for Graphviz (--dot-file).
/// CallGraphDump.cpp.
void writeDotFile(const Inputs &inputs, Program &program);

} // namespace lld::cuda

#endif
