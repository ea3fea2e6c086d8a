//===- NvInfoTest.cpp - Attribute table -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/BinaryFormat/NvInfo.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"
#include <set>

using namespace lld::cuda::elf;

namespace {

constexpr unsigned CodeCount = 0x6e;

TEST(NvInfoAttributes, AreCompleteAndUnique) {
  llvm::StringSet<> names;
  for (unsigned code = 0; code < CodeCount; ++code) {
    const NvInfoAttribute *attribute = getNvInfoAttribute(code);
    ASSERT_NE(attribute, nullptr) << code;
    EXPECT_TRUE(llvm::StringRef(attribute->name).starts_with("EIATTR_"));
    EXPECT_TRUE(names.insert(attribute->name).second) << code;
  }
  for (unsigned code = CodeCount; code < 256; ++code)
    EXPECT_EQ(getNvInfoAttribute(code), nullptr) << code;
}

TEST(NvInfoAttributes, NamesBelongToTheirCodes) {
  EXPECT_EQ(getNvInfoAttribute(0x04)->name, "EIATTR_CTAIDZ_USED");
  EXPECT_EQ(getNvInfoAttribute(0x17)->name, "EIATTR_KPARAM_INFO");
  EXPECT_EQ(getNvInfoAttribute(0x2f)->name, "EIATTR_REGCOUNT");
  EXPECT_EQ(getNvInfoAttribute(0x4c)->name, "EIATTR_NUM_BARRIERS");
  EXPECT_EQ(getNvInfoAttribute(0x5f)->name, "EIATTR_MERCURY_ISA_VERSION");
  EXPECT_EQ(getNvInfoAttribute(0x6d)->name, "EIATTR_PREEXIT_USED");
}

// [attribute-table]
TEST(NvInfoAttributes, SymbolsAreWhereNvlinkRemapsThem) {
  std::set<unsigned> first, all;
  for (unsigned code = 0; code < CodeCount; ++code) {
    NvInfoSymbols symbols = getNvInfoAttribute(code)->symbols;
    if (symbols == NvInfoSymbols::First)
      first.insert(code);
    if (symbols == NvInfoSymbols::All)
      all.insert(code);
  }
  EXPECT_EQ(first, std::set<unsigned>({0x02, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x11,
                                       0x12, 0x13, 0x14, 0x17, 0x23, 0x26, 0x2f,
                                       0x3b, 0x45}));
  EXPECT_EQ(all, std::set<unsigned>({0x0f}));
}

// [attribute-table]
TEST(NvInfoAttributes, PropagatedFlags) {
  std::set<unsigned> flags;
  for (unsigned code = 0; code < CodeCount; ++code)
    if (getNvInfoAttribute(code)->policy == NvInfoPolicy::Flag)
      flags.insert(code);
  EXPECT_EQ(flags, std::set<unsigned>({0x04, 0x41, 0x51, 0x52, 0x54, 0x62}));
}

TEST(NvInfoAttributes, FinalLinkDrops) {
  for (uint8_t code :
       {EIATTR_ERROR, EIATTR_MAX_STACK_SIZE, EIATTR_LOAD_CACHE_REQUEST})
    EXPECT_EQ(getNvInfoAttribute(code)->policy, NvInfoPolicy::Drop) << code;
}

} // namespace
