//===- Why.h - Why something is in a link -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A class that finds out why a kernel needs its stack, registers, barriers and
/// shared memory, and why a symbol is in the output, as paths of calls.
/// WhyReport.cpp asks it for --why-live, --why-stack and so on, and
/// ResourceBudget.cpp for explanations of errors of --budget. Both do so after
/// resources have been propagated over the call graph and before the output is
/// written. It prints nothing and computes nothing before it is asked.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_REPORT_WHY_H
#define LLD_CUDA_REPORT_WHY_H

#include "Analysis/Resources.h"
#include "Explain/SourcePlaces.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lld::cuda {

/// How one function leads to another.
struct WhyStep {
  enum Kind : uint8_t {
    Call,
    IndirectCall, ///< A possible call, through a pointer of the callee's type.
    AddressTaken, ///< The "caller" takes the address of the "callee".
  };
  const Function *caller, *callee;
  Kind kind = Call;
  llvm::StringRef prototype; ///< The callee's type, for IndirectCall.
};
using WhyPath = std::vector<WhyStep>;

/// Why a kernel needs its stack.
struct WhyStack {
  std::optional<uint64_t> size; ///< In bytes; nullopt if it can't be known.
  /// The calls that need the most stack, or that lead to the nearest recursion.
  WhyPath path;
  WhyPath cycle; ///< The recursion: from the path's last function to itself.
};

/// Which function's count, of registers or barriers, the kernel's count is.
struct WhyOrigin {
  uint32_t total = 0, own = 0;
  const Function *origin = nullptr; ///< May be the kernel itself.
  WhyPath path;                     ///< From the kernel to `origin`.
  /// The kernel is the only one and `origin` is counted though the kernel
  /// doesn't call it (rule [resources-inherited] of docs/reference).
  bool isUnreached = false;
  /// The function sets its register count at run time, so that callees don't
  /// raise it [register-reconfiguration].
  bool isReconfigured = false;
};

/// What lies in a kernel's shared memory.
struct WhyShared {
  struct Part {
    uint64_t offset, size;
    const Variable *variable; ///< Null if no variable of the kernel is there.
    const Function *user;     ///< The nearest function that uses it, or null.
    WhyPath path;             ///< From the kernel to `user`.
  };
  uint64_t size = 0, reserved = 0; ///< In bytes; `size` includes `reserved`.
  std::vector<Part> parts;         ///< Sorted by offset.
  std::optional<uint64_t> dynamicOffset;
};

/// Who takes a function's address.
struct WhyTaker {
  const Function *function = nullptr; ///< Null for a variable's initializer.
  llvm::StringRef variable;           ///< The variable's or section's name.
  const ObjectFile *file;
};

/// Why a function is in the output, or isn't.
struct WhyLive {
  enum Reason : uint8_t {
    Kernel,
    Reached,      ///< A kernel calls it, along `path`.
    AddressTaken, ///< `takers` take its address.
    Asked,        ///< -u or --require-defined names it.
    KeepsAll,     ///< This link keeps all functions.
    LeftOut,
    Undefined,
  };
  Reason reason = LeftOut;
  WhyPath path;
  std::vector<WhyTaker> takers;
  std::vector<const Function *> callers; ///< Its callers, for LeftOut.
};

/// Answers questions about one link, to which it refers.
class Why {
public:
  Why(const Inputs &inputs, Program &program, Resources &resources)
      : inputs(inputs), program(program), resources(resources),
        places(SourcePlaces::of(inputs, program)) {}

  WhyStack stack(const Function &kernel);
  WhyOrigin registers(const Function &kernel);
  WhyOrigin barriers(const Function &kernel);
  WhyShared shared(const Function &kernel);
  WhyLive live(const Function &function);
  /// Returns the functions and initializers that take a function's address.
  std::vector<WhyTaker> takers(const Function &function);
  /// Returns all functions that use a variable in shared memory.
  std::vector<const Function *> users(const Variable &variable);

  uint64_t frameSize(const Function &f) { return resources.of(f).frameSize; }
  uint32_t ownRegisters(const Function &f) {
    return resources.of(f).registers.value_or(0);
  }
  uint32_t ownBarriers(const Function &f) {
    const FunctionResources &own = resources.of(f);
    return std::max<uint32_t>(own.barriers.value_or(0), own.flagBarriers);
  }
  /// Returns where a function begins in the source, or nullopt without line
  /// tables.
  std::optional<SourceLine> definition(const Function &f) {
    return places.definition(f);
  }
  /// Returns the source lines at which the caller refers to the callee or, for
  /// an indirect call, all lines at which it may be made.
  std::vector<SourceLine> linesOf(const WhyStep &step);

  /// Returns the shortest path from one of the functions `from` to one for
  /// which `isGoal` holds. With `takes` a step may also lead from a function to
  /// one whose address it takes.
  WhyPath findPath(llvm::ArrayRef<const Function *> from,
                   llvm::function_ref<bool(const Function &)> isGoal,
                   bool takes = false);

private:
  struct Depth {
    uint64_t bytes = 0;
    int64_t next = -1; ///< Component of the callee that needs the most.
  };
  void measureDepths();
  WhyPath findCycle(const Function &f);
  bool isRecursive(const Function &f) const;
  WhyStep step(const Function &caller, const Function &callee) const;

  const Inputs &inputs;
  Program &program;
  Resources &resources;
  SourcePlaces &places;
  std::vector<Depth> depths; ///< Indexed by component of the call graph.
};

/// Prints what --why-live, --why-stack and so on ask for. WhyReport.cpp.
void reportWhy(const Inputs &inputs, Program &program, Resources &resources);

} // namespace lld::cuda

#endif
