//===- BuiltLink.h - A link without inputs, for tests -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The state of a link between the merge and a pass, put together without
/// inputs. The tests of layout passes and resources in this folder make one, so
/// that they can call one pass and examine its result:
///
///   BuiltLink link("sm_80");
///   Function &k = link.kernel("k"), &f = link.function("f");
///   link.call(k, f);
///   Variable &v = link.shared("v", 64, 16, {&f});
///   link.layOutShared();
///   EXPECT_EQ(v.address, 0u);
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_UNITTESTS_LINKER_BUILTLINK_H
#define LLD_CUDA_UNITTESTS_LINKER_BUILTLINK_H

#include "Ctx.h"
#include "Passes.h"
#include "gtest/gtest.h"

namespace lld::cuda::test {

/// A link without inputs. Messages are in `messages`.
struct BuiltLink {
  explicit BuiltLink(llvm::StringRef architecture = "sm_80") {
    config.arch = *elf::parseArchitecture(architecture.split('_').second);
    config.explain = false;
    ctx.inputs.diag.recordTo(messages);
  }

  /// Makes it a link with -r and, if `exact`, --nvlink-compat.
  void makeRelocatable(bool exact = false) {
    config.relocatable = true;
    setRules(exact);
  }
  void setRules(bool exact, llvm::StringRef release = "13.0.88") {
    RuleRequest request;
    request.relocatable = config.relocatable;
    request.exact = exact;
    for (const Release &r : releases())
      if (r.name == release)
        request.release = &r;
    EXPECT_EQ(request.release->name, release);
    ReleaseChoice choice;
    choice.request = request;
    ctx.inputs.settled = LinkRelease(choice);
  }

  // Functions.

  /// Adds a device function that is defined.
  Function &function(llvm::StringRef name) {
    Function &f = declare(name);
    f.defined = true;
    f.text = section(elf::SectionKind::Code, ".text.", f);
    f.section = f.text;
    return f;
  }
  Function &kernel(llvm::StringRef name) {
    Function &f = function(name);
    f.other |= elf::STO_CUDA_ENTRY;
    f.isCounted = true;
    return f;
  }
  /// Adds a device function that is defined nowhere.
  Function &declare(llvm::StringRef name) {
    Function &f = ctx.program.functions.emplace_back(
        name, elf::STB_GLOBAL, unsigned(ctx.program.functions.size()));
    ctx.program.globals.push_back(&f);
    return f;
  }
  void call(Function &caller, Function &callee) {
    caller.callees.push_back(ctx.inputs.memory.arena, &callee);
  }
  OutputSection *section(elf::SectionKind kind, llvm::StringRef prefix,
                         Function &owner) {
    return createSection(ctx.inputs, ctx.program, kind,
                         ctx.inputs.memory.strings.save(prefix + owner.name),
                         &owner);
  }

  // Variables.

  Variable &variable(llvm::StringRef name, uint64_t size, uint64_t align,
                     uint8_t space, uint8_t type = elf::STT_CUDA_OBJECT) {
    Variable &v =
        ctx.program.variables.emplace_back(name, elf::STB_GLOBAL, type, space);
    v.size = size;
    v.alignment = align;
    v.defined = true;
    ctx.program.globals.push_back(&v);
    return v;
  }
  /// Adds a shared variable at module level, to which the code of `users`
  /// refers.
  Variable &shared(llvm::StringRef name, uint64_t size, uint64_t align,
                   std::initializer_list<Function *> users) {
    Variable &v = variable(name, size, align, elf::STO_CUDA_SHARED);
    v.section = getDebugShared(ctx.inputs, ctx.program, align);
    v.section->contributed = true;
    ctx.program.sharedList.push_back({&v, size, align});
    for (Function *f : users)
      f->sharedUses.push_back(&v);
    return v;
  }
  /// Adds a shared variable that only one kernel has.
  Variable &ownShared(llvm::StringRef name, uint64_t size, uint64_t align,
                      Function &kernel) {
    Variable &v = variable(name, size, align, elf::STO_CUDA_SHARED);
    if (!kernel.shared)
      kernel.shared = createSharedSection(ctx.inputs, ctx.program, kernel);
    kernel.shared->contributed = true;
    kernel.shared->align = std::max(kernel.shared->align, align);
    v.section = kernel.shared;
    kernel.ownShared.push_back(&v);
    return v;
  }
  /// Adds an extern __shared__ array. `alignment` is the value of its symbol, 0
  /// from compilers that don't give it.
  Variable &array(llvm::StringRef name, std::initializer_list<Function *> users,
                  uint64_t alignment = 0) {
    Variable &v = variable(name, 0, 16, elf::STO_CUDA_SHARED);
    v.defined = false;
    v.value = alignment;
    ctx.program.sharedList.push_back({&v, 0, 16});
    ctx.program.anyDynamicShared = true;
    for (Function *f : users)
      f->sharedUses.push_back(&v);
    return v;
  }

  /// Returns `count` bytes, each with that value.
  llvm::ArrayRef<uint8_t> bytes(size_t count, char value) {
    return ctx.inputs.memory.save(std::vector<char>(count, value));
  }

  /// Builds the call graph and runs layoutShared().

  void layOutShared() {
    ctx.program.callGraph.build(ctx.program);
    layoutShared(ctx.inputs, ctx.program);
  }

  /// Returns the ids of the messages, in order.
  std::vector<DiagId> ids() const {
    std::vector<DiagId> result;
    for (const Diagnostic &d : messages)
      result.push_back(d.id);
    return result;
  }

  LinkJob job{llvm::nulls(), llvm::nulls()};
  Config &config = job.config;
  Ctx ctx{job};
  std::vector<Diagnostic> messages;
};

} // namespace lld::cuda::test

#endif
