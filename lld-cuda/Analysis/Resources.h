//===- Resources.h - Resources of functions and kernels ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The analysis of what functions and kernels need: registers, stack, barriers
/// and so on. A function's resources are read from its .nv.info records; a
/// kernel's are those of all functions that it reaches (rule
/// [resources-inherited] of docs/reference).
///
/// Link.cpp calls these passes once the sections and symbols of the output have
/// their numbers: first the analysis, once for each view (see docs/reference/
/// mercury.md: from sm_100 on a cubin has native code and its Mercury form),
/// then, after the reports (Report/), writeNvInfo(). --check
/// (Check/Records.cpp) compares the output with the results.
///
/// In single-kernel mode, with exactly one counted kernel, nvlink ignores the
/// call graph for most attributes: the kernel gets those of all reachable
/// functions. Register counts and stack sizes always use the call graph.
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

/// All attributes that the linker may add to a kernel, in the order in which it
/// adds them in single-kernel mode [attribute-created-order].
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

/// Positions in one of these lists, indexed by attribute code; -1 for codes
/// that aren't in the list.
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

/// Returns the position of an attribute code in CreatedAttributes, or -1.
constexpr int createdIndex(uint8_t code) { return CreatedPositions[code]; }

/// What a function needs itself, by its own records, without its callees. An
/// empty optional means that there is no such record.
struct FunctionResources {
  std::optional<uint32_t> registers;
  uint32_t frameSize = 0;
  uint8_t flags = 0; ///< Bit i is set if there is FlagAttributes[i].
  std::optional<uint8_t> barriers, vrcInitCount;
  uint8_t flagBarriers = 0; ///< Read from sh_flags of .text (older toolkits).
  std::optional<uint16_t> mbarriers, sparseMask;
  /// The function, or a reachable alias of it, lacks the mask [sparse-mask].
  bool lacksSparseMask = false;
  uint32_t crsStackSize = 0;
  std::optional<uint16_t> maxRegisters;
  llvm::ArrayRef<uint8_t> fragments, languages; ///< Payloads.
  uint16_t gridAttributes = 0;
  bool usesPreexit = false; ///< The code contains a PREEXIT instruction.
  std::vector<Symbol *> externs;
  /// The reading position (InfoRecord::sequence) of the first record of each of
  /// CreatedAttributes; ~0u if there is none.
  std::array<uint32_t, CreatedCount> firstRecord;

  FunctionResources() { firstRecord.fill(~0u); }
  /// Returns whether only the section's flags count its barriers.
  bool takesBarriersFromFlags() const { return flagBarriers && !barriers; }
};

/// A list of created attributes, as positions in CreatedAttributes, in the
/// order of their creation; each is in it at most once.
class CreatedOrder {
public:
  void push_back(uint8_t position) { list[count++] = position; }
  size_t size() const { return count; }
  uint8_t operator[](size_t i) const { return list[i]; }
  const uint8_t *begin() const { return list.data(); }
  const uint8_t *end() const { return list.data() + count; }
  uint8_t *begin() { return list.data(); }
  uint8_t *end() { return list.data() + count; }

private:
  std::array<uint8_t, CreatedCount> list;
  uint8_t count = 0;
};

/// A kernel's resources in the linked image.
struct KernelResources {
  uint32_t registers = 0;
  uint32_t minStackSize = 0;
  /// Values of attributes that are numbers, indexed by position in
  /// CreatedAttributes; a flag that is set has the value 0.
  std::array<std::optional<uint32_t>, CreatedCount> values;
  llvm::SmallVector<Symbol *, 1> externs;
  /// In the native view: written to the record EXTERNS after `externs`.
  std::vector<Symbol *> nativeCallees;
  llvm::SmallVector<uint32_t, 1> fragments, languages;
  /// The kernel's own record is left out, and a new one is appended.
  bool newExterns = false, newFragments = false, newLanguages = false;
  /// The kernel or a function that it reaches has a record NUM_BARRIERS.
  bool reachesBarrierRecord = false;
  /// The kernel or a function that it calls directly has a PREEXIT instruction.
  bool usesPreexit = false;
  CreatedOrder createdOrder;
};

/// The results of the analysis for one view.
struct Resources {
  View view = View::Native; ///< The view whose records are read.
  std::vector<FunctionResources> functions; ///< Indexed by Function::ordinal.
  std::vector<Function *> kernels;          ///< In the order of creation.
  std::vector<KernelResources> ofKernel;    ///< Parallel to `kernels`.
  /// Positions in `kernels`, indexed by Function::ordinal; -1 if the function
  /// isn't a kernel.
  std::vector<int32_t> kernelIndex;
  bool singleKernel = false; ///< There is exactly one [single-kernel-mode].
  /// Bit i is set if a reachable function has CreatedAttributes[i].
  uint32_t seen = 0;

  bool sees(uint8_t code) const { return seen >> createdIndex(code) & 1; }

  // Ordinals are the link's own numbers, so the lists are read without the
  // assertions of std::vector ("Hardening" in docs/performance.md).
  FunctionResources &of(const Function &f) {
    return llvm::MutableArrayRef(functions)[f.ordinal];
  }
  const FunctionResources &of(const Function &f) const {
    return llvm::ArrayRef(functions)[f.ordinal];
  }
  KernelResources *kernelOf(const Function &f) {
    const int32_t i = llvm::ArrayRef(kernelIndex)[f.ordinal];
    return i < 0 ? nullptr : &llvm::MutableArrayRef(ofKernel)[i];
  }
  const KernelResources *kernelOf(const Function &f) const {
    return const_cast<Resources *>(this)->kernelOf(f);
  }
};

/// Returns whether the record EXTERNS still names this function in the output:
/// it is undefined, or a kernel, which is named if its address is taken for a
/// launch [extern-records].
bool staysExternal(const Symbol &s);

/// Removes the records that describe definitions which another one replaced.
void dropOutdatedRecords(const Inputs &inputs, Program &program);

/// Collects the functions' resources and propagates them to kernels. Reports
/// the fatal error "no regcount?" for kernels without a register count.
void propagateResources(const Inputs &inputs, Program &program,
                        Resources &resources);

/// Gives the native view's kernels no less stack than the Mercury view's: a
/// link with -r writes the native frames of inner functions wrong
/// [inner-functions-mercury]. Native callees may need more.
void takeMercuryStacks(Resources &native, const Resources &mercury);

/// Reports kernels that are limited to fewer registers than a function needs
/// that they call [register-limit]. Sections and symbols must have their final
/// numbers.
void checkRegisterLimits(const Inputs &inputs, Program &program,
                         Resources &resources);

/// Reports kernels that mix the two granularities of tensor memory.
void checkCtaGroups(const Inputs &inputs, Resources &resources);

/// Turns the counts of barriers in the flags of code sections into attributes.
/// Defined in SectionHeaders.cpp.
void moveBarrierCounts(const Inputs &inputs, Program &program,
                       Resources &resources);

/// Adds the effects of calls of native callees: edges of the call graph, what
/// kernels get from all functions that they reach, and the kernels' stacks.
/// Defined in PropagateNativeCallees.cpp.
void propagateNativeCallees(const Inputs &inputs, const Program &program,
                            const Numbered &numbered, Resources &native,
                            const Resources &mercury);

/// Finds the functions and kernels of the native view that launch dependent
/// grids (usesPreexit). Defined in NvInfoOutput.cpp.
void propagatePreexits(const Inputs &inputs, const Program &program,
                       Resources &resources);

/// Writes the contents of .nv.info and .nv.info.<function> [attribute-order],
/// [attribute-created-order]. `resources` is not used with -r.
void writeNvInfo(const Inputs &inputs, const Program &program,
                 Resources &resources);

} // namespace lld::cuda

#endif
