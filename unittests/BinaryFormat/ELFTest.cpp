//===- ELFTest.cpp - Names of ELF constants -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/BinaryFormat/ELF.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"
#include <set>

using namespace lld::cuda::elf;

namespace {

// [section-types]
TEST(SectionTypes, NamesAreUnique) {
  llvm::StringSet<> names;
  std::set<uint32_t> values;
#define CUDA_SECTION_TYPE(NAME, VALUE, NOBITS, DESCRIPTION)                    \
  EXPECT_TRUE(values.insert(VALUE).second);                                    \
  EXPECT_TRUE(names.insert(getSectionTypeName(VALUE)).second);                 \
  EXPECT_EQ("SHT_" + getSectionTypeName(VALUE).str(), #NAME);
#include "lld-cuda/BinaryFormat/SectionTypes.def"
  EXPECT_EQ(getSectionTypeName(SHT_PROGBITS), "PROGBITS");
  EXPECT_EQ(getSectionTypeName(0x7000ffff), "");
}

TEST(SectionTypes, ConstantBanks) {
  for (unsigned bank = 0; bank <= 17; ++bank) {
    EXPECT_TRUE(isConstantBank(SHT_CUDA_CONSTANT_B0 + bank));
    EXPECT_EQ(getSectionTypeName(SHT_CUDA_CONSTANT_B0 + bank),
              "CUDA_CONSTANT_B" + std::to_string(bank));
  }
  EXPECT_FALSE(isConstantBank(SHT_CUDA_CONSTANT_B0 - 1));
  EXPECT_FALSE(isConstantBank(SHT_CUDA_CONSTANT_B17 + 1));
}

// [file-offsets]
TEST(SectionTypes, WithoutBytes) {
  for (uint32_t type : {uint32_t(SHT_NOBITS), uint32_t(SHT_CUDA_GLOBAL),
                        uint32_t(SHT_CUDA_SHARED), uint32_t(SHT_CUDA_LOCAL),
                        uint32_t(SHT_CUDA_RESERVED_SHARED)})
    EXPECT_TRUE(isNoBits(type)) << type;
  EXPECT_FALSE(isNoBits(SHT_PROGBITS));
  EXPECT_FALSE(isNoBits(SHT_CUDA_GLOBAL_INIT));
  EXPECT_FALSE(isNoBits(SHT_CUDA_RESERVED_SHARED, SHF_CUDA_MERCURY));
}

TEST(SymbolTypes, Names) {
  EXPECT_EQ(getSymbolTypeName(STT_FUNC), "FUNC");
  EXPECT_EQ(getSymbolTypeName(STT_CUDA_OBJECT), "CUDA_OBJECT");
  EXPECT_EQ(STT_CUDA_OBJECT, 13);
  EXPECT_EQ(getSymbolTypeName(9), "");
}

TEST(SymbolTypes, SpacesIgnoreTheOtherBits) {
  EXPECT_EQ(getSymbolSpaceName(0x20 | 0x04), "CUDA_GLOBAL");
  EXPECT_EQ(getSymbolSpaceName(0x81), "CUDA_CONSTANT");
  EXPECT_EQ(getSymbolSpaceName(0xa0), "CUDA_RESERVED_SHARED");
  EXPECT_EQ(getSymbolSpaceName(0x10), "");
}

// Objects of ptxas 12.4 for sm_90a and 12.9 for sm_100a.
// [file-header]
TEST(FileFlags, OfTwoLayouts) {
  EXPECT_EQ(EF_CUDA_12_ARCHITECTURE.get(0x5a0d5a), 90u);
  EXPECT_EQ(EF_CUDA_12_VIRTUAL.get(0x500550), 80u);
  EXPECT_EQ(EF_CUDA_13_ARCHITECTURE.get(0x600640a), 100u);
  EXPECT_EQ(EF_CUDA_13_CUINFO.get(0xff00640au), 0xffu);
}

TEST(FileFlags, Names) {
  using Names = llvm::SmallVector<llvm::StringRef, 4>;
  uint32_t flags = 0x5a0d5a;
  EXPECT_EQ(takeFileFlagNames(/*hasOldHeader=*/true, flags),
            Names({"ACCELERATED", "64BIT_ADDRESS", "TEXMODE_UNIFIED"}));
  EXPECT_EQ(flags, 0u);
  flags = 0x600640a;
  EXPECT_EQ(takeFileFlagNames(/*hasOldHeader=*/false, flags),
            Names({"ACCELERATED", "MERCURY"}));
  EXPECT_EQ(flags, 0u);
  flags = 0x1500550;
  EXPECT_EQ(takeFileFlagNames(/*hasOldHeader=*/true, flags),
            Names({"64BIT_ADDRESS", "TEXMODE_UNIFIED"}));
  EXPECT_EQ(flags, 0x1000000u);
}

TEST(NoteTypes, Names) {
  EXPECT_EQ(getNoteTypeName(1000), "CUDA_CUINFO");
  EXPECT_EQ(getNoteTypeName(NT_CUDA_TKINFO), "CUDA_TKINFO");
  EXPECT_EQ(getNoteTypeName(1), "");
}

} // namespace
