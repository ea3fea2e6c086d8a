//===- LayoutRelocatableTest.cpp - Shared memory with -r ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expectations are the rules of docs/reference/relocatable.md whose anchors
/// stand above the tests. "Exact" is what nvlink does, the other way what is
/// right.
///
//===----------------------------------------------------------------------===//

#include "BuiltLink.h"

using namespace lld::cuda;
using namespace lld::cuda::elf;
using lld::cuda::test::BuiltLink;

namespace {

struct RelocatableLink : BuiltLink {
  explicit RelocatableLink(bool exact) { makeRelocatable(exact); }

  std::vector<llvm::StringRef> namesOf(llvm::ArrayRef<Symbol *> symbols) {
    std::vector<llvm::StringRef> names;
    for (const Symbol *s : symbols)
      if (s->isVariable())
        names.push_back(s->name);
    return names;
  }
};

using Names = std::vector<llvm::StringRef>;

// [relocatable-shared-sizes]: the sum, or the sum and the alignment.
TEST(LayoutRelocatable, SizesTellHowMuchIsInASection) {
  struct {
    uint64_t size, align, sectionSize;
  } const cases[] = {{4, 4, 8}, {8, 4, 8}, {16, 16, 32}, {20, 16, 20}};
  for (bool isExact : {false, true})
    for (const auto &c : cases) {
      RelocatableLink link(isExact);
      Function &k = link.kernel("k");
      link.ownShared("a", c.size / 2, c.align, k);
      link.ownShared("b", c.size / 2, c.align, k);
      link.shared("v", c.size, c.align, {});
      link.layOutShared();
      EXPECT_EQ(k.shared->size, c.sectionSize);
      EXPECT_EQ(link.ctx.program.debugShared->size, c.sectionSize);
    }
}

// [relocatable-shared-sizes], [relocatable-places-dynamic-shared]
TEST(LayoutRelocatable, ExactSectionsAreAlignedAsModuleLevelVariables) {
  for (bool isExact : {false, true}) {
    RelocatableLink link(isExact);
    Function &k = link.kernel("k");
    link.ownShared("v", 4, 4, k);
    link.shared("aligned", 64, 32, {});
    link.layOutShared();
    EXPECT_EQ(k.shared->align, isExact ? 32u : 4u);
    EXPECT_EQ(k.shared->size, isExact ? 36u : 8u);
  }
}

TEST(LayoutRelocatable, NoVariableIsPlaced) {
  for (bool isExact : {false, true}) {
    RelocatableLink link(isExact);
    Function &a = link.kernel("a"), &b = link.kernel("b");
    Variable &own = link.ownShared("own", 8, 4, a);
    Variable &common = link.shared("common", 8, 4, {&a, &b});
    own.value = common.value = 4; // Their alignment.
    link.layOutShared();
    EXPECT_FALSE(own.address);
    EXPECT_FALSE(common.address);
    EXPECT_EQ(own.value, 4u);
    EXPECT_EQ(common.value, 4u);
  }
}

// [relocatable-places-dynamic-shared]
TEST(LayoutRelocatable, ArraysStayUndefined) {
  RelocatableLink link(/*exact=*/false);
  Function &k = link.kernel("k");
  link.ownShared("own", 20, 4, k);
  Variable &x = link.array("x", {&k});
  link.layOutShared();
  EXPECT_FALSE(x.section);
  EXPECT_FALSE(k.externSharedInstance);
  EXPECT_EQ(k.shared->size, 20u);
}

// [relocatable-places-dynamic-shared]
TEST(LayoutRelocatable, ExactArraysBecomeAnInstanceForEachKernel) {
  RelocatableLink link(/*exact=*/true);
  Function &k = link.kernel("k"), &without = link.kernel("without"),
           &f = link.function("f");
  link.ownShared("own", 20, 4, k);
  link.array("x", {&k, &f});
  link.array("y", {&k});
  link.layOutShared();
  ASSERT_TRUE(k.externSharedInstance);
  EXPECT_EQ(k.externSharedInstance->name, "externsharedinstance");
  EXPECT_TRUE(k.externSharedInstance->isWeak());
  EXPECT_EQ(k.externSharedInstance->value, 32u) << "the end, aligned to 16";
  EXPECT_EQ(k.shared->align, 16u);
  EXPECT_EQ(k.shared->size, 32u);
  EXPECT_FALSE(without.externSharedInstance);
  EXPECT_FALSE(f.externSharedInstance) << "device functions have none";
}

// [relocatable-places-dynamic-shared]
TEST(LayoutRelocatable, ExactNullPointerIsReserved) {
  RelocatableLink link(/*exact=*/true);
  link.config.reserveNullPointer = true;
  Function &k = link.kernel("k");
  link.array("x", {&k});
  link.layOutShared();
  EXPECT_EQ(k.externSharedInstance->value, 16u);
}

// [relocatable-places-dynamic-shared]
TEST(LayoutRelocatable, ExactOffsetOfAnEarlierInstanceIsTakenForItsAlignment) {
  RelocatableLink link(/*exact=*/true);
  Function &k = link.kernel("k");
  link.ownShared("own", 4, 4, k);
  getDebugShared(link.ctx.inputs, link.ctx.program, 16);
  link.array("externsharedinstance", {&k}, 64);
  link.layOutShared();
  EXPECT_EQ(link.ctx.program.debugShared->align, 64u);
  EXPECT_EQ(k.shared->align, 64u);
}

// [relocatable-places-dynamic-shared]: with -g arrays keep their symbols.
TEST(LayoutRelocatable, ExactArraysForTheDebugger) {
  RelocatableLink link(/*exact=*/true);
  link.config.debug = true;
  Function &a = link.kernel("a"), &b = link.kernel("b");
  link.ownShared("ofA", 20, 4, a);
  link.ownShared("ofB", 100, 4, b);
  getDebugShared(link.ctx.inputs, link.ctx.program, 16);
  Variable &x = link.array("x", {&a, &b}), &y = link.array("y", {&b});
  link.layOutShared();
  EXPECT_FALSE(a.externSharedInstance);
  // b uses both: one offset, after the largest of all of their users' own.
  EXPECT_EQ(x.value, 112u);
  EXPECT_EQ(y.value, 112u);
  EXPECT_EQ(x.section, link.ctx.program.debugShared);
  EXPECT_EQ(y.section, link.ctx.program.debugShared);
}

// [shared-empty-sections]
TEST(LayoutRelocatable, ExactEmptySectionsStayIfAlignedTo16) {
  for (uint64_t align : {8, 16, 32}) {
    RelocatableLink link(/*exact=*/true);
    Function &k = link.kernel("k"), &empty = link.kernel("empty");
    empty.shared =
        createSharedSection(link.ctx.inputs, link.ctx.program, empty);
    link.shared("v", 4, align, {});
    link.array("x", {&k});
    link.layOutShared();
    EXPECT_EQ(empty.shared->laidOut, align == 16);
    EXPECT_EQ(empty.shared->size, align == 16 ? 16u : 0u);
  }
}

// [relocatable-resolves-references]: -1 is what nvlink resolves them to.
TEST(LayoutRelocatable, ExactUndefinedVariablesAreMinusOne) {
  for (bool isExact : {false, true}) {
    RelocatableLink link(isExact);
    Variable &c = link.variable("c", 4, 4, STO_CUDA_CONSTANT);
    Variable &reserved = link.variable("__UFT_OFFSET", 0, 0, 0);
    Variable &texture = link.variable("t", 0, 0, 0, STT_CUDA_TEXTURE);
    Variable &defined = link.variable("d", 4, 4, STO_CUDA_CONSTANT);
    c.defined = reserved.defined = texture.defined = false;
    reserved.isReserved = true;
    Variable &array = link.array("x", {});
    link.layOutShared();
    EXPECT_EQ(c.value, isExact ? ~uint64_t(0) : 0u);
    for (const Variable *v : {&reserved, &texture, &defined, &array})
      EXPECT_EQ(v->value, 0u) << v->name.str();
  }
}

// [relocatable-symbol-order]: as a final link would list them.
TEST(LayoutRelocatable, SharedVariablesAreInTheOrderOfTheList) {
  for (bool isExact : {false, true}) {
    RelocatableLink link(isExact);
    Variable &a = link.shared("a", 4, 4, {});
    link.shared("b", 4, 4, {});
    link.variable("other", 4, 4, STO_CUDA_GLOBAL);
    // b was mentioned first.
    std::swap(link.ctx.program.sharedList[0], link.ctx.program.sharedList[1]);
    (void)a;
    link.layOutShared();
    if (isExact) {
      EXPECT_EQ(link.namesOf(link.ctx.program.globals),
                (Names{"a", "b", "other"}));
      continue;
    }
    EXPECT_EQ(link.namesOf(link.ctx.program.locals), (Names{"b", "a"}));
    EXPECT_EQ(link.namesOf(link.ctx.program.globals), Names{"other"});
  }
}

// [relocatable-symbol-order]: commons take each other's places in the table.
TEST(LayoutRelocatable, CommonsAreInTheOrderOfAppearance) {
  for (bool isExact : {false, true}) {
    RelocatableLink link(isExact);
    Variable &a = link.variable("a", 4, 4, STO_CUDA_GLOBAL);
    link.variable("other", 4, 4, STO_CUDA_GLOBAL);
    Variable &b = link.variable("b", 4, 4, STO_CUDA_GLOBAL);
    a.isCommon = b.isCommon = true;
    link.ctx.program.commons = {&b, &a};
    link.layOutShared();
    EXPECT_EQ(link.namesOf(link.ctx.program.globals),
              isExact ? (Names{"a", "other", "b"})
                      : (Names{"b", "other", "a"}));
  }
}

// [relocatable-keeps-orphan-constants]
TEST(LayoutRelocatable, ConstantsThatBelongToNoCodeAreDropped) {
  for (bool isExact : {false, true}) {
    RelocatableLink link(isExact);
    Function &f = link.function("f");
    OutputSection *orphan =
        link.section(SectionKind::Literals, ".nv.constant2.", f);
    orphan->orphan = true;
    link.layOutShared();
    EXPECT_EQ(orphan->reachable, isExact);
    EXPECT_TRUE(f.text->reachable);
  }
}

// [shared-reserved-variables]
TEST(LayoutRelocatable, ReservedVariablesHaveNoAddressYet) {
  RelocatableLink link(/*exact=*/false);
  link.config.arch.number = 100;
  Variable &v = link.variable("v", 32, 8, STO_CUDA_SHARED);
  v.value = 8; // Its alignment.
  v.isReserved = true;
  v.section = getNamedSection(link.ctx.inputs, link.ctx.program,
                              SectionKind::ReservedShared, 8);
  link.ctx.program.reservedShared.push_back(&v);
  link.layOutShared();
  EXPECT_EQ(v.value, 8u);
  EXPECT_EQ(v.section->size, 32u);
}

} // namespace
