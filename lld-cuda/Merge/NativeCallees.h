//===- NativeCallees.h - Functions that only native code calls --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions that native code calls and Mercury code doesn't, and their
/// special positions in the output's tables. From sm_100 on a cubin holds its
/// code twice, as native code and in NVIDIA's "Mercury" form
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
#include "llvm/ADT/MapVector.h"
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

/// The native callees of a link. A member of Program; the merge fills it.
/// Symbols are in the memory of the link.
struct NativeCallees {
  llvm::DenseMap<llvm::CachedHashStringRef, Symbol *> byName;
  /// The native callees of each function's definition that is used, in the
  /// order in which they were read.
  llvm::MapVector<const Function *, llvm::SmallVector<Symbol *, 2>> byCaller;
  /// Edges in the order in which .nv.callgraph lists them.
  /// propagateNativeCallees() adds them when sections have their numbers.
  std::vector<std::pair<const Function *, Symbol *>> edges;

  bool empty() const { return byName.empty(); }
  llvm::ArrayRef<Symbol *> of(const Function &caller) const {
    auto it = byCaller.find(&caller);
    return it == byCaller.end() ? llvm::ArrayRef<Symbol *>() : it->second;
  }
};

bool isNativeCallee(const Symbol &s);
/// Returns whether an attribute is EXTERNS and names native callees only.
/// nvlink's merge doesn't see such a record; its finalizer makes it anew.
bool namesNativeCalleesOnly(const Program &program, const InfoRecord &r);
/// Returns whether all entries of a RELA section of an object name native
/// callees.
bool namesNativeCalleesOnly(const Program &program, const ObjectFile &obj,
                            unsigned section);

/// Moves entries for native callees after all others. `isReversed` says that
/// entries are in the reverse of reading order; the moved ones are in reading
/// order even then.
void moveNativeCallsLast(llvm::MutableArrayRef<KeptRelocation> kept,
                         bool isReversed);

/// Returns whether all kept entries of a relocation section are native calls.
/// Such a section is created by nvlink's finalizer, without a twin and after
/// all other sections.
bool hasOnlyNativeCalls(const Program &program, const OutputSection &sec);

/// Calls `add` once for each native callee, in the order in which the output
/// has the functions that call them. Called when sections have their numbers.
void forEachNativeCallee(const Program &program, const Numbered &numbered,
                         llvm::function_ref<void(Symbol &)> add);

/// Returns the functions that call native callees, in the order of their code
/// in the output. nvlink's finalizer handles each in a thread of its own, so
/// its order varies where their callees differ.
std::vector<Function *> findNativeCallers(const Program &program,
                                          const Numbered &numbered);

} // namespace lld::cuda

#endif
