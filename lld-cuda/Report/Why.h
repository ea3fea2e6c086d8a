//===- Why.h - Where what is in a link comes from ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Why a kernel needs its stack, registers, barriers and shared memory, and why
/// a symbol is in the output: paths of calls with what each step adds. Nothing
/// is printed here, and nothing is computed before it is asked for. To be used
/// once resources are propagated; WhyReport.cpp makes text of it.
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
    IndirectCall, ///< Perhaps: through a pointer of the callee's type.
    AddressTaken, ///< The "caller" takes the address of the "callee".
  };
  const Function *caller, *callee;
  Kind kind = Call;
  llvm::StringRef prototype; ///< IndirectCall.
};
using WhyPath = std::vector<WhyStep>;

/// Why a kernel needs its stack.
struct WhyStack {
  std::optional<uint64_t> size; ///< Nothing: not known.
  /// The calls that need the most, or lead to the nearest recursion.
  WhyPath path;
  WhyPath cycle; ///< From the path's last function to itself.
};

/// Which function's number became a kernel's.
struct WhyOrigin {
  uint32_t total = 0, own = 0;
  const Function *origin = nullptr; ///< The kernel itself, perhaps.
  WhyPath path;                     ///< From the kernel to `origin`.
  /// The kernel is the only one and `origin` is counted though the kernel
  /// doesn't call it [resources-inherited].
  bool isUnreached = false;
  /// A function sets the count itself: callees don't raise it
  /// [register-reconfiguration].
  bool isReconfigured = false;
};

/// What lies in a kernel's shared memory.
struct WhyShared {
  struct Part {
    uint64_t offset, size;
    const Variable *variable; ///< Null: nothing of this kernel's.
    const Function *user;     ///< The nearest function that uses it, or null.
    WhyPath path;             ///< To the user.
  };
  uint64_t size = 0, reserved = 0; ///< The size counts the reserved part.
  std::vector<Part> parts;         ///< By offset.
  std::optional<uint64_t> dynamicOffset;
};

/// Who takes a function's address.
struct WhyTaker {
  const Function *function = nullptr; ///< Or a variable's initializer does.
  llvm::StringRef variable;           ///< Its name, or its section's.
  const ObjectFile *file;
};

/// Why a function is in the output, or isn't.
struct WhyLive {
  enum Reason : uint8_t {
    Kernel,
    Reached,      ///< A kernel calls it, by `path`.
    AddressTaken, ///< By `takers`.
    Asked,        ///< -u, --require-defined
    KeepsAll,     ///< Nothing is left out of this link.
    LeftOut,
    Undefined,
  };
  Reason reason = LeftOut;
  WhyPath path;
  std::vector<WhyTaker> takers;
  std::vector<const Function *> callers; ///< LeftOut: who calls it.
};

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
  /// Functions and initializers that take an address.
  std::vector<WhyTaker> takers(const Function &function);
  /// All functions that use a variable in shared memory.
  std::vector<const Function *> users(const Variable &variable);

  uint64_t frameSize(const Function &f) { return resources.of(f).frameSize; }
  uint32_t ownRegisters(const Function &f) {
    return resources.of(f).registers.value_or(0);
  }
  uint32_t ownBarriers(const Function &f) {
    const FunctionResources &own = resources.of(f);
    return std::max<uint32_t>(own.barriers.value_or(0), own.flagBarriers);
  }
  /// Where a function begins in the source.
  std::optional<SourceLine> definition(const Function &f) {
    return places.definition(f);
  }
  /// Where the caller's code names the callee, or, of an indirect call, all
  /// places where it may be made.
  std::vector<SourceLine> linesOf(const WhyStep &step);

  /// The fewest calls from one function to another one for which `isGoal`
  /// holds. `takes`: also from functions that take an address.
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
  std::vector<Depth> depths; ///< By component.
};

/// --why-live, --why-stack and so on. WhyReport.cpp.
void reportWhy(const Inputs &inputs, Program &program, Resources &resources);

} // namespace lld::cuda

#endif
