//===- Resolution.h - Which of two definitions counts -----------*- C++ -*-===//
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
/// variables (with commons) and bitcode have different rules.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_MERGE_RESOLUTION_H
#define LLD_CUDA_MERGE_RESOLUTION_H

#include <cstdint>

namespace lld::cuda {

enum class Resolution : uint8_t {
  Keep,          ///< The definition in force stays; the later one is ignored.
  KeepAndForget, ///< As Keep; relocations inside the later one are dropped,
                 ///< too.
  Define,        ///< The later one is the first definition.
  Replace,       ///< The later definition counts from now on.
  ReplaceCommon, ///< As Replace, and the name isn't common any more.
  EnlargeCommon, ///< Two commons: one place, as large as the larger one.
  PlaceBoth,     ///< A common and a definition: both get memory, the common's
                 ///< counts [common-and-definition].
  Duplicate,     ///< An error: a multiple definition.
};

/// Whether two mentions of a name speak of the same kind of thing.
enum class Agreement : uint8_t {
  Agree,
  OtherSpace, ///< An error: memory spaces differ, or a function is a variable.
  OtherKind,  ///< An error: a kernel here, a device function there.
};

/// What symbol resolution looks at, by kind and st_other [symbol-types].
struct KindFacts {
  bool isFunction, isVariable;
  uint8_t other;
};
Agreement compareKinds(const KindFacts &first, const KindFacts &later);

struct FunctionDefinition {
  uint8_t binding;
  bool isAlias; ///< Its code is another symbol's.
  uint32_t registers, virtualArch;
};
/// Two definitions of a function [weak-selection].
Resolution resolveFunctions(const FunctionDefinition &inForce,
                            const FunctionDefinition &later);

/// What an input has of a variable: nothing, a size, or bytes of a section.
enum class VariableStorage : uint8_t {
  Undefined,
  FormalArray, ///< extern __shared__ array in relocatable output.
  Common,
  Zeroed,      ///< .nv.global
  Initialised, ///< .nv.global.init
  Elsewhere,   ///< Constants, shared memory.
};

struct VariableFacts {
  VariableStorage storage;
  uint8_t binding;
  uint64_t size;
};
/// What a variable's later mention means [common-and-definition].
Resolution resolveVariables(const VariableFacts &inForce,
                            const VariableFacts &later);

/// What is wrong with a variable's sizes: one or both.
struct SizeErrors {
  bool differ = false;
  bool commonIsLarger = false; ///< Larger than the definition with a value.
  bool any() const { return differ || commonIsLarger; }
};
/// Two mentions of a variable. `zeroDefinesCommon`: the behaviour of that name
/// [common-size-errors].
SizeErrors compareSizes(const VariableFacts &inForce,
                        const VariableFacts &later, bool zeroDefinesCommon);

/// A definition in bitcode, the strongest first.
enum class BitcodeRank : uint8_t { Strong, Common, Weak, None };

/// What is known of a name before a module's definition is looked at.
struct BitcodeFacts {
  bool definedByCubin, strongInCubin;
  BitcodeRank prevailing; ///< In the modules before; None: in none.
};
/// The first strong definition prevails, else the first common, else the first
/// weak one, unless a cubin has the symbol [lto-bitcode-prevailing].
Resolution resolveBitcode(const BitcodeFacts &known, BitcodeRank later);

} // namespace lld::cuda

#endif
