//===- LayoutSharedTest.cpp - Addresses in shared memory ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expectations are the rules of docs/reference/memory.md whose anchors stand
/// above the tests.
///
//===----------------------------------------------------------------------===//

#include "BuiltLink.h"

using namespace lld::cuda;
using namespace lld::cuda::elf;
using lld::cuda::test::BuiltLink;

namespace {

constexpr uint64_t Limit = 0xc000, ExtendedLimit = 0x28c00; // Of sm_80.

// [shared-module-level]
TEST(LayoutShared, VariablesWithoutACommonUserShareAnAddress) {
  BuiltLink link;
  Function &a = link.kernel("a"), &b = link.kernel("b"), &c = link.kernel("c"),
           &d = link.kernel("d");
  // Read in this order, placed by size: 64, 32, 16.
  Variable &last = link.shared("last", 16, 4, {&b, &c});
  Variable &second = link.shared("second", 32, 4, {&c, &d});
  Variable &first = link.shared("first", 64, 4, {&a, &b});
  link.layOutShared();
  EXPECT_EQ(first.address, 0u);
  EXPECT_EQ(second.address, 0u);
  // It has a user in common with each of them.
  EXPECT_EQ(last.address, 64u);
  EXPECT_EQ(a.shared->size, 64u);
  EXPECT_EQ(b.shared->size, 80u);
  EXPECT_EQ(c.shared->size, 80u);
  EXPECT_EQ(d.shared->size, 32u);
}

// [shared-module-level]
TEST(LayoutShared, WhatOneKernelUsesIsPlacedInThatKernel) {
  BuiltLink link;
  Function &a = link.kernel("a"), &b = link.kernel("b");
  Variable &common = link.shared("common", 40, 4, {&a, &b});
  Variable &alone = link.shared("alone", 100, 4, {&b});
  link.layOutShared();
  EXPECT_EQ(common.address, 0u) << "a larger one isn't at module level";
  EXPECT_EQ(alone.address, 40u);
  EXPECT_EQ(alone.section, b.shared);
  EXPECT_EQ(a.shared->size, 40u);
  EXPECT_EQ(b.shared->size, 140u);
}

// [shared-module-level]
TEST(LayoutShared, OwnVariablesFollowTheLastThatTheKernelUses) {
  BuiltLink link;
  Function &a = link.kernel("a"), &b = link.kernel("b"), &c = link.kernel("c"),
           &d = link.kernel("d");
  link.shared("large", 256, 4, {&a, &b});
  link.shared("small", 8, 4, {&c, &d});
  Variable &ofA = link.ownShared("ofA", 4, 4, a);
  Variable &ofC = link.ownShared("ofC", 4, 4, c);
  Function &e = link.kernel("e");
  Variable &ofE = link.ownShared("ofE", 4, 4, e);
  link.layOutShared();
  EXPECT_EQ(ofA.address, 256u);
  EXPECT_EQ(ofC.address, 8u);
  EXPECT_EQ(ofE.address, 0u);
}

// [shared-module-level]: users are kernels, through whatever they call.
TEST(LayoutShared, UsesOfDeviceFunctionsAreThoseOfTheirKernels) {
  BuiltLink link;
  Function &a = link.kernel("a"), &b = link.kernel("b");
  Function &f = link.function("f"), &g = link.function("g");
  link.call(a, f);
  link.call(b, f);
  link.call(b, g);
  Variable &ofBoth = link.shared("ofBoth", 4, 4, {&f});
  Variable &ofOne = link.shared("ofOne", 4, 4, {&g});
  link.layOutShared();
  EXPECT_EQ(ofBoth.section, link.ctx.program.debugShared);
  EXPECT_EQ(ofOne.section, b.shared);
  EXPECT_EQ(ofOne.address, 4u);
}

// [list-sort]: larger alignments first, then smaller sizes.
TEST(LayoutShared, OwnVariablesAreSortedByAlignment) {
  BuiltLink link;
  Function &k = link.kernel("k");
  Variable &byte = link.ownShared("byte", 1, 1, k);
  Variable &word = link.ownShared("word", 4, 4, k);
  Variable &large = link.ownShared("large", 48, 16, k);
  Variable &vector = link.ownShared("vector", 16, 16, k);
  link.layOutShared();
  EXPECT_EQ(vector.address, 0u);
  EXPECT_EQ(large.address, 16u);
  EXPECT_EQ(word.address, 64u);
  EXPECT_EQ(byte.address, 68u);
  EXPECT_EQ(k.shared->size, 69u);
  EXPECT_EQ(k.shared->align, 16u);
}

TEST(LayoutShared, GroupsAreAlignedAsTheirMembers) {
  BuiltLink link;
  Function &a = link.kernel("a"), &b = link.kernel("b");
  link.shared("odd", 33, 1, {&a, &b});
  Variable &aligned = link.shared("aligned", 32, 32, {&a, &b});
  link.layOutShared();
  EXPECT_EQ(aligned.address, 64u);
  EXPECT_EQ(a.shared->align, 32u);
}

// [shared-unallocated], [shared-uses]
TEST(LayoutShared, OnlyWhatNothingRefersToHasNoAddress) {
  BuiltLink link;
  link.kernel("k");
  Variable &unused = link.shared("unused", 4, 4, {});
  Variable &dead = link.shared("dead", 4, 4, {&link.function("uncalled")});
  link.layOutShared();
  EXPECT_FALSE(unused.address);
  EXPECT_EQ(dead.address, 0u);
}

// [shared-strong-after-weak]
TEST(LayoutShared, StrongAfterWeakTakesRoomTwice) {
  BuiltLink link;
  Function &a = link.kernel("a"), &b = link.kernel("b");
  Variable &v = link.shared("v", 16, 4, {&a, &b});
  link.ctx.program.sharedList.push_back({&v, 16, 4});
  link.layOutShared();
  EXPECT_EQ(v.address, 16u);
  EXPECT_EQ(a.shared->size, 32u);
}

// [shared-reserved-kilobyte]
TEST(LayoutShared, SymbolsCountTheReservedKilobyte) {
  struct {
    const char *architecture;
    bool isDisabled;
    uint64_t reserved;
  } const cases[] = {
      {"sm_80", false, 0}, {"sm_90", false, 0x400}, {"sm_90", true, 0}};
  for (const auto &c : cases) {
    BuiltLink link(c.architecture);
    link.config.disableSmemReservation = c.isDisabled;
    Function &k = link.kernel("k");
    link.ownShared("first", 16, 16, k);
    Variable &v = link.ownShared("v", 8, 8, k);
    link.layOutShared();
    EXPECT_EQ(v.address, 16u);
    EXPECT_EQ(v.value, c.reserved + 16);
    EXPECT_EQ(k.shared->size, c.reserved + 24);
  }
}

// -reserve-null-pointer: nothing is at address 0 [option-hidden].
TEST(LayoutShared, NullPointerMayBeReserved) {
  BuiltLink link;
  link.config.reserveNullPointer = true;
  Function &k = link.kernel("k"), &a = link.kernel("a"), &b = link.kernel("b"),
           &dynamic = link.kernel("dynamic");
  Variable &own = link.ownShared("own", 4, 4, k);
  Variable &common = link.shared("common", 8, 8, {&a, &b});
  link.array("array", {&dynamic});
  link.layOutShared();
  EXPECT_EQ(own.address, 4u);
  EXPECT_EQ(common.address, 8u);
  EXPECT_EQ(dynamic.dynamicSharedOffset, 16u);
}

// [shared-dynamic]
TEST(LayoutShared, KernelsThatShareAFunctionHaveTheArrayAtOnePlace) {
  BuiltLink link;
  Function &a = link.kernel("a"), &b = link.kernel("b"), &c = link.kernel("c");
  Function &f = link.function("f"), &g = link.function("g");
  link.ownShared("ofA", 4, 4, a);
  link.ownShared("ofB", 100, 4, b);
  link.ownShared("ofC", 1000, 4, c);
  link.array("x", {&f, &g});
  link.call(a, f);
  link.call(b, f);
  link.call(c, g);
  link.layOutShared();
  EXPECT_EQ(f.dynamicSharedOffset, 112u) << "100, aligned to 16";
  EXPECT_EQ(g.dynamicSharedOffset, 1008u);
  EXPECT_EQ(a.shared->size, 112u);
  EXPECT_EQ(b.shared->size, 112u);
  EXPECT_EQ(c.shared->size, 1008u);
  EXPECT_EQ(a.shared->align, 16u);
}

// [shared-dynamic]: sets that have a kernel in common are joined.
TEST(LayoutShared, SetsOfKernelsAreJoined) {
  BuiltLink link;
  Function &a = link.kernel("a"), &b = link.kernel("b"), &c = link.kernel("c");
  Function &f = link.function("f"), &g = link.function("g");
  link.ownShared("ofC", 64, 4, c);
  link.array("x", {&f});
  link.array("y", {&g});
  link.call(a, f);
  link.call(b, f);
  link.call(b, g);
  link.call(c, g);
  link.layOutShared();
  EXPECT_EQ(f.dynamicSharedOffset, 64u);
  EXPECT_EQ(g.dynamicSharedOffset, 64u);
}

// [shared-dynamic-alignment]
TEST(LayoutShared, LaterReleasesAlignAnArrayAsItSays) {
  for (bool isLater : {false, true}) {
    BuiltLink link;
    link.setRules(/*exact=*/false, isLater ? "13.1.115" : "13.0.88");
    Function &k = link.kernel("k");
    link.ownShared("own", 4, 4, k);
    link.array("x", {&k}, 128);
    link.layOutShared();
    EXPECT_EQ(k.dynamicSharedOffset, isLater ? 128u : 16u);
  }
}

// [shared-empty-sections]
TEST(LayoutShared, AnArrayGivesAllKernelsASection) {
  for (uint64_t align : {8, 16}) {
    BuiltLink link;
    Function &a = link.kernel("a"), &b = link.kernel("b"),
             &without = link.kernel("without");
    link.shared("v", 64, align, {&a, &b});
    link.array("x", {&a});
    link.layOutShared();
    EXPECT_EQ(without.shared != nullptr, align == 16);
    if (without.shared) {
      EXPECT_EQ(without.shared->size, 0u);
      EXPECT_EQ(without.shared->align, 16u);
    }
  }
}

// [kernels-used]: one that was left out has its memory, for its own code.
TEST(LayoutShared, KernelsThatAreLeftOutCountForTheirOwnCode) {
  BuiltLink link;
  Function &counted = link.kernel("counted"), &out = link.kernel("out");
  out.isCounted = false;
  Function &f = link.function("f");
  link.call(counted, f);
  link.call(out, f);
  Variable &direct = link.shared("direct", 4, 4, {&out});
  Variable &called = link.shared("called", 8, 4, {&f});
  link.layOutShared();
  EXPECT_EQ(direct.section, out.shared);
  EXPECT_EQ(called.section, counted.shared);
}

TEST(LayoutShared, LimitIsThatOfTheArchitecture) {
  struct {
    uint64_t size;
    bool isExtended, isError;
  } const cases[] = {{Limit, false, false},
                     {Limit + 1, false, true},
                     {Limit + 1, true, false},
                     {ExtendedLimit, true, false},
                     {ExtendedLimit + 1, true, true}};
  for (const auto &c : cases) {
    BuiltLink link;
    link.config.enableExtendedSmem = c.isExtended;
    link.ownShared("v", c.size, 1, link.kernel("k"));
    link.layOutShared();
    EXPECT_EQ(link.ids(), c.isError ? std::vector{DiagId::SharedLimit}
                                    : std::vector<DiagId>())
        << c.size;
  }
}

// [shared-debug-link]
TEST(LayoutShared, ForTheDebuggerAnArrayHasOneOffset) {
  for (bool isDebug : {false, true}) {
    BuiltLink link;
    link.config.debug = isDebug;
    Function &a = link.kernel("a"), &b = link.kernel("b");
    link.ownShared("ofB", 64, 4, b);
    getDebugShared(link.ctx.inputs, link.ctx.program, 16);
    Variable &x = link.array("x", {&a, &b});
    link.layOutShared();
    EXPECT_EQ(a.dynamicSharedOffset, isDebug ? 64u : 0u);
    EXPECT_EQ(b.dynamicSharedOffset, 64u);
    EXPECT_EQ(x.section, isDebug ? link.ctx.program.debugShared : nullptr);
    EXPECT_EQ(x.value, isDebug ? 64u : 0u);
  }
}

/// A link with reserved variables of these sizes.
struct ReservedLink : BuiltLink {
  explicit ReservedLink(std::initializer_list<uint64_t> sizes)
      : BuiltLink("sm_100") {
    OutputSection *sec = getNamedSection(ctx.inputs, ctx.program,
                                         SectionKind::ReservedShared, 8);
    for (uint64_t size : sizes) {
      Variable &v = variable("v", size, 8, STO_CUDA_SHARED);
      v.isReserved = true;
      v.section = sec;
      ctx.program.reservedShared.push_back(&v);
    }
  }
};

// [shared-reserved-variables]
TEST(LayoutShared, ReservedVariablesFollowTheDriversPart) {
  ReservedLink link({32, 8});
  link.layOutShared();
  Variable &large = *link.ctx.program.reservedShared[0],
           &small = *link.ctx.program.reservedShared[1];
  EXPECT_EQ(small.value, 0x40u) << "by size";
  EXPECT_EQ(large.value, 0x48u);
  EXPECT_EQ(large.section->size, 0x68u) << "the end address";
}

// [shared-reserved-variables]
TEST(LayoutShared, ReservedVariablesHaveAKilobyte) {
  for (uint64_t size : {0x400 - 0x40, 0x400 - 0x40 + 8}) {
    ReservedLink link({size});
    link.layOutShared();
    EXPECT_EQ(link.ids(), size == 0x400 - 0x40
                              ? std::vector<DiagId>()
                              : std::vector{DiagId::ReservedSharedLimit});
  }
}

} // namespace
