//===- NativeCallees.h - Calls that the finalizer has made ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From sm_107 on some instructions for textures and surfaces are calls of the
/// driver in native code: `__cuda_syscall_bw_*`. They are the finalizer's, of
/// ptxas, so the Mercury view knows neither calls nor callees. nvlink merges
/// that view, and adds them when all else has its place [native-callees].
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

/// Puts entries for native callees behind all others. `isReversed`: the entries
/// stand last read first; these keep the reading order even then.
void moveNativeCallsLast(llvm::SmallVectorImpl<KeptRelocation> &kept,
                         bool isReversed);

/// Whether all that is kept of a section of relocations are native calls. Then
/// it isn't there until the finalizer makes it, without a twin and behind all
/// other sections.
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
