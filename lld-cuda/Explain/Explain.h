//===- Explain.h - Why a link fails, and what to do about it ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The lines ">>> ..." below errors, in the lld flavour or with --explain. Each
/// function is called after the message it explains, and returns at once when
/// nobody wants explanations. What they have to find out they find out then:
/// a link without errors pays nothing.
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

/// Reports all undefined symbols of a final link, explained or not.
void reportUndefined(Inputs &inputs, Program &program,
                     llvm::ArrayRef<const Symbol *> missed);

/// A name on the command line that is no function's; or no kernel's.
void explainMissingName(const Inputs &inputs, const Program &program,
                        llvm::StringRef name, bool kernelsOnly);

// ExplainSelection.cpp

/// Warns of patterns of --kernels-used that match no kernel.
void warnUnusedPatterns(const Inputs &inputs, const Program &program);
/// Warns that there is no kernel in the image, and says what may be the reason.
void warnEmptyImage(const Inputs &inputs, const Program &program);
/// ld.cuda --host-object: how many kernels no host code launches.
void tellKernelsLeftOut(const Inputs &inputs, const Program &program);

// ExplainRequired.cpp

/// Errors for kernels of --require-kernels that aren't in the image.
void checkRequiredKernels(const Inputs &inputs, const Program &program);

// ExplainLibraries.cpp

/// Libraries in the directories of -L that aren't linked and define a symbol:
/// their paths by its name.
std::map<std::string, std::string>
findInLibraries(const Inputs &inputs, llvm::ArrayRef<const Symbol *> missed);
/// Which of the shared libraries that the link names defines it.
void suggestSharedLibraries(const Inputs &inputs, const Symbol &missed);

// ExplainDefinitions.cpp

/// Symbol `index` of `obj` defines what `existing` is already.
void explainMultipleDefinition(const Inputs &inputs, Program &program,
                               const Symbol &existing, const ObjectFile &obj,
                               unsigned index);
/// Two files disagree about the size, memory space or prototype of a symbol;
/// `first` is the ordinal of the one that was there before.
void explainMismatch(const Inputs &inputs, Program &program,
                     llvm::StringRef name, unsigned first,
                     const llvm::Twine &firstHas, const ObjectFile &obj,
                     const llvm::Twine &objHas);
/// Below that: each file has its own copy, and they aren't the same.
void explainWeakMismatch(const Inputs &inputs, llvm::StringRef name);
/// "int (int, float)": the codes of a prototype in words, return value first.
std::string describePrototype(llvm::StringRef prototype);
/// "global memory" and so on.
llvm::StringRef describeMemorySpace(const Symbol &s);
llvm::StringRef describeMemorySpace(uint8_t type, uint8_t other);

// ExplainCallGraph.cpp

/// The calls from `kernel` to a function that can call itself.
void explainUnboundedStack(const Inputs &inputs, const Program &program,
                           const Function &kernel);
/// What the program has to do about that; for the first such kernel.
void explainStackLimit(const Inputs &inputs);
/// The calls from `kernel` to `function`, which needs `excess` registers more
/// than the kernel may have.
void explainRegisterLimit(const Inputs &inputs, Program &program,
                          const Function &kernel, const Function &function,
                          uint32_t excess);

// ExplainMemory.cpp

/// The largest shared variables of a kernel.
void explainSharedMemory(const Inputs &inputs, Program &program,
                         const Function &kernel, uint64_t size, uint64_t limit);
/// Warns of weak kernels whose copies add up their shared memory.
void warnDuplicateShared(const Inputs &inputs, Program &program);
/// The functions that bring a kernel the most constants of the compiler's.
void explainCompilerConstants(const Inputs &inputs, Program &program,
                              const Function &kernel, uint64_t limit);
/// The largest variables of a section.
void explainSection(const Inputs &inputs, Program &program,
                    const OutputSection &section, uint64_t limit);

} // namespace lld::cuda

#endif
