//===- NativeCallees.h - Calls that the finalizer has made ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions that native code calls and Mercury code doesn't, and the
/// special places that they have in the output. From sm_100 on a cubin holds
/// its code twice, as native code and in NVIDIA's "Mercury" form
/// (docs/reference/mercury.md). From sm_107 on some instructions for textures
/// and surfaces become calls of the driver, `__cuda_syscall_bw_*`, in native
/// code only. nvlink merges the Mercury form and adds these calls after
/// everything else (rule [native-callees] of docs/reference). So the merge
/// collects them (Merge/), and the passes that propagate resources, relocate,
/// and number and write the output (Output/) ask here; --check, too.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_MERGE_NATIVECALLEES_H
#define LLD_CUDA_MERGE_NATIVECALLEES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <utility>
#include <vector>

namespace lld::cuda {

struct Inputs;
struct Program;
struct Numbered;
struct Function;
struct InfoRecord;
struct KeptRelocation;
struct ObjectFile;
struct OutputSection;
struct Symbol;

struct NativeCallees {
  llvm::DenseMap<llvm::CachedHashStringRef, Symbol *> byName;
  /// In reading order, of the definition in force.
  llvm::DenseMap<const Function *, llvm::SmallVector<Symbol *, 2>> byCaller;
  /// Edges of .nv.callgraph, in its order. propagateNativeCallees() finds them.
  std::vector<std::pair<const Function *, Symbol *>> edges;

  bool empty() const { return byName.empty(); }
  llvm::ArrayRef<Symbol *> of(const Function &caller) const {
    auto it = byCaller.find(&caller);
    return it == byCaller.end() ? llvm::ArrayRef<Symbol *>() : it->second;
  }
};

bool isNativeCallee(const Symbol &s);
/// Whether a record is an EXTERNS that names nothing else: it isn't there
/// until the finalizer makes it.
bool namesNativeCalleesOnly(const Program &program, const InfoRecord &r);
/// Whether all entries of a RELA section of an object name native callees.
bool namesNativeCalleesOnly(const Program &program, const ObjectFile &obj,
                            unsigned section);

/// Moves entries for native callees after all others. `isReversed` says that
/// entries are in the reverse of reading order; the moved ones are in reading
/// order even then.
void moveNativeCallsLast(llvm::SmallVectorImpl<KeptRelocation> &kept,
                         bool isReversed);

/// Returns whether all kept entries of a relocation section are native calls.
/// Such a section is created by nvlink's finalizer, without a twin and after
/// all other sections.
bool hasOnlyNativeCalls(const Program &program, const OutputSection &sec);

/// Calls `add` for each callee, once, in the order of the code that calls them.
/// Sections must have their numbers.
void forEachNativeCallee(const Program &program, const Numbered &numbered,
                         llvm::function_ref<void(Symbol &)> add);

/// Functions with such calls, in the order of their code. nvlink's finalizer
/// has a thread for each and takes them as they come: of functions whose
/// callees differ, any order can be seen.
std::vector<Function *> findNativeCallers(const Program &program,
                                          const Numbered &numbered);

} // namespace lld::cuda

#endif
