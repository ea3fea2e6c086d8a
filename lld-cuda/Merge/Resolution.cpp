//===- Resolution.cpp - Which of two definitions counts -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// These functions decide which of two definitions of a name counts, as the
/// linker reads one object after the other: MergeFunctions.cpp and
/// MergeVariables.cpp call them with the definition in force so far and that of
/// the next object, LtoLlvm.cpp with definitions in bitcode. They see facts
/// only and change nothing, so each rule can be tested by itself.
///
/// Unlike on a host, the first of two weak functions needn't win: the one with
/// fewer registers does, then the one for the higher virtual architecture, then
/// the first [weak-selection]. If a weak kernel needs 32 registers in a.o and
/// 24 in b.o, the image has b.o's.
///
//===----------------------------------------------------------------------===//

#include "Merge/Resolution.h"
#include "lld-cuda/BinaryFormat/ELF.h"

using namespace lld::cuda::elf;

namespace lld::cuda {

Agreement compareKinds(const KindFacts &first, const KindFacts &later) {
  const uint8_t differs = first.other ^ later.other;
  if (later.isFunction && first.isFunction)
    return differs & STO_CUDA_ENTRY ? Agreement::OtherKind : Agreement::Agree;
  if (later.isVariable && first.isVariable && !(differs & STO_CUDA_SPACE_MASK))
    return Agreement::Agree;
  return Agreement::OtherSpace;
}

/// A strong definition beats weak ones. Among weak ones the one with fewer
/// registers wins, then the one for the higher virtual architecture, then the
/// first.
static Resolution chooseFunction(const FunctionDefinition &inForce,
                                 const FunctionDefinition &later) {
  if (inForce.binding == STB_WEAK && later.binding == STB_GLOBAL)
    return Resolution::Replace;
  if (inForce.binding == STB_GLOBAL)
    return later.binding == STB_WEAK ? Resolution::Keep : Resolution::Duplicate;
  const bool isBetter = later.registers != inForce.registers
                            ? later.registers < inForce.registers
                            : later.virtualArch > inForce.virtualArch;
  return isBetter ? Resolution::Replace : Resolution::Keep;
}

Resolution resolveFunctions(const FunctionDefinition &inForce,
                            const FunctionDefinition &later) {
  const Resolution result = chooseFunction(inForce, later);
  // nvlink overwrites the code that a weak alias stands for.
  if (result == Resolution::Replace && (inForce.isAlias || later.isAlias))
    return Resolution::Duplicate;
  return result;
}

/// An initialised definition must be at least as large as a common of its name;
/// two commons may differ, and 0 says nothing.
SizeErrors compareSizes(const VariableFacts &inForce,
                        const VariableFacts &later, bool zeroDefinesCommon) {
  auto isPair = [](const VariableFacts &common, const VariableFacts &other) {
    return common.storage == VariableStorage::Common &&
           other.storage == VariableStorage::Initialised;
  };
  SizeErrors errors;
  if (inForce.storage == VariableStorage::Common &&
      later.storage == VariableStorage::Common)
    return errors;
  if (isPair(inForce, later)) {
    errors.commonIsLarger = inForce.size > later.size;
    return errors;
  }
  if (isPair(later, inForce)) {
    errors.commonIsLarger = later.size > inForce.size;
    return errors;
  }
  errors.differ = inForce.size && later.size && inForce.size != later.size;
  errors.commonIsLarger =
      zeroDefinesCommon && inForce.storage == VariableStorage::Common &&
      later.storage == VariableStorage::Zeroed && inForce.size > later.size;
  return errors;
}

/// A common comes after what is in force.
static Resolution addCommon(const VariableFacts &inForce) {
  switch (inForce.storage) {
  case VariableStorage::Undefined:
  case VariableStorage::FormalArray:
    return Resolution::Define;
  case VariableStorage::Common:
    return Resolution::EnlargeCommon;
  case VariableStorage::Zeroed:
    return inForce.binding == STB_GLOBAL ? Resolution::Duplicate
                                         : Resolution::PlaceBoth;
  case VariableStorage::Elsewhere: // In another memory space.
    return inForce.binding == STB_GLOBAL ? Resolution::Duplicate
                                         : Resolution::Keep;
  case VariableStorage::Initialised:
    break;
  }
  return Resolution::Keep;
}

/// A definition with a place of its own comes after a common.
static Resolution defineCommon(const VariableFacts &later) {
  if (later.storage != VariableStorage::Zeroed)
    return Resolution::ReplaceCommon;
  return later.binding == STB_GLOBAL ? Resolution::PlaceBoth : Resolution::Keep;
}

/// Among definitions of variables a strong one beats weak ones, and of weak
/// ones the first stays [weak-variables].
Resolution resolveVariables(const VariableFacts &inForce,
                            const VariableFacts &later) {
  if (later.storage == VariableStorage::Undefined ||
      later.storage == VariableStorage::FormalArray)
    return Resolution::Keep;
  if (later.storage == VariableStorage::Common)
    return addCommon(inForce);
  if (inForce.storage == VariableStorage::Undefined)
    return Resolution::Define;
  if (inForce.storage == VariableStorage::Common)
    return defineCommon(later);
  if (inForce.binding == STB_WEAK && later.binding == STB_GLOBAL)
    return Resolution::Replace;
  // [relocation-in-lost-variable]
  if (inForce.binding == STB_WEAK &&
      later.storage == VariableStorage::Initialised)
    return Resolution::KeepAndForget;
  return inForce.binding == STB_GLOBAL && later.binding == STB_GLOBAL
             ? Resolution::Duplicate
             : Resolution::Keep;
}

Resolution resolveBitcode(const BitcodeFacts &known, BitcodeRank later) {
  const bool isStrong = later == BitcodeRank::Strong;
  if (isStrong &&
      (known.strongInCubin || known.prevailing == BitcodeRank::Strong))
    return Resolution::Duplicate;
  if ((known.definedByCubin && !isStrong) || later >= known.prevailing)
    return Resolution::Keep;
  return known.prevailing == BitcodeRank::None ? Resolution::Define
                                               : Resolution::Replace;
}

} // namespace lld::cuda
