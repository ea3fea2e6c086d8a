//===- RelocationsTest.cpp - Relocation tables and fields -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/BinaryFormat/Relocations.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "gtest/gtest.h"
#include <set>

using namespace lld::cuda::elf;
using namespace llvm;

namespace {

constexpr uint32_t LastCuda = R_CUDA_NONE_LAST;
constexpr uint32_t FirstMercury = 0x10000, LastMercury = 0x1003f;

std::vector<uint32_t> allTypes() {
  std::vector<uint32_t> types;
  for (uint32_t type = 0; type <= LastCuda; ++type)
    types.push_back(type);
  for (uint32_t type = FirstMercury; type <= LastMercury; ++type)
    types.push_back(type);
  return types;
}

TEST(Relocations, HaveNoGaps) {
  EXPECT_EQ(LastCuda, 116u);
  for (uint32_t type : allTypes())
    EXPECT_NE(getRelocationInfo(type), nullptr) << type;
}

TEST(Relocations, UnknownTypesHaveNoRow) {
  for (uint32_t type : {LastCuda + 1, FirstMercury - 1, LastMercury + 1, ~0u}) {
    EXPECT_EQ(getRelocationInfo(type), nullptr) << type;
    EXPECT_EQ(getRelocationName(type), "") << type;
  }
}

TEST(Relocations, NamesAreUnique) {
  StringSet<> names;
  for (uint32_t type : allTypes())
    EXPECT_TRUE(names.insert(getRelocationName(type)).second) << type;
}

TEST(Relocations, NamesBelongToTheirNumbers) {
  EXPECT_EQ(getRelocationName(2), "R_CUDA_64");
  EXPECT_EQ(getRelocationName(56), "R_CUDA_ABS32_LO_32");
  EXPECT_EQ(getRelocationName(73), "R_CUDA_UNUSED_CLEAR64");
  EXPECT_EQ(getRelocationName(75), "R_CUDA_ABS55_16_34");
  EXPECT_EQ(getRelocationName(115), "R_CUDA_CONST_FIELD22_37");
  EXPECT_EQ(getRelocationName(0x10028), "R_MERCURY_ABS_PROG_REL32_LO");
}

TEST(Relocations, UnifiedTypesAreReplaced) {
  const std::pair<uint32_t, uint32_t> replaced[] = {
      {102, 2},           {103, 1},           {104, 76},
      {105, 77},          {106, 78},          {107, 79},
      {108, 80},          {109, 81},          {110, 82},
      {111, 83},          {112, 56},          {113, 57},
      {0x10032, 0x10002}, {0x10033, 0x10003}, {0x10034, 0x10010},
      {0x1003b, 0x10017}, {0x1003e, 0x10005}, {0x1003f, 0x10006}};
  for (auto [type, finalType] : replaced) {
    const RelocationInfo &info = *getRelocationInfo(type);
    const RelocationInfo &final = *getRelocationInfo(finalType);
    EXPECT_EQ(info.finalType, finalType);
    EXPECT_EQ(info.action, final.action) << type;
    EXPECT_EQ(info.bit, final.bit) << type;
    EXPECT_EQ(info.shift, final.shift) << type;
    EXPECT_EQ(info.width, final.width) << type;
  }
  for (uint32_t type : allTypes()) {
    const RelocationInfo &info = *getRelocationInfo(type);
    EXPECT_EQ(info.finalType != type, StringRef(info.name).contains("UNIFIED"))
        << info.name.str();
    EXPECT_EQ(getRelocationInfo(info.finalType)->finalType, info.finalType);
  }
}

// [relocation-fate]
TEST(Relocations, ActionsAreThoseTriedOut) {
  auto typesOf = [](RelocAction action) {
    std::vector<uint32_t> types;
    for (uint32_t type = 0; type <= LastCuda; ++type)
      if (getRelocationInfo(type)->action == action)
        types.push_back(type);
    return types;
  };
  using Types = std::vector<uint32_t>;
  EXPECT_EQ(typesOf(RelocAction::Ignore), Types({0, 68, 69}));
  EXPECT_EQ(typesOf(RelocAction::Clear32), Types({72}));
  EXPECT_EQ(typesOf(RelocAction::Clear64), Types({73}));
  EXPECT_EQ(typesOf(RelocAction::Keep),
            Types({3,  4,  6,  7,  8,  9,  52, 53, 58, 67, 75, 84, 85,  86, 87,
                   88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 101, 114}));
  EXPECT_EQ(typesOf(RelocAction::PCRel), Types({40, 41}));
  EXPECT_EQ(typesOf(RelocAction::FuncDesc),
            Types({31, 32, 33, 34, 35, 47, 48, 49, 61, 62, 63}));
  EXPECT_EQ(typesOf(RelocAction::Byte), Types({77, 78, 79, 80, 81, 82, 83, 105,
                                               106, 107, 108, 109, 110, 111}));
  EXPECT_EQ(typesOf(RelocAction::Constant),
            Types({24, 25, 36, 37, 38, 39, 50, 54, 64, 66, 115}));
  EXPECT_EQ(typesOf(RelocAction::Invalid), Types({116}));
}

TEST(Relocations, WhatIsResolvedHasAField) {
  for (uint32_t type : allTypes()) {
    const RelocationInfo &info = *getRelocationInfo(type);
    bool isResolved = info.action == RelocAction::Field ||
                      info.action == RelocAction::Byte ||
                      info.action == RelocAction::Constant;
    bool isCleared = info.action == RelocAction::Clear32 ||
                     info.action == RelocAction::Clear64;
    EXPECT_EQ(info.width != 0, isResolved || isCleared) << info.name.str();
    EXPECT_EQ(info.bankBit != NoBank, info.action == RelocAction::Constant)
        << info.name.str();
  }
}

struct PatchCase {
  uint32_t type;
  uint64_t before;
  uint64_t value;
  uint8_t bank;
  bool implicitAddend;
  uint64_t after;
};

const PatchCase patchCases[] = {
#include "RelocationCases.inc"
};

// [relocation-fields]
TEST(PatchRelocation, AgreesWithTheReferenceModel) {
  for (const PatchCase &c : patchCases) {
    // Bytes behind the eighth are never touched.
    uint8_t bytes[16];
    support::endian::write64le(bytes, c.before);
    support::endian::write64le(bytes + 8, ~c.before);
    const RelocationInfo &info = *getRelocationInfo(c.type);
    ASSERT_TRUE(
        patchRelocation(bytes, info, c.value, c.bank, c.implicitAddend));
    EXPECT_EQ(support::endian::read64le(bytes), c.after)
        << info.name.str() << (c.implicitAddend ? " REL" : " RELA");
    EXPECT_EQ(support::endian::read64le(bytes + 8), ~c.before);
  }
}

TEST(PatchRelocation, CasesCoverEveryTypeThatIsResolved) {
  std::set<std::pair<uint32_t, bool>> covered;
  for (const PatchCase &c : patchCases)
    covered.insert({c.type, c.implicitAddend});
  for (uint32_t type = 0; type <= LastCuda; ++type) {
    RelocAction action = getRelocationInfo(type)->action;
    if (action == RelocAction::Field || action == RelocAction::Byte ||
        action == RelocAction::Constant) {
      EXPECT_EQ(covered.count({type, false}), 1u) << type;
      EXPECT_EQ(covered.count({type, true}), 1u) << type;
    }
  }
}

// [relocation-values-cut]
TEST(PatchRelocation, ChangesNothingOutsideTheField) {
  for (uint32_t type : allTypes()) {
    const RelocationInfo &info = *getRelocationInfo(type);
    if (info.width == 0)
      continue;
    uint8_t zeros[8] = {}, ones[8];
    memset(ones, 0xff, sizeof(ones));
    patchRelocation(zeros, info, ~0ull, 31, false);
    patchRelocation(ones, info, 0, 0, false);
    EXPECT_EQ(support::endian::read64le(zeros),
              ~support::endian::read64le(ones))
        << info.name.str();
    unsigned bits = info.width + (info.bankBit == NoBank ? 0 : 5);
    EXPECT_EQ(llvm::popcount(support::endian::read64le(zeros)), int(bits))
        << info.name.str();
  }
}

// [relocation-values]: the bank.
TEST(PatchRelocation, BankOfConstField19_28IsSplit) {
  uint8_t bytes[8] = {};
  const RelocationInfo &info = *getRelocationInfo(R_CUDA_CONST_FIELD19_28);
  patchRelocation(bytes, info, 0, 0x13, false);
  EXPECT_EQ(support::endian::read64le(bytes), 3ull << 42 | 1ull << 26);
}

// [relocation-past-end]
TEST(PatchRelocation, BitsPastTheEndAreLost) {
  std::vector<uint8_t> bytes = {0xff, 0xff, 0xff};
  const RelocationInfo &info = *getRelocationInfo(R_CUDA_64);
  EXPECT_TRUE(patchRelocation(bytes, info, 0x8877665544332211, 0, false));
  EXPECT_EQ(bytes, std::vector<uint8_t>({0x11, 0x22, 0x33}));
  EXPECT_TRUE(patchRelocation({}, info, 1, 0, false));
}

TEST(PatchRelocation, RefusesTypesWithoutAField) {
  uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  uint64_t before = support::endian::read64le(bytes);
  for (uint32_t type : {R_CUDA_NONE, R_CUDA_G64, R_CUDA_ABS55_16_34,
                        R_CUDA_NONE_LAST, R_MERCURY_PROG_REL32})
    EXPECT_FALSE(
        patchRelocation(bytes, *getRelocationInfo(type), ~0ull, 0, false));
  EXPECT_EQ(support::endian::read64le(bytes), before);
}

// [mercury-code-format]
TEST(PatchRelocation, MercuryFieldsAreWholeBytes) {
  const std::tuple<uint32_t, uint64_t> cases[] = {
      {R_MERCURY_ABS16, 0xffffffffffff7788},
      {R_MERCURY_ABS32, 0xffffffff55667788},
      {R_MERCURY_ABS64, 0x1122334455667788},
      {R_MERCURY_ABS32_LO, 0xffffffff55667788},
      {R_MERCURY_ABS32_HI, 0xffffffff11223344},
      {R_MERCURY_8_16, 0xffffffffffffff66}};
  for (auto [type, after] : cases) {
    uint8_t bytes[8];
    memset(bytes, 0xff, sizeof(bytes));
    patchRelocation(bytes, *getRelocationInfo(type), 0x1122334455667788, 0,
                    false);
    EXPECT_EQ(support::endian::read64le(bytes), after) << type;
  }
}

TEST(ReadRelocationField, GivesTheShiftedValue) {
  constexpr uint64_t value = 0x1122334455667788;
  for (uint32_t type : allTypes()) {
    const RelocationInfo &info = *getRelocationInfo(type);
    uint8_t bytes[8];
    memset(bytes, 0xff, sizeof(bytes));
    patchRelocation(bytes, info, value, 0, false);
    uint64_t mask = info.width == 64 ? ~0ull : (1ull << info.width) - 1;
    EXPECT_EQ(readRelocationField(bytes, info), value >> info.shift & mask)
        << info.name.str();
  }
}

TEST(ReadRelocationField, BitsPastTheEndAreZero) {
  const uint8_t bytes[] = {0x11, 0x22, 0x33};
  EXPECT_EQ(readRelocationField(bytes, *getRelocationInfo(R_CUDA_64)),
            0x332211u);
  EXPECT_EQ(readRelocationField({}, *getRelocationInfo(R_CUDA_64)), 0u);
}

} // namespace
