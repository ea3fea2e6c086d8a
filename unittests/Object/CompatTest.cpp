//===- CompatTest.cpp - Compatibility attributes --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/Compat.h"
#include "CubinTestUtils.h"
#include <set>

using namespace lld::cuda;
using namespace lld::cuda::elf;
using namespace lld::cuda::test;

namespace {

TEST(Compat, TableHasTheKnownCodes) {
  std::set<unsigned> codes, merged;
  std::set<std::string> names;
  for (unsigned code = 0; code < 256; ++code)
    if (const CompatAttribute *attribute = getCompatAttribute(code)) {
      codes.insert(code);
      EXPECT_TRUE(names.insert(attribute->name.str()).second) << code;
      if (attribute->policy != CompatPolicy::Ignore)
        merged.insert(code);
    }
  EXPECT_EQ(codes,
            std::set<unsigned>({2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15}));
  EXPECT_EQ(merged, std::set<unsigned>({2, 3, 5, 6, 7, 8, 11, 12, 13, 14, 15}));
}

// [compat-table]
TEST(Compat, Defaults) {
  EXPECT_EQ(getCompatAttribute(COMPAT_ISA_CLASS)->defaultValue, 0u);
  EXPECT_EQ(getCompatAttribute(3)->defaultValue, 3u);
  EXPECT_EQ(getCompatAttribute(5)->defaultValue, 0u);
  EXPECT_EQ(getCompatAttribute(6)->defaultValue, 1u);
  EXPECT_EQ(getCompatAttribute(7)->defaultValue, 0x100u);
  EXPECT_EQ(getCompatAttribute(8)->defaultValue, std::nullopt);
}

// The record's own format is ignored: byte 2 counts for codes that are written
// as a byte, bytes 2 and 3 for the others.
TEST(Compat, ValueHasTheWidthOfTheOutput) {
  for (uint8_t format : {EIFMT_BVAL, EIFMT_HVAL}) {
    NvInfoRecord record;
    record.format = format;
    record.value = 0x1234;
    EXPECT_EQ(getCompatValue(*getCompatAttribute(2), record), 0x34u);
    EXPECT_EQ(getCompatValue(*getCompatAttribute(6), record), 0x34u);
    EXPECT_EQ(getCompatValue(*getCompatAttribute(7), record), 0x1234u);
    EXPECT_EQ(getCompatValue(*getCompatAttribute(8), record), 0x1234u);
  }
}

TEST(Compat, ZeroAbsorbs) {
  EXPECT_EQ(combineCompat(CompatPolicy::MinZeroMax, 0, 7), 0u);
  EXPECT_EQ(combineCompat(CompatPolicy::MinZeroMax, 7, 0), 0u);
  EXPECT_EQ(combineCompat(CompatPolicy::MinZeroMax, 3, 7), 7u);
  EXPECT_EQ(combineCompat(CompatPolicy::MinZeroMax, 7, 3), 7u);
}

TEST(Compat, BitsAreJoined) {
  EXPECT_EQ(combineCompat(CompatPolicy::Or, 5, 2), 7u);
}

TEST(Compat, FieldsOfTwoBits) {
  auto combine = [](uint16_t first, uint16_t next) {
    return combineCompat(CompatPolicy::NibbleMax, first, next);
  };
  EXPECT_EQ(combine(0, 5), 0u);
  EXPECT_EQ(combine(5, 0), 0u);
  EXPECT_EQ(combine(0b0101, 0b0101), 0b0101u);
  EXPECT_EQ(combine(0b0110, 0b1001), 0b1010u);
  // Zero absorbs in each field by itself.
  EXPECT_EQ(combine(0b0011, 0b0111), 0b0011u);
  EXPECT_EQ(combine(0b1100, 0b0111), 0b1100u);
  // Bits 4 to 7 are those of the first.
  EXPECT_EQ(combine(0xa5, 0x55), 0xa5u);
  EXPECT_EQ(combine(0x55, 0xa5), 0x55u);
}

TEST(Compat, DifferentValuesGiveOne) {
  EXPECT_EQ(combineCompat(CompatPolicy::SameOrOne, 9, 9), 9u);
  EXPECT_EQ(combineCompat(CompatPolicy::SameOrOne, 0, 9), 1u);
}

TEST(Compat, Maximum) {
  EXPECT_EQ(combineCompat(CompatPolicy::Max, 0x100, 0x101), 0x101u);
  EXPECT_EQ(combineCompat(CompatPolicy::Max, 0x101, 0), 0x101u);
}

TEST(Compat, CommonBits) {
  EXPECT_EQ(combineCompat(CompatPolicy::And, 0x1'0000'0009, 0x1'0000'0050),
            0x1'0000'0000u);
}

// [compat-table]
TEST(Compat, LaterReleasesLeaveDefaultsOut) {
  EXPECT_EQ(getCompatAttribute(2)->unwritten, 0u);
  EXPECT_EQ(getCompatAttribute(5)->unwritten, 131u);
  EXPECT_EQ(getCompatAttribute(7)->unwritten, 133u);
}

TEST(Compat, IgnoredCodesKeepTheFirst) {
  EXPECT_EQ(combineCompat(CompatPolicy::Ignore, 1, 2), 1u);
}

TEST(Compat, CompilerOutputHasKnownCodes) {
  for (const char *name :
       {"Cubin/first.sm_90.cubin", "Cubin/first.sm_100.cubin"}) {
    std::string data = readInput(name);
    auto file = CubinFile::create({data, name});
    ASSERT_EQ(message(file.takeError()), "");
    unsigned section = file->findSection(".nv.compat");
    ASSERT_NE(section, 0u);
    std::vector<unsigned> codes;
    EXPECT_EQ(message(forEachNvInfoRecord(
                  file->contents(section),
                  [&](size_t, const NvInfoRecord &record) {
                    codes.push_back(record.code);
                    const CompatAttribute *attribute =
                        getCompatAttribute(record.code);
                    EXPECT_NE(attribute, nullptr) << record.code;
                    if (attribute) {
                      EXPECT_EQ(record.format, attribute->format);
                    }
                    return llvm::Error::success();
                  })),
              "");
    EXPECT_EQ(codes, std::vector<unsigned>({9, 2, 5, 7, 3, 6, 11}));
  }
}

} // namespace
