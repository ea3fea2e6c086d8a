//===- Resolution.h - Chooses between two definitions -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions that decide which of two definitions of a name counts.
/// MergeFunctions.cpp and MergeVariables.cpp call them while objects are
/// merged, one after the other, with the definition in force so far and that of
/// the next object; LtoLlvm.cpp calls them for modules of bitcode. They change
/// and report nothing: the caller carries the decision out. Functions,
/// variables (with commons) and bitcode have different rules. "In force" is the
/// definition that counts at that moment, "later" that of the next object. Tags
/// such as [weak-selection] are rules of docs/reference.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_MERGE_RESOLUTION_H
#define LLD_CUDA_MERGE_RESOLUTION_H

#include <cstdint>

namespace lld::cuda {

/// What becomes of two definitions. Returned by the resolve functions below.
enum class Resolution : uint8_t {
  Keep,          ///< The definition in force stays; the later one is ignored.
  KeepAndForget, ///< Like Keep, but the relocations of the later definition's
                 ///< bytes are dropped, too.
  Define,        ///< There was none; the later definition counts.
  Replace,       ///< The later definition counts from now on.
  ReplaceCommon, ///< Like Replace, and the name isn't common any more.
  EnlargeCommon, ///< Both are commons and share memory of the larger size.
  PlaceBoth,     ///< One is a common, the other a definition. Both get memory,
                 ///< and the common's counts [common-and-definition].
  Duplicate,     ///< The caller must report a multiple definition.
};

/// Whether two symbols of a name are the same kind of thing. All but Agree are
/// errors, which the caller reports.
enum class Agreement : uint8_t {
  Agree,
  OtherSpace, ///< Memory spaces differ, or one is a function, the other not.
  OtherKind,  ///< One is a kernel, the other a device function.
};

/// The fields of a symbol that must agree in all objects [symbol-types].
struct KindFacts {
  bool isFunction, isVariable;
  uint8_t other; ///< st_other
};
Agreement compareKinds(const KindFacts &first, const KindFacts &later);

/// The properties of a function's definition that decide between two.
struct FunctionDefinition {
  uint8_t binding;
  bool isAlias;       ///< Its code belongs to another symbol.
  uint32_t registers; ///< How many it needs, as far as nvlink knows.
  /// The NN of compute_NN. For the definition in force it is that of the first
  /// definition of the name, which may have been replaced since.
  uint32_t virtualArch;
};
/// Decides between two definitions of a function [weak-selection].
Resolution resolveFunctions(const FunctionDefinition &inForce,
                            const FunctionDefinition &later);

/// What an object has of a variable.
enum class VariableStorage : uint8_t {
  Undefined,
  /// An extern __shared__ array that an earlier link with -r has defined, but
  /// only formally.
  FormalArray,
  Common,
  Zeroed,      ///< It is in .nv.global.
  Initialised, ///< It is in .nv.global.init.
  Elsewhere,   ///< It is in constant or shared memory.
};

/// The properties of a variable's symbol that decide between two.
struct VariableFacts {
  VariableStorage storage;
  uint8_t binding;
  uint64_t size; ///< In bytes; 0 if unknown.
};
/// Decides between what is in force and a later symbol, which may be a
/// definition [weak-variables], a common [common-and-definition] or undefined.
Resolution resolveVariables(const VariableFacts &inForce,
                            const VariableFacts &later);

/// What is wrong with the sizes of two symbols; both may be.
struct SizeErrors {
  bool differ = false;
  bool commonIsLarger = false; ///< A common is larger than the definition.
  bool any() const { return differ || commonIsLarger; }
};
/// Compares the sizes of two symbols of a variable [common-size-errors].
/// `zeroDefinesCommon` is the answer of LinkRules::zeroDefinesCommon(): whether
/// a definition in .nv.global must be as large as a common, too.
SizeErrors compareSizes(const VariableFacts &inForce,
                        const VariableFacts &later, bool zeroDefinesCommon);

/// What a module of bitcode has of a name, the strongest first.
enum class BitcodeRank : uint8_t { Strong, Common, Weak, None };

/// What is known of a name before a module's definition is examined.
struct BitcodeFacts {
  bool definedByCubin, strongInCubin;
  BitcodeRank prevailing; ///< The strongest in the modules before.
};
/// Decides whether a module's definition prevails: the first strong definition
/// does, or else the first common, or else the first weak one, unless a cubin
/// has the symbol [lto-bitcode-prevailing].
Resolution resolveBitcode(const BitcodeFacts &known, BitcodeRank later);

} // namespace lld::cuda

#endif
