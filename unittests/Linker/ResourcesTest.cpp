//===- ResourcesTest.cpp - What kernels inherit ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expectations are the rules of docs/reference/resources.md whose anchors
/// stand above the tests.
///
//===----------------------------------------------------------------------===//

#include "Analysis/Resources.h"
#include "BuiltLink.h"
#include "Input/ObjectFile.h"
#include "Object/CubinTestUtils.h"

using namespace lld::cuda;
using namespace lld::cuda::elf;
using lld::cuda::test::BuiltLink;

namespace {

/// Functions with attributes, as if they were read from one object.
struct ResourceLink : BuiltLink {
  ResourceLink() : file(cantFail(cubin.read())) {
    object = &ctx.program.objects.emplace_back(file, facts, "object", 0,
                                               ctx.inputs.memory.arena);
    object->symbols = {};
  }

  NvInfoRecord payload(uint8_t code, llvm::ArrayRef<uint32_t> words) {
    std::vector<char> text;
    for (uint32_t word : words)
      for (unsigned i = 0; i != 4; ++i)
        text.push_back(word >> 8 * i);
    return {EIFMT_SVAL, code, uint16_t(text.size()),
            ctx.inputs.memory.save(text)};
  }
  uint32_t numberOf(Symbol &s) {
    symbols.push_back(&s);
    object->symbols = symbols;
    return symbols.size() - 1;
  }
  /// A record of .nv.info that is about the function.
  void addGlobal(Function &f, uint8_t code, uint32_t value) {
    addGlobal(payload(code, {numberOf(f), value}), *object);
  }
  void addGlobal(const NvInfoRecord &record, ObjectFile &file) {
    llvm::SmallVector<char, 0> bytes;
    writeNvInfoRecord(record, bytes);
    ctx.program.globalInfoRecords[unsigned(View::Native)].add(
        ctx.inputs.memory.arena, ctx.inputs.memory.save(bytes), &file,
        sequence++);
  }
  /// A record of .nv.info.F.
  void add(Function &f, const NvInfoRecord &record) {
    llvm::SmallVector<char, 0> bytes;
    writeNvInfoRecord(record, bytes);
    f.infoRecords[unsigned(View::Native)].add(ctx.inputs.memory.arena,
                                              ctx.inputs.memory.save(bytes),
                                              object, sequence++);
  }
  void add(Function &f, uint8_t code, uint16_t value = 0) {
    add(f, NvInfoRecord{EIFMT_HVAL, code, value, {}});
  }

  Function &kernelWith(llvm::StringRef name, uint32_t registers = 8) {
    Function &k = kernel(name);
    addGlobal(k, EIATTR_REGCOUNT, registers);
    return k;
  }
  Function &functionWith(llvm::StringRef name, uint32_t registers = 8) {
    Function &f = function(name);
    addGlobal(f, EIATTR_REGCOUNT, registers);
    return f;
  }

  void propagate() {
    ctx.program.callGraph.build(ctx.program);
    markReachable(ctx.inputs, ctx.program);
    dropOutdatedRecords(ctx.inputs, ctx.program);
    propagateResources(ctx.inputs, ctx.program, resources);
  }
  const KernelResources &of(const Function &kernel) {
    return *resources.kernelOf(kernel);
  }
  std::optional<uint32_t> valueOf(const Function &kernel, uint8_t code) {
    return of(kernel).values[createdIndex(code)];
  }

  test::SmallCubin cubin;
  CubinFile file;
  const ObjectFacts facts; ///< No section has an owner.
  ObjectFile *object;
  std::vector<Symbol *> symbols; ///< The object's.
  uint32_t sequence = 0;
  Resources resources;
};

/// Two kernels, the first of which reaches a function through another one.
struct Chain : ResourceLink {
  Function &k = kernelWith("k"), &other = kernelWith("other"),
           &middle = functionWith("middle"), &leaf = functionWith("leaf");
  Chain() {
    call(k, middle);
    call(middle, leaf);
  }
};

/// One kernel, a function that it calls, and one that stays for its address.
struct Single : ResourceLink {
  Function &k = kernelWith("k"), &callee = functionWith("callee"),
           &taken = functionWith("taken");
  Single() {
    call(k, callee);
    taken.addressTaken = true;
  }
};

constexpr auto None = std::optional<uint32_t>();

// [resources-inherited]
TEST(Resources, RegistersAreTheMaximumOfWhatAKernelReaches) {
  ResourceLink link;
  Function &k = link.kernelWith("k", 10), &large = link.kernelWith("large", 99);
  Function &f = link.functionWith("f", 20), &g = link.functionWith("g", 40);
  link.call(k, f);
  link.call(f, g);
  link.call(large, f);
  link.propagate();
  EXPECT_EQ(link.of(k).registers, 40u);
  EXPECT_EQ(link.of(large).registers, 99u);
  EXPECT_EQ(link.resources.of(f).registers, 20u)
      << "device functions keep their own";
}

// [resources-inherited]: an indirect call reaches all functions of its
// prototype whose address is taken.
TEST(Resources, IndirectCallsReachTheirPrototype) {
  ResourceLink link;
  Function &k = link.kernelWith("k", 10);
  link.kernelWith("other", 10);
  Function &f = link.functionWith("f", 50), &g = link.functionWith("g", 90);
  k.indirectCalls.push_back(link.ctx.inputs.memory.arena, "#v");
  for (Function *target : {&f, &g})
    target->addressTaken = target->hasPrototype = true;
  f.prototype = "#v";
  g.prototype = "#ii";
  link.propagate();
  EXPECT_EQ(link.of(k).registers, 50u);
}

// [register-reconfiguration]
TEST(Resources, RegReconfigStopsThePropagationOfRegisters) {
  for (bool isReconfigured : {false, true}) {
    Chain link;
    link.addGlobal(link.leaf, EIATTR_REGCOUNT, 100);
    if (isReconfigured)
      link.add(link.middle, EIATTR_REG_RECONFIG);
    link.propagate();
    EXPECT_EQ(link.of(link.k).registers, isReconfigured ? 8u : 100u);
    EXPECT_EQ(link.of(link.other).registers, 8u);
  }
}

// [register-count-missing]
TEST(Resources, AKernelWithoutACountIsFatal) {
  ResourceLink link;
  link.kernel("k");
  link.propagate();
  EXPECT_TRUE(link.ctx.inputs.diag.stopped());
}

// [resources-inherited]
TEST(Resources, StackIsTheLongestPath) {
  Chain link;
  Function &wide = link.functionWith("wide");
  link.call(link.k, wide);
  link.addGlobal(link.k, EIATTR_FRAME_SIZE, 8);
  link.addGlobal(link.middle, EIATTR_FRAME_SIZE, 16);
  link.addGlobal(link.leaf, EIATTR_FRAME_SIZE, 32);
  link.addGlobal(wide, EIATTR_FRAME_SIZE, 40);
  link.propagate();
  EXPECT_EQ(link.of(link.k).minStackSize, 56u) << "not the sum of all: 96";
  EXPECT_EQ(link.of(link.other).minStackSize, 0u);
}

// [resources-inherited]
TEST(Resources, RecursionHasNoBound) {
  Chain link;
  link.call(link.leaf, link.middle);
  link.addGlobal(link.leaf, EIATTR_FRAME_SIZE, 32);
  link.propagate();
  EXPECT_EQ(link.of(link.k).minStackSize, UnboundedStack);
  EXPECT_EQ(link.valueOf(link.k, EIATTR_CRS_STACK_SIZE), UnboundedStack);
  EXPECT_EQ(link.of(link.other).minStackSize, 0u);
  EXPECT_EQ(link.valueOf(link.other, EIATTR_CRS_STACK_SIZE), None);
}

// [resources-inherited]: SYNC_STACK counts as CRS_STACK_SIZE.
TEST(Resources, CrsStackIsTheLongestPath) {
  Chain link;
  link.add(link.k, link.payload(EIATTR_CRS_STACK_SIZE, {8}));
  link.add(link.middle, link.payload(EIATTR_SYNC_STACK, {16}));
  link.add(link.leaf, link.payload(EIATTR_CRS_STACK_SIZE, {32}));
  link.propagate();
  EXPECT_EQ(link.valueOf(link.k, EIATTR_CRS_STACK_SIZE), 56u);
}

// [resources-inherited]
TEST(Resources, BarriersAreTheMaximum) {
  Chain link;
  link.add(link.k, EIATTR_NUM_BARRIERS, 3);
  link.add(link.middle, EIATTR_NUM_BARRIERS, 5);
  link.add(link.leaf, EIATTR_NUM_BARRIERS, 1);
  link.add(link.leaf, EIATTR_VRC_CTA_INIT_COUNT, 2);
  link.propagate();
  EXPECT_EQ(link.valueOf(link.k, EIATTR_NUM_BARRIERS), 5u);
  EXPECT_EQ(link.valueOf(link.k, EIATTR_VRC_CTA_INIT_COUNT), 2u);
  EXPECT_EQ(link.valueOf(link.other, EIATTR_NUM_BARRIERS), None);
}

// [barrier-count-in-flags]
TEST(Resources, BarriersInFlagsOfCodeCount) {
  Chain link;
  link.add(link.k, EIATTR_NUM_BARRIERS, 1);
  link.leaf.text->flags |= uint64_t(7) << SHF_CUDA_BARRIER_SHIFT;
  link.propagate();
  EXPECT_EQ(link.valueOf(link.k, EIATTR_NUM_BARRIERS), 7u);
}

// [resources-inherited]: each function once, though it is called twice.
TEST(Resources, MbarriersAreTheSum) {
  Chain link;
  link.call(link.k, link.leaf);
  link.add(link.k, EIATTR_NUM_MBARRIERS, 1);
  link.add(link.leaf, EIATTR_NUM_MBARRIERS, 4);
  link.propagate();
  EXPECT_EQ(link.valueOf(link.k, EIATTR_NUM_MBARRIERS), 5u);
  EXPECT_EQ(link.valueOf(link.other, EIATTR_NUM_MBARRIERS), None);
}

// [resources-inherited]
TEST(Resources, FlagsAreSetIfOneFunctionHasThem) {
  Chain link;
  link.add(link.leaf, EIATTR_CTAIDZ_USED);
  link.propagate();
  EXPECT_TRUE(link.valueOf(link.k, EIATTR_CTAIDZ_USED));
  EXPECT_FALSE(link.valueOf(link.other, EIATTR_CTAIDZ_USED));
}

// [sparse-mask]
TEST(Resources, AFunctionWithoutASparseMaskAddsABit) {
  for (bool leafHasOne : {false, true}) {
    Chain link;
    link.add(link.k, EIATTR_SPARSE_MMA_MASK, 1);
    link.add(link.middle, EIATTR_SPARSE_MMA_MASK, 4);
    if (leafHasOne)
      link.add(link.leaf, EIATTR_SPARSE_MMA_MASK, 2);
    link.add(link.other, EIATTR_SPARSE_MMA_MASK, 1);
    link.propagate();
    EXPECT_EQ(link.valueOf(link.k, EIATTR_SPARSE_MMA_MASK),
              leafHasOne ? 0x7u : 0x8005u);
    EXPECT_EQ(link.valueOf(link.other, EIATTR_SPARSE_MMA_MASK), 1u);
  }
}

// [extern-records], [resources-inherited]
TEST(Resources, ExternsAreTheUnionOfWhatStaysUndefined) {
  Chain link;
  Function &undefined = link.declare("undefined"),
           &vprintf = link.declare("vprintf");
  for (Function *f : {&undefined, &vprintf})
    link.call(link.leaf, *f);
  const uint32_t first = link.numberOf(undefined),
                 resolved = link.numberOf(link.leaf),
                 second = link.numberOf(vprintf),
                 launched = link.numberOf(link.other);
  link.add(link.middle, link.payload(EIATTR_EXTERNS, {second, resolved}));
  link.add(link.leaf, link.payload(EIATTR_EXTERNS, {first, second}));
  link.add(link.k, link.payload(EIATTR_EXTERNS, {launched}));
  link.propagate();
  EXPECT_EQ(link.of(link.k).externs, (llvm::SmallVector<Symbol *, 1>{
                                         &link.other, &vprintf, &undefined}));
  EXPECT_TRUE(link.of(link.other).externs.empty());
}

// [single-kernel-mode]: also what it doesn't reach, but for registers and
// stack.
TEST(Resources, TheOnlyKernelGetsEverything) {
  Single link;
  link.add(link.taken, EIATTR_NUM_BARRIERS, 6);
  link.add(link.taken, EIATTR_CTAIDZ_USED);
  link.add(link.taken, EIATTR_NUM_MBARRIERS, 2);
  link.addGlobal(link.taken, EIATTR_REGCOUNT, 100);
  link.addGlobal(link.taken, EIATTR_FRAME_SIZE, 100);
  link.propagate();
  EXPECT_TRUE(link.resources.singleKernel);
  EXPECT_EQ(link.valueOf(link.k, EIATTR_NUM_BARRIERS), 6u);
  EXPECT_TRUE(link.valueOf(link.k, EIATTR_CTAIDZ_USED));
  EXPECT_EQ(link.valueOf(link.k, EIATTR_NUM_MBARRIERS), 2u);
  EXPECT_EQ(link.of(link.k).registers, 8u);
  EXPECT_EQ(link.of(link.k).minStackSize, 0u);
}

// [single-kernel-mode]: what isn't reachable doesn't count even then.
TEST(Resources, DeadFunctionsDontCount) {
  Single link;
  link.add(link.functionWith("dead"), EIATTR_NUM_BARRIERS, 6);
  link.propagate();
  EXPECT_EQ(link.valueOf(link.k, EIATTR_NUM_BARRIERS), None);
}

// [attribute-created-order]: a fixed order, or that of the first records.
TEST(Resources, CreatedRecordsHaveAnOrder) {
  Chain link;
  link.add(link.k, EIATTR_NUM_MBARRIERS, 1);
  link.add(link.leaf, EIATTR_CTAIDZ_USED);
  link.propagate();
  const auto &order = link.of(link.k).createdOrder;
  ASSERT_EQ(order.size(), 4u);
  EXPECT_EQ(CreatedAttributes[order[2]], EIATTR_NUM_MBARRIERS);
  EXPECT_EQ(CreatedAttributes[order[3]], EIATTR_CTAIDZ_USED);
  Single single;
  single.propagate();
  EXPECT_EQ(single.of(single.k).createdOrder.size(), CreatedCount);
}

// [attribute-inherited-later]
TEST(Resources, LaterReleasesInheritMore) {
  for (const char *release : {"13.0.88", "13.2.51", "13.3.73"}) {
    Chain link;
    link.setRules(/*exact=*/false, release);
    link.add(link.leaf, EIATTR_CLUSTER_LAUNCH_CONTROL_USED);
    link.add(link.leaf, EIATTR_GRID_ATTRIBUTES, 1);
    link.add(link.middle, EIATTR_GRID_ATTRIBUTES, 4);
    link.propagate();
    const llvm::StringRef name = release;
    EXPECT_EQ(
        link.valueOf(link.k, EIATTR_CLUSTER_LAUNCH_CONTROL_USED).has_value(),
        name != "13.0.88");
    EXPECT_EQ(link.valueOf(link.k, EIATTR_GRID_ATTRIBUTES),
              name == "13.3.73" ? std::optional<uint32_t>(5) : None);
  }
}

// [weak-selection]: what a replaced definition says doesn't count.
TEST(Resources, RecordsOfReplacedDefinitionsDontCount) {
  ResourceLink link;
  Function &k = link.kernelWith("k", 100);
  k.definedIn = 1;
  ObjectFile &second = link.ctx.program.objects.emplace_back(
      link.file, link.facts, "second", 1, link.ctx.inputs.memory.arena);
  Symbol *names[] = {&k};
  second.symbols = names;
  link.addGlobal(link.payload(EIATTR_REGCOUNT, {0, 10}), second);
  link.ctx.program.mayHaveOutdatedRecords = true;
  link.addGlobal(k, EIATTR_FRAME_SIZE, 100);
  link.propagate();
  EXPECT_EQ(link.of(k).registers, 10u);
  EXPECT_EQ(link.of(k).minStackSize, 0u);
}

// [register-limit]
TEST(Resources, LimitsAreComparedWithWhatIsCalled) {
  for (uint16_t limit : {39, 40}) {
    ResourceLink link;
    Function &k = link.kernelWith("k", 10), &f = link.functionWith("f", 40);
    link.call(k, f);
    link.add(k, EIATTR_MAXREG_COUNT, limit);
    link.propagate();
    checkRegisterLimits(link.ctx.inputs, link.ctx.program, link.resources);
    EXPECT_EQ(link.ids(), limit < 40 ? std::vector{DiagId::RegisterLimit}
                                     : std::vector<DiagId>());
  }
}

// [register-limit]: a last link finds it.
TEST(Resources, RelocatableOutputHasNoLimits) {
  ResourceLink link;
  link.makeRelocatable();
  Function &k = link.kernelWith("k", 10), &f = link.functionWith("f", 40);
  link.call(k, f);
  link.add(k, EIATTR_MAXREG_COUNT, 10);
  link.propagate();
  checkRegisterLimits(link.ctx.inputs, link.ctx.program, link.resources);
  EXPECT_TRUE(link.messages.empty());
}

// [tensor-memory-mixed]
TEST(Resources, OneCtaOrTwo) {
  Chain link;
  link.add(link.k, EIATTR_TCGEN05_1CTA_USED);
  link.add(link.leaf, EIATTR_TCGEN05_2CTA_USED);
  link.add(link.other, EIATTR_TCGEN05_2CTA_USED);
  link.propagate();
  checkCtaGroups(link.ctx.inputs, link.resources);
  EXPECT_EQ(link.ids(), std::vector{DiagId::CtaGroupConflict});
}

// [tensor-memory-mixed]: two callees of the only kernel.
TEST(Resources, OneCtaAndTwoGoUnnoticedInCallees) {
  for (bool isOwn : {false, true}) {
    Single link;
    link.add(isOwn ? link.k : link.callee, EIATTR_TCGEN05_1CTA_USED);
    link.add(link.taken, EIATTR_TCGEN05_2CTA_USED);
    link.propagate();
    checkCtaGroups(link.ctx.inputs, link.resources);
    EXPECT_EQ(link.ids(), isOwn ? std::vector{DiagId::CtaGroupConflict}
                                : std::vector<DiagId>());
  }
}

} // namespace
