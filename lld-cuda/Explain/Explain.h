//===- Explain.h - Notes that explain errors --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The notes below errors and warnings, lines that begin with ">>>", in the lld
/// flavour or with --explain; and some messages that consist mostly of them.
/// The passes in Merge/, Analysis/, Layout/ and Report/ and Link.cpp call a
/// function directly after the message that it explains. It returns at once if
/// no explanations are wanted. All that it needs is searched only then, so that
/// a link without errors loses no time.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_EXPLAIN_EXPLAIN_H
#define LLD_CUDA_EXPLAIN_EXPLAIN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <cstdint>
#include <map>
#include <string>

namespace lld::cuda {

struct Inputs;
struct Program;
class CubinFile;
struct FatbinEntry;
struct Function;
struct InputUnit;
struct ObjectFile;
struct OutputSection;
struct Symbol;

// ExplainUndefined.cpp

/// Reports all undefined symbols of a final link, with or without explanations.
void reportUndefined(Inputs &inputs, Program &program,
                     llvm::ArrayRef<const Symbol *> missed);

/// Explains an error about a name on the command line that is no function or,
/// with `kernelsOnly`, no kernel.
void explainMissingName(const Inputs &inputs, const Program &program,
                        llvm::StringRef name, bool kernelsOnly);

// ExplainSelection.cpp

/// Warns of patterns of --kernels-used that match no kernel.
void warnUnusedPatterns(const Inputs &inputs, const Program &program);
/// Warns that there is no kernel in the image, and says what may be the reason.
void warnEmptyImage(const Inputs &inputs, const Program &program);
/// With --host-object, tells how many kernels are left out because no host code
/// launches them.
void tellKernelsLeftOut(const Inputs &inputs, const Program &program);

// ExplainRequired.cpp

/// Reports an error for each kernel of --require-kernels that isn't in the
/// image.
void checkRequiredKernels(const Inputs &inputs, const Program &program);

// ExplainLibraries.cpp

/// Searches the directories of -L for libraries that aren't linked and define
/// one of the symbols `missed`. Returns their paths, indexed by symbol name.
std::map<std::string, std::string>
findInLibraries(const Inputs &inputs, llvm::ArrayRef<const Symbol *> missed);
/// Adds a note that says which of the shared libraries on the command line
/// defines `missed`.
void suggestSharedLibraries(const Inputs &inputs, const Symbol &missed);

// ExplainDefinitions.cpp

/// Explains that symbol `index` of `obj` defines `existing` a second time.
void explainMultipleDefinition(const Inputs &inputs, Program &program,
                               const Symbol &existing, const ObjectFile &obj,
                               unsigned index);
/// Explains that two files disagree about the size, memory space or prototype
/// of a symbol. `first` is the ordinal of the earlier file.
void explainMismatch(const Inputs &inputs, Program &program,
                     llvm::StringRef name, unsigned first,
                     const llvm::Twine &firstHas, const ObjectFile &obj,
                     const llvm::Twine &objHas);
/// Adds to explainMismatch() that each file has its own copy of the weak
/// definition, and that the copies differ.
void explainWeakMismatch(const Inputs &inputs, llvm::StringRef name);
/// Returns a prototype in C++ words, e.g. "int (int, float)". `prototype` has
/// one code for each type, that of the return value first.
std::string describePrototype(llvm::StringRef prototype);
/// Returns the memory space of a variable, e.g. "global memory".
llvm::StringRef describeMemorySpace(const Symbol &s);
llvm::StringRef describeMemorySpace(uint8_t type, uint8_t other);

// ExplainCallGraph.cpp

/// Shows the calls from `kernel` to a recursive function.
void explainUnboundedStack(const Inputs &inputs, const Program &program,
                           const Function &kernel);
/// Adds what a program has to do if a kernel's stack size is unknown. Called
/// for the first such kernel.
void explainStackLimit(const Inputs &inputs);
/// Shows the calls from `kernel` to `function`, which needs `excess` registers
/// more than the kernel may use.
void explainRegisterLimit(const Inputs &inputs, Program &program,
                          const Function &kernel, const Function &function,
                          uint32_t excess);

// ExplainMemory.cpp

/// Lists the largest shared variables of a kernel. Sizes are in bytes here and
/// below.
void explainSharedMemory(const Inputs &inputs, Program &program,
                         const Function &kernel, uint64_t size, uint64_t limit);
/// Warns about weak kernels that use the shared memory of all their copies.
void warnDuplicateShared(const Inputs &inputs, Program &program);
/// Lists the functions that add the most compiler constants to a kernel.
void explainCompilerConstants(const Inputs &inputs, Program &program,
                              const Function &kernel, uint64_t limit);
/// Lists the largest variables of a section.
void explainSection(const Inputs &inputs, Program &program,
                    const OutputSection &section, uint64_t limit);

} // namespace lld::cuda

#endif
