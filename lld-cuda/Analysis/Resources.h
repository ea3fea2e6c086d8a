//===- Resources.h - What kernels inherit from their callees ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The resources of functions, read from their .nv.info records, and those of
/// kernels: registers, stack, barriers and so on of everything a kernel
/// reaches [resources-inherited].
///
/// Single-kernel mode: with exactly one counted kernel nvlink doesn't look at
/// reachability for most attributes; all reachable functions count for it.
/// Register counts and stack sizes always use the call graph.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_ANALYSIS_RESOURCES_H
#define LLD_CUDA_ANALYSIS_RESOURCES_H

#include "Symbols.h"
#include <array>
#include <optional>
#include <vector>

namespace lld::cuda {

struct Inputs;
struct Numbered;
struct Program;

/// Attributes without a value that a kernel gets from any function it reaches.
constexpr std::array<uint8_t, 6> FlagAttributes = {
    elf::EIATTR_CTAIDZ_USED,       elf::EIATTR_RESERVED_SMEM_USED,
    elf::EIATTR_TCGEN05_1CTA_USED, elf::EIATTR_TCGEN05_2CTA_USED,
    elf::EIATTR_REG_RECONFIG,      elf::EIATTR_CLUSTER_LAUNCH_CONTROL_USED};

/// All attributes that the linker may add to a kernel, in the order in which
/// single-kernel mode does [attribute-created-order].
constexpr std::array<uint8_t, 15> CreatedAttributes = {
    elf::EIATTR_CRS_STACK_SIZE,
    elf::EIATTR_SPARSE_MMA_MASK,
    elf::EIATTR_CTAIDZ_USED,
    elf::EIATTR_RESERVED_SMEM_USED,
    elf::EIATTR_VRC_CTA_INIT_COUNT,
    elf::EIATTR_TCGEN05_1CTA_USED,
    elf::EIATTR_TCGEN05_2CTA_USED,
    elf::EIATTR_NUM_BARRIERS,
    elf::EIATTR_REG_RECONFIG,
    elf::EIATTR_NUM_MBARRIERS,
    elf::EIATTR_EXTERNS,
    elf::EIATTR_AT_ENTRY_FRAGMENTS,
    elf::EIATTR_CLUSTER_LAUNCH_CONTROL_USED,
    elf::EIATTR_LANGUAGE,
    elf::EIATTR_GRID_ATTRIBUTES};
constexpr unsigned CreatedCount = CreatedAttributes.size();

/// By code: a position in one of these lists, or -1.
using AttributePositions = std::array<int8_t, 256>;
template <size_t N>
constexpr AttributePositions positionsOf(const std::array<uint8_t, N> &codes) {
  AttributePositions result{};
  for (int8_t &position : result)
    position = -1;
  for (size_t i = 0; i != N; ++i)
    result[codes[i]] = i;
  return result;
}
constexpr AttributePositions CreatedPositions = positionsOf(CreatedAttributes);
constexpr AttributePositions FlagPositions = positionsOf(FlagAttributes);

/// Position of a code in CreatedAttributes, or -1.
constexpr int createdIndex(uint8_t code) { return CreatedPositions[code]; }

/// What a function needs itself, by its own records, without its callees.
struct FunctionResources {
  std::optional<uint32_t> registers;
  uint32_t frameSize = 0;
  uint8_t flags = 0; ///< Bit i: FlagAttributes[i].
  std::optional<uint8_t> barriers, vrcInitCount;
  uint8_t flagBarriers = 0; ///< From sh_flags of .text (older toolkits).
  std::optional<uint16_t> mbarriers, sparseMask;
  /// Lacks the mask itself, or on behalf of a reachable alias [sparse-mask].
  bool lacksSparseMask = false;
  uint32_t crsStackSize = 0;
  std::optional<uint16_t> maxRegisters;
  llvm::ArrayRef<uint8_t> fragments, languages; ///< Payloads.
  uint16_t gridAttributes = 0;
  bool usesPreexit = false; ///< The code has that instruction.
  std::vector<Symbol *> externs;
  /// Reading position of the first record of each created attribute.
  std::array<uint32_t, CreatedCount> firstRecord;

  FunctionResources() { firstRecord.fill(~0u); }
};

/// A kernel's resources in the linked image.
struct KernelResources {
  uint32_t registers = 0;
  uint32_t minStackSize = 0;
  /// Values of attributes with a number, by position in CreatedAttributes;
  /// flags have the value 0.
  std::array<std::optional<uint32_t>, CreatedCount> values;
  std::vector<Symbol *> externs;
  std::vector<Symbol *> nativeCallees; ///< Native view: behind `externs`.
  std::vector<uint32_t> fragments, languages;
  /// The kernel's own record goes, a new one is appended.
  bool newExterns = false, newFragments = false, newLanguages = false;
  /// The kernel or a function that it reaches has a record NUM_BARRIERS.
  bool reachesBarrierRecord = false;
  bool usesPreexit = false; ///< Itself or by what it calls directly.
  /// Positions in CreatedAttributes, in the order of creation.
  llvm::SmallVector<uint8_t, CreatedCount> createdOrder;
};

struct Resources {
  View view = View::Native;                 ///< Whose records are looked at.
  std::vector<FunctionResources> functions; ///< By Function::ordinal.
  std::vector<Function *> kernels;          ///< Creation order.
  std::vector<KernelResources> ofKernel;    ///< By position in `kernels`.
  std::vector<int32_t> kernelIndex;         ///< By ordinal; -1: not a kernel.
  bool singleKernel = false;
  /// Bit i: some reachable function has CreatedAttributes[i].
  uint32_t seen = 0;

  bool sees(uint8_t code) const { return seen >> createdIndex(code) & 1; }

  FunctionResources &of(const Function &f) { return functions[f.ordinal]; }
  const FunctionResources &of(const Function &f) const {
    return functions[f.ordinal];
  }
  KernelResources *kernelOf(const Function &f) {
    int32_t i = kernelIndex[f.ordinal];
    return i < 0 ? nullptr : &ofKernel[i];
  }
  const KernelResources *kernelOf(const Function &f) const {
    return const_cast<Resources *>(this)->kernelOf(f);
  }
};

/// True for functions that EXTERNS goes on naming: undefined ones, and kernels,
/// which are named when their address is taken for a launch [extern-records].
bool staysExternal(const Symbol &s);

/// The records in force: without those of replaced definitions.
void dropOutdatedRecords(Program &program);

/// Collects and propagates; fatal "no regcount?" for kernels without a count.
void propagateResources(const Inputs &inputs, Program &program,
                        Resources &resources);

/// Kernels limited to fewer registers than a function they call
/// [register-limit]. Needs final section and symbol numbers.
void checkRegisterLimits(const Inputs &inputs, Program &program,
                         Resources &resources);

/// Kernels that mix the two granularities of tensor memory.
void checkCtaGroups(const Inputs &inputs, Resources &resources);

/// Counts of barriers in the flags of code, which become attributes.
/// NvInfoOutput.cpp.
void moveBarrierCounts(const Inputs &inputs, Program &program,
                       Resources &resources);

/// What calls of native callees add: the call graph's edges; what kernels have
/// of all that they reach, and their stacks. PropagateNativeCallees.cpp.
void propagateNativeCallees(const Inputs &inputs, const Program &program,
                            const Numbered &numbered, Resources &native,
                            const Resources &mercury);

/// Which functions and kernels launch dependent grids, in the native view.
/// NvInfoOutput.cpp.
void propagatePreexits(const Inputs &inputs, const Program &program,
                       Resources &resources);

/// Contents of .nv.info and .nv.info.<function> [attribute-order],
/// [attribute-created-order]. `resources` is not used with -r.
void writeNvInfo(const Inputs &inputs, const Program &program,
                 Resources &resources);

} // namespace lld::cuda

#endif
