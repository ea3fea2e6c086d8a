//===- LayoutConstantsTest.cpp - Commons and constant banks ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expectations are the rules of docs/reference/memory.md and relocatable.md
/// whose anchors stand above the tests.
///
//===----------------------------------------------------------------------===//

#include "BuiltLink.h"

using namespace lld::cuda;
using namespace lld::cuda::elf;
using lld::cuda::test::BuiltLink;

namespace {

constexpr uint64_t MaxBank = 0x10000;

// Commons.

struct CommonLink : BuiltLink {
  Variable &common(llvm::StringRef name, uint64_t size, uint64_t align) {
    Variable &v = variable(name, size, align, STO_CUDA_GLOBAL);
    v.isCommon = true;
    ctx.program.commons.push_back(&v);
    return v;
  }
};

// [common-order]
TEST(LayoutConstants, CommonsAreInReverseOrderOfAppearance) {
  CommonLink link;
  Variable &first = link.common("first", 4, 4);
  Variable &second = link.common("second", 1, 1);
  Variable &third = link.common("third", 8, 8);
  placeCommons(link.ctx.inputs, link.ctx.program);
  EXPECT_EQ(third.value, 0u);
  EXPECT_EQ(second.value, 8u);
  EXPECT_EQ(first.value, 12u);
  OutputSection *global =
      findNamedSection(link.ctx.program, SectionKind::Global);
  ASSERT_TRUE(global);
  EXPECT_EQ(first.section, global);
  EXPECT_EQ(global->size, 16u);
  EXPECT_EQ(global->align, 8u);
}

TEST(LayoutConstants, CommonsFollowTheOtherVariables) {
  CommonLink link;
  OutputSection *global = getNamedSection(link.ctx.inputs, link.ctx.program,
                                          SectionKind::Global, 4);
  global->append({}, 6, 2);
  Variable &v = link.common("v", 4, 4);
  placeCommons(link.ctx.inputs, link.ctx.program);
  EXPECT_EQ(v.value, 8u);
  EXPECT_EQ(global->size, 12u);
}

// [common-and-definition]: one that a definition replaced has no place.
TEST(LayoutConstants, ReplacedCommonsArePassedOver) {
  CommonLink link;
  Variable &v = link.common("v", 4, 4);
  v.isCommon = false;
  v.value = 0x20;
  placeCommons(link.ctx.inputs, link.ctx.program);
  EXPECT_EQ(v.value, 0x20u);
  EXPECT_FALSE(findNamedSection(link.ctx.program, SectionKind::Global));
}

// [relocatable-places-commons]
TEST(LayoutConstants, CommonsOfRelocatableOutputStayCommon) {
  for (bool isExact : {false, true}) {
    CommonLink link;
    link.makeRelocatable(isExact);
    Variable &v = link.common("v", 4, 4);
    placeCommons(link.ctx.inputs, link.ctx.program);
    EXPECT_EQ(v.section != nullptr, isExact);
  }
}

TEST(LayoutConstants, CommonsNeedASectionWithoutContents) {
  CommonLink link;
  getNamedSection(link.ctx.inputs, link.ctx.program, SectionKind::Global)
      ->type = SHT_PROGBITS;
  link.common("v", 4, 4);
  placeCommons(link.ctx.inputs, link.ctx.program);
  EXPECT_EQ(link.ids(), std::vector{DiagId::NoPlaceForCommon});
}

// Bank 3.

struct UserBank : BuiltLink {
  OutputSection &bank =
      *getNamedSection(ctx.inputs, ctx.program, SectionKind::UserConstants, 8);
  /// What one input has, all of one byte.
  void add(size_t size, uint64_t align, char value) {
    bank.append(bytes(size, value), size, align);
  }
  /// A variable that is all of what one input has.
  Variable &constant(llvm::StringRef name, size_t size, uint64_t align) {
    add(size, align, name.front());
    Variable &v = variable(name, size, align, STO_CUDA_CONSTANT);
    v.section = &bank;
    v.value = bank.parts.back().offset;
    return v;
  }
  Variable &localConstant(llvm::StringRef name, size_t size, uint64_t align) {
    Variable &v = constant(name, size, align);
    v.binding = STB_LOCAL;
    ctx.program.globals.pop_back();
    ctx.program.locals.push_back(&v);
    return v;
  }
};

// [constant-size-symbol]
TEST(LayoutConstants, SizeSymbolHasTheSizeOfTheBank) {
  UserBank link;
  link.add(20, 4, 'a');
  Variable &size = link.variable(".nv.ptx.const0.size", 4, 4, 0);
  link.ctx.program.constantSizeSymbols.push_back(&size);
  layoutUserConstants(link.ctx.inputs, link.ctx.program);
  EXPECT_EQ(size.value, 20u);
}

// [constant-size-symbol]
TEST(LayoutConstants, SizeSymbolWithoutABankIsMinusOne) {
  BuiltLink link;
  Variable &size = link.variable(".nv.ptx.const0.size", 4, 4, 0);
  link.ctx.program.constantSizeSymbols.push_back(&size);
  layoutUserConstants(link.ctx.inputs, link.ctx.program);
  EXPECT_EQ(size.value, ~uint64_t(0));
}

TEST(LayoutConstants, UserBankHas64KB) {
  for (uint64_t size : {MaxBank, MaxBank + 1}) {
    UserBank link;
    link.constant("a", size, 4);
    layoutUserConstants(link.ctx.inputs, link.ctx.program);
    EXPECT_EQ(link.ids(), size == MaxBank ? std::vector<DiagId>()
                                          : std::vector{DiagId::ConstantLimit});
  }
}

// [constants-laid-out-anew]: what has no symbol goes, but not with -r.
TEST(LayoutConstants, LargeBanksHaveNothingWithoutASymbol) {
  for (bool isRelocatable : {false, true}) {
    UserBank link;
    if (isRelocatable)
      link.makeRelocatable();
    link.add(MaxBank - 8, 8, 'x');
    Variable &v = link.constant("v", 16, 8);
    layoutUserConstants(link.ctx.inputs, link.ctx.program);
    EXPECT_EQ(link.bank.size, isRelocatable ? MaxBank + 8 : 16u);
    EXPECT_EQ(v.value, isRelocatable ? MaxBank - 8 : 0u);
    EXPECT_EQ(link.ids(), isRelocatable ? std::vector{DiagId::ConstantLimit}
                                        : std::vector<DiagId>());
    if (isRelocatable)
      continue;
    EXPECT_TRUE(link.bank.writesMoved());
    EXPECT_FALSE(link.bank.hasMoved(0));
    EXPECT_TRUE(link.bank.hasMoved(MaxBank - 8));
    EXPECT_EQ(link.bank.movedOffset(MaxBank - 1), 7u);
    EXPECT_FALSE(link.bank.hasMoved(MaxBank + 8));
  }
}

// [constants-laid-out-anew]: nothing refers to any of them.
TEST(LayoutConstants, LargeBanksLoseUnusedConstantsWhenPruning) {
  for (bool isPruned : {false, true}) {
    UserBank link;
    link.ctx.program.prunesKernels = isPruned;
    link.config.variablesUsed = std::vector<std::string>{"b"};
    Variable &a = link.constant("a", 0x8000, 4);
    Variable &b = link.constant("abc", 0x8001, 4);
    layoutUserConstants(link.ctx.inputs, link.ctx.program);
    EXPECT_EQ(a.isLeftOut, isPruned);
    EXPECT_FALSE(b.isLeftOut);
    EXPECT_EQ(link.bank.size, isPruned ? 0x8001u : 0x10001u);
  }
}

// [constants-laid-out-anew]
TEST(LayoutConstants, NothingIsLeftOfABankThatNobodyUses) {
  UserBank link;
  link.ctx.program.prunesKernels = true;
  link.constant("a", MaxBank + 1, 4);
  layoutUserConstants(link.ctx.inputs, link.ctx.program);
  EXPECT_FALSE(link.bank.reachable);
  EXPECT_EQ(link.bank.size, 0u);
  EXPECT_TRUE(link.ids().empty());
}

// [constants-aligned-by-size]: behind 3 bytes, 16 bytes that were aligned
// to 16.
TEST(LayoutConstants, LargeBanksKeepAlignmentsUnlessNvlinksBytesAreAsked) {
  for (bool isExact : {false, true}) {
    UserBank link;
    link.setRules(isExact, "13.5.37");
    link.ctx.program.prunesKernels = true;
    link.config.variablesUsed = std::vector<std::string>{"k"};
    link.constant("a", MaxBank, 8);
    Variable &wide = link.constant("k16", 16, 16);
    Variable &word = link.constant("k12", 12, 4);
    Variable &odd = link.constant("k7", 7, 1);
    Variable &local = link.localConstant("kl", 8, 8);
    layoutUserConstants(link.ctx.inputs, link.ctx.program);
    EXPECT_EQ(word.value, 0u);
    EXPECT_EQ(wide.value, 16u);
    EXPECT_EQ(odd.value, 35u); // A multiple of 7.
    EXPECT_EQ(local.value, isExact ? 42u : 48u);
    EXPECT_EQ(link.bank.align, isExact ? 8u : 16u);
  }
}

// [constants-aligned-by-size]: where padding is what doesn't fit.
TEST(LayoutConstants, LargeBanksAreSortedByAlignmentWhereNothingElseFits) {
  UserBank link;
  link.add(256, 256, 'x');
  Variable &wide = link.constant("wide", 512, 256);
  Variable &small = link.constant("small", 8, 8);
  Variable &rest = link.constant("rest", MaxBank - 520, 8);
  layoutUserConstants(link.ctx.inputs, link.ctx.program);
  EXPECT_EQ(wide.value, 0u);
  EXPECT_EQ(small.value, 512u);
  EXPECT_EQ(rest.value, 520u);
  EXPECT_TRUE(link.ids().empty());
}

// [constants-merged-when-pruning]: the second 4 bytes are equal to the first.
TEST(LayoutConstants, EqualContributionsAreMergedOnRequestOnly) {
  for (bool isExact : {false, true}) {
    UserBank link;
    link.setRules(isExact);
    link.ctx.program.prunesKernels = true;
    link.add(4, 4, 'a');
    link.add(4, 4, 'a');
    link.add(16, 4, 'b');
    layoutUserConstants(link.ctx.inputs, link.ctx.program);
    EXPECT_EQ(link.bank.parts[1].isDropped, isExact);
    EXPECT_EQ(link.bank.parts[2].offset, isExact ? 4u : 8u);
    EXPECT_EQ(link.bank.size, isExact ? 20u : 24u);
  }
}

// [constants-merged-when-pruning]
TEST(LayoutConstants, WhichContributionsAreEqual) {
  struct {
    size_t size;
    uint64_t align, otherAlign;
    char value;
    bool isMerged;
  } const cases[] = {
      {4, 4, 4, 'a', true},   {8, 8, 8, 'a', true},  {4, 4, 4, 0, false},
      {8, 8, 8, 0, false},    {4, 1, 1, 'a', false}, {8, 4, 4, 'a', false},
      {12, 4, 4, 'a', true},  {12, 4, 4, 0, true},   {16, 4, 16, 'a', false},
      {20, 4, 4, 'a', true},  {24, 8, 8, 'a', true}, {32, 4, 4, 'a', true},
      {48, 4, 4, 'a', true},  {64, 4, 4, 'a', true}, {40, 4, 4, 'a', false},
      {128, 4, 4, 'a', false}};
  for (const auto &c : cases) {
    UserBank link;
    link.setRules(/*exact=*/true);
    link.ctx.program.prunesKernels = true;
    link.add(c.size, c.align, c.value);
    link.add(c.size, c.otherAlign, c.value);
    layoutUserConstants(link.ctx.inputs, link.ctx.program);
    EXPECT_EQ(link.bank.parts[1].isDropped, c.isMerged)
        << c.size << " bytes aligned to " << c.align << ", " << int(c.value);
  }
}

// [null-symbol-value]: the offset of the last constant that is compared.
TEST(LayoutConstants, PruningGivesSymbol0AValue) {
  for (bool isPruned : {false, true}) {
    UserBank link;
    link.ctx.program.prunesKernels = isPruned;
    link.add(4, 4, 'a');
    link.add(16, 4, 'b');
    link.add(40, 4, 'c');
    layoutUserConstants(link.ctx.inputs, link.ctx.program);
    EXPECT_EQ(link.ctx.program.nullSymbolValue, isPruned ? 4u : 0u);
  }
}

// Bank 2.

struct LiteralLink : BuiltLink {
  using BuiltLink::BuiltLink;
  /// The function gets a literal, all of one byte.
  Variable &literal(Function &f, size_t size, uint64_t align, char value) {
    if (!f.constant2)
      f.constant2 = section(SectionKind::Literals, ".nv.constant2.", f);
    f.constant2->align = std::max(f.constant2->align, align);
    const unsigned part = f.constant2->append(bytes(size, value), size, align);
    Variable &v = variable("", size, align, STO_CUDA_CONSTANT);
    v.binding = STB_LOCAL;
    v.section = f.constant2;
    v.value = f.constant2->parts[part].offset;
    ctx.program.locals.push_back(&v);
    return v;
  }
  void layOut() {
    ctx.program.callGraph.build(ctx.program);
    layoutCompilerConstants(ctx.inputs, ctx.program);
  }
};

// [literals-copied]
TEST(LayoutConstants, LiteralsAreCopiedToOneOffsetInAllKernels) {
  LiteralLink link;
  Function &a = link.kernel("a"), &b = link.kernel("b"),
           &other = link.kernel("other");
  Function &f = link.function("f");
  link.call(a, f);
  link.call(b, f);
  link.literal(a, 20, 4, 'a');
  link.literal(b, 4, 4, 'b');
  link.literal(other, 4, 4, 'o');
  OutputSection &ofF = *link.literal(f, 8, 8, 'f').section;
  link.layOut();
  EXPECT_EQ(ofF.displacement(), 24u);
  EXPECT_FALSE(ofF.reachable) << "the function's own section goes";
  for (Function *k : {&a, &b}) {
    EXPECT_EQ(k->constant2->size, 32u);
    EXPECT_EQ(k->constant2->align, 8u);
    EXPECT_EQ(k->constant2->parts.back().offset, 24u);
    EXPECT_EQ(k->constant2->parts.back().bytes, ofF.parts[0].bytes);
  }
  EXPECT_EQ(other.constant2->size, 4u);
}

// [literals-copied]
TEST(LayoutConstants, KernelsWithoutABankGetOne) {
  LiteralLink link;
  Function &k = link.kernel("k"), &f = link.function("f");
  link.call(k, f);
  link.literal(f, 4, 4, 'f');
  link.layOut();
  ASSERT_TRUE(k.constant2);
  EXPECT_EQ(k.constant2->name, ".nv.constant2.k");
  EXPECT_EQ(k.constant2->size, 4u);
}

// [literals-copied]
TEST(LayoutConstants, LiteralsThatNoKernelReachesGo) {
  LiteralLink link;
  Function &k = link.kernel("k"), &f = link.function("f");
  link.literal(f, 4, 4, 'f');
  link.layOut();
  EXPECT_FALSE(f.constant2->reachable);
  EXPECT_FALSE(k.constant2);
}

TEST(LayoutConstants, RelocatableOutputKeepsLiteralsWhereTheyAre) {
  LiteralLink link;
  link.makeRelocatable();
  Function &k = link.kernel("k"), &f = link.function("f");
  link.call(k, f);
  link.literal(f, 4, 4, 'f');
  link.layOut();
  EXPECT_TRUE(f.constant2->reachable);
  EXPECT_FALSE(k.constant2);
}

// [null-symbol-value], [literals-of-replaced]: two definitions' literals.
TEST(LayoutConstants, LiteralsOfAReplacedDefinitionGiveSymbol0AValue) {
  LiteralLink link;
  Function &k = link.kernel("k"), &f = link.function("f");
  link.call(k, f);
  link.literal(k, 16, 4, 'k');
  link.literal(f, 8, 4, 'f');
  link.literal(f, 4, 4, 'g');
  link.layOut();
  EXPECT_EQ(link.ctx.program.nullSymbolValue, 24u);
}

// [literals-pool]: kernels backwards, each followed by what it reaches.
TEST(LayoutConstants, Above64KBAllKernelsGetOnePool) {
  LiteralLink link;
  Function &first = link.kernel("first"), &second = link.kernel("second");
  Function &f = link.function("f");
  link.call(first, f);
  Variable &large = link.literal(first, MaxBank - 8, 4, 'l');
  Variable &small = link.literal(first, 8, 4, 'x');
  Variable &ofF = link.literal(f, 8, 4, 'x');
  Variable &ofSecond = link.literal(second, 8, 4, 'x');
  link.layOut();
  EXPECT_TRUE(link.messages.empty());
  EXPECT_EQ(ofSecond.pooledOffset, 0u);
  EXPECT_EQ(large.pooledOffset, 8u);
  EXPECT_EQ(small.pooledOffset, 0u) << "equal literals stand once";
  EXPECT_EQ(ofF.pooledOffset, 0u);
  EXPECT_EQ(first.constant2->size, MaxBank);
  EXPECT_EQ(second.constant2->size, MaxBank);
}

// [literals-pool]
TEST(LayoutConstants, UpTo64KBThereIsNoPool) {
  LiteralLink link;
  Function &k = link.kernel("k"), &f = link.function("f");
  link.call(k, f);
  link.literal(k, MaxBank - 8, 4, 'l');
  Variable &ofF = link.literal(f, 8, 4, 'x');
  link.layOut();
  EXPECT_FALSE(ofF.pooledOffset);
  EXPECT_EQ(f.constant2->displacement(), MaxBank - 8);
}

// [literals-pool]
TEST(LayoutConstants, APoolAbove64KBIsAnError) {
  LiteralLink link;
  Function &k = link.kernel("k"), &f = link.function("f");
  link.call(k, f);
  link.literal(k, MaxBank - 4, 4, 'k');
  link.literal(f, 8, 4, 'f');
  link.layOut();
  EXPECT_EQ(link.ids(), std::vector{DiagId::CompilerConstantLimit});
}

} // namespace
