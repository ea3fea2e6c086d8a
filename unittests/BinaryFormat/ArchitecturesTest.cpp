//===- ArchitecturesTest.cpp - SM architectures ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/BinaryFormat/Architectures.h"
#include "llvm/ADT/Twine.h"
#include "gtest/gtest.h"

using namespace lld::cuda::elf;

namespace {

// As nvlink --help lists them, without "sm_".
const char *const names[] = {
    "75",   "80",   "86",  "87",   "88",   "89",  "90",   "90a",  "100",
    "100a", "100f", "103", "103a", "103f", "107", "107a", "107f", "110",
    "110a", "110f", "120", "120a", "120f", "121", "121a", "121f"};

// As nvlink 12.4 --help lists them.
const char *const namesOf12[] = {"50", "52", "53", "60", "61", "62", "70", "72",
                                 "75", "80", "86", "87", "89", "90", "90a"};

TEST(Architectures, ParsesThoseOfNvlink) {
  for (const char *name : names) {
    auto arch = parseArchitecture(name);
    ASSERT_TRUE(arch) << name;
    const char *suffix = arch->suffix == Architecture::None     ? ""
                         : arch->suffix == Architecture::Family ? "f"
                                                                : "a";
    EXPECT_EQ((llvm::Twine(arch->number) + suffix).str(), name);
    EXPECT_NE(getArchitectureLimits(arch->number), nullptr);
  }
}

// [cuda12-architectures]
TEST(Architectures, OlderToolkitsHaveOthers) {
  for (const char *name : namesOf12) {
    auto arch = parseArchitecture(name);
    ASSERT_TRUE(arch) << name;
    EXPECT_EQ(getArchitectureLimits(arch->number)->since, 120u) << name;
    EXPECT_EQ(getArchitectureLimits(arch->number)->until <= 130,
              arch->number < 75)
        << name;
  }
  for (const char *name : names)
    EXPECT_GT(getArchitectureLimits(parseArchitecture(name)->number)->until,
              135u);
  EXPECT_EQ(getArchitectureLimits(107)->since, 134u);
}

TEST(Architectures, RefusesOthers) {
  for (const char *name :
       {"", "a", "35", "71", "70a", "75a", "89f", "90f", "90aa", "90A", "sm_90",
        "090", "+90", "90 ", "102", "130", "1000", "65626", "4294967386"})
    EXPECT_FALSE(parseArchitecture(name)) << name;
  EXPECT_EQ(getArchitectureLimits(71), nullptr);
  EXPECT_EQ(getArchitectureLimits(0), nullptr);
}

// [architecture-table]
TEST(Architectures, SharedMemoryLimits) {
  EXPECT_EQ(getArchitectureLimits(75)->sharedExtended, 0x10000u);
  EXPECT_EQ(getArchitectureLimits(87)->sharedExtended, 0x28c00u);
  EXPECT_EQ(getArchitectureLimits(89)->sharedExtended, 0x18c00u);
  EXPECT_EQ(getArchitectureLimits(90)->sharedExtended, 0x38c00u);
  EXPECT_EQ(getArchitectureLimits(121)->sharedExtended, 0x18c00u);
  for (const char *name : names)
    EXPECT_EQ(
        getArchitectureLimits(parseArchitecture(name)->number)->sharedDefault,
        0xc000u);
}

TEST(Architectures, HeadersInFrontOfMemory) {
  for (const char *name : names) {
    unsigned number = parseArchitecture(name)->number;
    const ArchitectureLimits &limits = *getArchitectureLimits(number);
    EXPECT_EQ(limits.reservedShared, number < 90 ? 0u : 0x400u);
    EXPECT_EQ(limits.constant0Base, number < 90    ? 0x160u
                                    : number < 100 ? 0x210u
                                                   : 0x380u);
  }
  for (const char *name : namesOf12) {
    unsigned number = parseArchitecture(name)->number;
    EXPECT_EQ(getArchitectureLimits(number)->constant0Base, number < 70 ? 0x140u
                                                            : number < 90
                                                                ? 0x160u
                                                                : 0x210u);
  }
}

/// What the matrix of one-object links showed [architecture-table],
/// which states the rule in another form than the table.
bool isCompatibleInMatrix(llvm::StringRef object, llvm::StringRef target) {
  auto number = [](llvm::StringRef name) { return name.rtrim("af"); };
  if (object == "80")
    return target == "80" || target == "86" || target == "89";
  if (object == "86")
    return target == "86" || target == "89";
  if (object == "100" || object == "100f")
    return number(target) == "100" || number(target) == "103";
  if (object == "120" || object == "120f")
    return number(target) == "120" || number(target) == "121";
  return number(object) == number(target);
}

// [architecture-pairs]
TEST(Architectures, CompatibilityIsThatOfTheMatrix) {
  for (const char *object : names)
    for (const char *target : names)
      EXPECT_EQ(isLinkCompatible(*parseArchitecture(object),
                                 *parseArchitecture(target), 130),
                isCompatibleInMatrix(object, target))
          << object << " into " << target;
}

/// The same for nvlink 12.4 and 12.5.
bool isCompatibleInMatrixOf12(llvm::StringRef object, llvm::StringRef target) {
  if (object == "50" || object == "60")
    return target == object || target == (object == "50" ? "52" : "61");
  if (object == "70")
    return target == "70" || target == "75";
  return isCompatibleInMatrix(object, target);
}

TEST(Architectures, CompatibilityIsThatOfTheMatrixOf12) {
  for (const char *object : namesOf12)
    for (const char *target : namesOf12)
      EXPECT_EQ(isLinkCompatible(*parseArchitecture(object),
                                 *parseArchitecture(target), 124),
                isCompatibleInMatrixOf12(object, target))
          << object << " into " << target;
}

} // namespace
