//===- RelocationFateTest.cpp - What becomes of a relocation --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expectations are the rules [relocation-fate], [relocation-values],
/// [relocation-removed-function], [relocatable-resolves-references],
/// [relocatable-line-table-offsets], [unified-table-references] and
/// [resolved-list], which tell what nvlink does.
///
//===----------------------------------------------------------------------===//

#include "Relocations/RelocationFate.h"
#include "gtest/gtest.h"

using namespace lld::cuda;
using namespace lld::cuda::elf;

namespace lld::cuda {
static bool operator==(RelocationValue a, RelocationValue b) {
  return a.address == b.address && a.bank == b.bank;
}
} // namespace lld::cuda

namespace {

const RelocationSite Final;

RelocationSite relocatable(bool hasMercury = false) {
  RelocationSite site;
  site.isRelocatable = true;
  site.hasMercury = hasMercury;
  return site;
}

Variable variable(llvm::StringRef name, uint8_t space,
                  uint8_t binding = STB_GLOBAL) {
  Variable v(name, binding, STT_CUDA_OBJECT, space);
  v.defined = true;
  return v;
}

RelocationValue value(const RelocationSite &site, const Symbol *s,
                      uint32_t type = R_CUDA_ABS32_LO_32, uint64_t base = 0) {
  return valueOf(site, *getRelocationInfo(type), s, base);
}

// Fates.

TEST(RelocationFate, CallsAndAddressesOfFunctionsAreKept) {
  Function f("f", STB_GLOBAL, 0);
  EXPECT_EQ(decide(Final, &f, R_CUDA_ABS55_16_34).fate, Fate::Keep);
  EXPECT_EQ(decide(Final, &f, R_CUDA_64).fate, Fate::Keep);
  EXPECT_EQ(decide(Final, &f, R_CUDA_YIELD_OPCODE9_0).fate, Fate::Keep);
  EXPECT_EQ(decide(Final, &f, 0x7fff).fate, Fate::Keep) << "an unknown type";
  EXPECT_EQ(decide(Final, &f, R_CUDA_NONE).fate, Fate::Drop);
  EXPECT_EQ(decide(Final, &f, R_CUDA_UNUSED_CLEAR64).fate, Fate::Drop);
}

TEST(RelocationFate, WhatNamesARemovedFunctionIsDroppedAndItsLengthCleared) {
  Function f("f", STB_GLOBAL, 0);
  f.reachable = false;
  EXPECT_EQ(decide(Final, &f, R_CUDA_64).fate, Fate::Drop);
  EXPECT_EQ(decide(Final, &f, R_CUDA_UNUSED_CLEAR32).fate, Fate::Clear);
  EXPECT_EQ(decide(Final, &f, R_CUDA_UNUSED_CLEAR64).fate, Fate::Clear);
}

TEST(RelocationFate, GlobalMemoryIsTheDrivers) {
  for (SectionKind kind : {SectionKind::Global, SectionKind::GlobalInit,
                           SectionKind::UnifiedData}) {
    OutputSection memory(kind, getSectionFacts(kind).name);
    Variable v = variable("v", STO_CUDA_GLOBAL);
    v.section = &memory;
    Symbol section(Symbol::Kind::Section, "", STB_LOCAL, STT_SECTION, 0);
    section.section = &memory;
    EXPECT_EQ(decide(Final, &v, R_CUDA_ABS32_LO_32).fate, Fate::Keep);
    EXPECT_EQ(decide(Final, &section, R_CUDA_64).fate, Fate::Keep);
  }
}

TEST(RelocationFate, ConstantsAreResolvedUnlessALaterLinkMayReplaceThem) {
  OutputSection bank(SectionKind::UserConstants, ".nv.constant3");
  Variable c = variable("c", STO_CUDA_CONSTANT);
  Variable weak = variable("w", STO_CUDA_CONSTANT, STB_WEAK);
  c.section = weak.section = &bank;
  EXPECT_EQ(decide(Final, &c, R_CUDA_CONST_FIELD22_37).fate, Fate::Resolve);
  EXPECT_EQ(decide(Final, &weak, R_CUDA_CONST_FIELD22_37).fate, Fate::Resolve);
  EXPECT_EQ(decide(relocatable(), &c, R_CUDA_64).fate, Fate::Resolve);
  EXPECT_EQ(decide(relocatable(), &weak, R_CUDA_64).fate, Fate::Keep);
}

TEST(RelocationFate, UndefinedGlobalVariablesAreKeptInRelocatableOutputOnly) {
  Variable v("v", STB_GLOBAL, STT_CUDA_OBJECT, STO_CUDA_GLOBAL);
  EXPECT_EQ(decide(relocatable(), &v, R_CUDA_64).fate, Fate::Keep);
  EXPECT_EQ(decide(Final, &v, R_CUDA_64).fate, Fate::Resolve);
  Variable c("c", STB_GLOBAL, STT_CUDA_OBJECT, STO_CUDA_CONSTANT);
  EXPECT_EQ(decide(relocatable(), &c, R_CUDA_64).fate, Fate::Resolve);
}

TEST(RelocationFate, TheTypeDecidesWhereTheAddressIsKnown) {
  struct {
    uint32_t type;
    Fate fate;
  } const cases[] = {
      {R_CUDA_NONE, Fate::Drop},
      {R_CUDA_YIELD_OPCODE9_0, Fate::Drop},
      {R_CUDA_UNUSED_CLEAR64, Fate::Drop},
      {R_CUDA_64, Fate::Resolve},
      {R_CUDA_8_0, Fate::Resolve},
      {R_CUDA_CONST_FIELD19_40, Fate::Resolve},
      {R_CUDA_G64, Fate::Keep},
      {R_CUDA_ABS47_34, Fate::Keep},
      {R_CUDA_PCREL_IMM24_26, Fate::LeavesSection},
      {R_CUDA_FUNC_DESC_64, Fate::Unexpected},
      {R_CUDA_NONE_LAST, Fate::Unexpected},
      {0x7fff, Fate::Unexpected},
  };
  OutputSection bank(SectionKind::UserConstants, ".nv.constant3");
  Symbol section(Symbol::Kind::Section, "", STB_LOCAL, STT_SECTION, 0);
  section.section = &bank;
  for (auto [type, fate] : cases) {
    EXPECT_EQ(decide(Final, nullptr, type).fate, fate) << type;
    EXPECT_EQ(decide(Final, &section, type).fate, fate) << type;
  }
}

TEST(RelocationFate, UnifiedTypesBecomePlainInAFinalLink) {
  Function f("f", STB_GLOBAL, 0);
  EXPECT_EQ(decide(Final, &f, R_CUDA_UNIFIED).type, uint32_t(R_CUDA_64));
  EXPECT_EQ(decide(Final, &f, R_CUDA_UNIFIED32_LO_32).type,
            uint32_t(R_CUDA_ABS32_LO_32));
  EXPECT_EQ(decide(relocatable(), &f, R_CUDA_UNIFIED).type,
            uint32_t(R_CUDA_UNIFIED));
}

TEST(RelocationFate, ReservedSharedMemoryIsKept) {
  Variable cap = variable(".nv.reservedSmem.cap", STO_CUDA_RESERVED_SHARED);
  Variable own = variable("barrier", STO_CUDA_RESERVED_SHARED);
  RelocationSite mercury;
  mercury.hasMercury = true;
  mercury.view = View::Mercury;
  EXPECT_EQ(decide(Final, &cap, R_CUDA_64).fate, Fate::Keep);
  EXPECT_EQ(decide(Final, &own, R_CUDA_64).fate, Fate::Resolve);
  EXPECT_EQ(decide(mercury, &own, R_CUDA_64).fate, Fate::Keep);
}

TEST(RelocationFate, TheUnifiedFunctionTableIsKeptWhereThereIsOne) {
  Variable offset("__UFT_OFFSET", STB_GLOBAL, STT_OBJECT, 0);
  Variable data("__UDT_OFFSET", STB_GLOBAL, STT_OBJECT, 0);
  RelocationSite site = relocatable();
  EXPECT_EQ(decide(Final, &offset, R_CUDA_64).fate, Fate::Drop);
  EXPECT_EQ(decide(site, &offset, R_CUDA_64).fate, Fate::Drop);
  site.hasUnifiedFunctions = true;
  EXPECT_EQ(decide(site, &offset, R_CUDA_64).fate, Fate::Keep);
  EXPECT_EQ(decide(site, &data, R_CUDA_64).fate, Fate::Drop);
}

TEST(RelocationFate, TexturesStayInRelocatableOutputWithAMercuryView) {
  Variable texture("t", STB_GLOBAL, STT_CUDA_TEXTURE, 0);
  RelocationSite code = relocatable(/*hasMercury=*/true);
  EXPECT_EQ(decide(relocatable(), &texture, R_CUDA_64).fate, Fate::Resolve);
  EXPECT_EQ(decide(code, &texture, R_CUDA_CONST_FIELD22_37).fate, Fate::Keep);
  code.isText = true;
  EXPECT_EQ(decide(code, &texture, R_CUDA_64).fate, Fate::Keep);
  EXPECT_EQ(decide(code, &texture, R_CUDA_CONST_FIELD22_37).fate,
            Fate::FillInAndKeep);
  code.view = View::Mercury;
  EXPECT_EQ(decide(code, &texture, R_CUDA_CONST_FIELD22_37).fate, Fate::Keep);
}

TEST(RelocationFate, PlacesInALineTableStayInRelocatableOutputWithMercury) {
  OutputSection lines(SectionKind::DebugLine, ".debug_line");
  Symbol section(Symbol::Kind::Section, "", STB_LOCAL, STT_SECTION, 0);
  section.section = &lines;
  EXPECT_EQ(decide(relocatable(true), &section, R_CUDA_32).fate, Fate::Keep);
  EXPECT_EQ(decide(relocatable(), &section, R_CUDA_32).fate, Fate::Resolve);
  EXPECT_EQ(decide(Final, &section, R_CUDA_32).fate, Fate::Resolve);
}

TEST(RelocationFate, ByDefaultRelocatableOutputKeepsEverything) {
  RelocationSite site = relocatable();
  site.resolvesReferences = false;
  Function f("f", STB_GLOBAL, 0);
  f.reachable = false;
  EXPECT_EQ(decide(site, &f, R_CUDA_UNUSED_CLEAR64).fate, Fate::Keep);
  EXPECT_EQ(decide(site, nullptr, R_CUDA_NONE).fate, Fate::Keep);
  EXPECT_EQ(decide(site, nullptr, 0x7fff).fate, Fate::Keep);
  EXPECT_EQ(decide(site, nullptr, R_CUDA_UNIFIED).type,
            uint32_t(R_CUDA_UNIFIED));
}

// Values.

TEST(RelocationValueTest, ConstantsHaveTheirSectionsBank) {
  OutputSection bank(SectionKind::UserConstants, ".nv.constant3");
  Variable c = variable("c", STO_CUDA_CONSTANT);
  c.section = &bank;
  c.value = 0x20;
  EXPECT_EQ(value(Final, &c), (RelocationValue{0x20, 3}));
  bank.makeExtras().displacement = 0x100;
  EXPECT_EQ(value(Final, &c), (RelocationValue{0x120, 3}));
  c.pooledOffset = 8;
  EXPECT_EQ(value(Final, &c), (RelocationValue{8, 2}));
}

TEST(RelocationValueTest, SectionsAreWhereTheFilesPartBegins) {
  OutputSection bank(SectionKind::Addresses, ".nv.constant4");
  Symbol section(Symbol::Kind::Section, "", STB_LOCAL, STT_SECTION, 0);
  section.section = &bank;
  EXPECT_EQ(value(Final, &section, R_CUDA_64, 0x40),
            (RelocationValue{0x40, 4}));
}

TEST(RelocationValueTest, WhatHasNoSectionHasTheBank28) {
  EXPECT_EQ(value(Final, nullptr), (RelocationValue{0, 28}));
  Variable c("c", STB_GLOBAL, STT_CUDA_OBJECT, STO_CUDA_CONSTANT);
  c.value = ~uint64_t(0);
  EXPECT_EQ(value(relocatable(), &c), (RelocationValue{~uint64_t(0), 28}));
  EXPECT_EQ(value(relocatable(true), &c), (RelocationValue{~uint64_t(0), 3}));
}

TEST(RelocationValueTest, SharedVariablesHaveAnAddressOnlyInAFinalLink) {
  Variable v = variable("v", STO_CUDA_SHARED);
  v.size = v.value = 16;
  EXPECT_EQ(value(Final, &v), (RelocationValue{~uint64_t(0), 6}));
  v.address = 0x80;
  EXPECT_EQ(value(Final, &v), (RelocationValue{0x80, 6}));
  EXPECT_EQ(value(relocatable(), &v), (RelocationValue{16, 6}));
}

TEST(RelocationValueTest, DynamicArraysBeginAfterTheirKernelsVariables) {
  Variable array("a", STB_GLOBAL, STT_CUDA_OBJECT, STO_CUDA_SHARED);
  Function kernel("k", STB_GLOBAL, 0);
  RelocationSite site;
  site.owner = &kernel;
  EXPECT_EQ(value(site, &array), (RelocationValue{~uint64_t(0), 6}));
  site.keepsDebugShared = true;
  array.debugOffset = 0x30;
  EXPECT_EQ(value(site, &array), (RelocationValue{0x30, 6}));
  kernel.dynamicSharedOffset = 0x50;
  EXPECT_EQ(value(site, &array), (RelocationValue{0x50, 6}));
}

TEST(RelocationValueTest, TexturesHaveSlots) {
  Variable t("t", STB_GLOBAL, STT_CUDA_TEXTURE, 0);
  t.textureSlot = 0x168;
  t.textureSlotOffset = 8;
  EXPECT_EQ(value(Final, &t), (RelocationValue{0x168, 0}));
  EXPECT_EQ(value(relocatable(), &t), (RelocationValue{0x168, 28}));
  RelocationSite mercury;
  mercury.hasMercury = true;
  EXPECT_EQ(value(mercury, &t, R_CUDA_CONST_FIELD22_37),
            (RelocationValue{0x168, 0}));
  EXPECT_EQ(value(mercury, &t, R_CUDA_ABS32_LO_32), (RelocationValue{8, 0}));
  mercury.view = View::Mercury;
  EXPECT_EQ(value(mercury, &t, R_CUDA_CONST_FIELD22_37),
            (RelocationValue{8, 0}));
}

// --preserve-relocs.

TEST(ResolvedList, TexturesAndDynamicArraysAreNotListed) {
  Variable texture("t", STB_GLOBAL, STT_CUDA_TEXTURE, 0);
  Variable array("a", STB_GLOBAL, STT_CUDA_OBJECT, STO_CUDA_SHARED);
  Variable v = variable("v", STO_CUDA_SHARED);
  EXPECT_FALSE(isListedWhenResolved(Final, &texture));
  EXPECT_FALSE(isListedWhenResolved(Final, &array));
  // [shared-unallocated]
  EXPECT_FALSE(isListedWhenResolved(Final, &v));
  EXPECT_TRUE(isListedWhenResolved(relocatable(), &v));
  v.address = 0;
  EXPECT_TRUE(isListedWhenResolved(Final, &v));
  EXPECT_TRUE(isListedWhenResolved(Final, nullptr));
  EXPECT_TRUE(isListedWhenResolved(relocatable(), &texture));
  RelocationSite debug;
  debug.keepsDebugShared = true;
  EXPECT_TRUE(isListedWhenResolved(debug, &array));
}

TEST(ResolvedList, WithAMercuryViewOnlySharedVariablesOfCodeAreListed) {
  Variable shared = variable("s", STO_CUDA_SHARED);
  shared.address = 0;
  Variable constant = variable("c", STO_CUDA_CONSTANT);
  RelocationSite site;
  site.hasMercury = true;
  EXPECT_FALSE(isListedWhenResolved(site, &shared));
  site.isText = true;
  EXPECT_TRUE(isListedWhenResolved(site, &shared));
  EXPECT_FALSE(isListedWhenResolved(site, &constant));
  EXPECT_FALSE(isListedWhenResolved(site, nullptr));
}

} // namespace
