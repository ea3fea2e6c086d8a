//===- CoverageTest.cpp - Which code runs on which GPU --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rules of NVIDIA's documents, as tables.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Finished/Coverage.h"
#include "lld-cuda/Object/Fatbin.h"
#include "gtest/gtest.h"

using namespace lld::cuda;
using elf::Architecture;

static Architecture arch(const char *name) {
  return *elf::parseArchitecture(name);
}

// CUDA C++ Programming Guide, "Binary Compatibility": from X.y to X.z, z >= y,
// and not from or to a Tegra.
TEST(Coverage, BinaryCompatibility) {
  EXPECT_TRUE(runsOn(arch("80"), 80));
  EXPECT_TRUE(runsOn(arch("80"), 86));
  EXPECT_TRUE(runsOn(arch("80"), 89));
  EXPECT_FALSE(runsOn(arch("86"), 80));
  EXPECT_FALSE(runsOn(arch("89"), 90));
  EXPECT_FALSE(runsOn(arch("75"), 80));
  EXPECT_TRUE(runsOn(arch("100"), 103));
  EXPECT_TRUE(runsOn(arch("120"), 121));
  EXPECT_FALSE(runsOn(arch("100"), 120));
  EXPECT_FALSE(runsOn(arch("80"), 87)) << "Orin is a Tegra";
  EXPECT_TRUE(runsOn(arch("87"), 87));
  EXPECT_FALSE(runsOn(arch("87"), 89));
  EXPECT_FALSE(runsOn(arch("70"), 72));
}

// The same of CUDA 13, "Feature Set Compiler Targets".
TEST(Coverage, Suffixes) {
  EXPECT_TRUE(runsOn(arch("90a"), 90));
  EXPECT_FALSE(runsOn(arch("100a"), 103));
  EXPECT_TRUE(runsOn(arch("100f"), 100));
  EXPECT_TRUE(runsOn(arch("100f"), 103));
  EXPECT_FALSE(runsOn(arch("103f"), 100));
  EXPECT_FALSE(runsOn(arch("100f"), 110));
  EXPECT_TRUE(runsOn(arch("120f"), 121));
  EXPECT_FALSE(runsOn(arch("120a"), 121));
  EXPECT_FALSE(compilesFor(arch("90a"), 100));
  EXPECT_TRUE(compilesFor(arch("90a"), 90));
  EXPECT_TRUE(compilesFor(arch("100f"), 103));
  EXPECT_FALSE(compilesFor(arch("100f"), 120));
}

TEST(Coverage, PtxCompatibility) {
  for (const GpuFacts &gpu : allGpus()) {
    EXPECT_TRUE(compilesFor(arch("50"), gpu.number));
    EXPECT_EQ(compilesFor(arch("90"), gpu.number), gpu.number >= 90);
  }
}

// PTX ISA 9.3, "PTX Release History".
TEST(Coverage, Drivers) {
  ASSERT_TRUE(findDriver(570));
  EXPECT_EQ(findDriver(570)->ptx, Version(8, 7));
  EXPECT_EQ(findDriver(570)->cuda, Version(12, 8));
  EXPECT_FALSE(findDriver(571));
  EXPECT_FALSE(findDriver(0));
  EXPECT_EQ(findDriverForPtx({8, 5})->branch, 555);
  EXPECT_EQ(findDriverForPtx({9, 3})->branch, 610);
  EXPECT_FALSE(findDriverForPtx({9, 4}));
}

// Later branches never take less; each GPU is an architecture.
TEST(Coverage, TablesAreInOrder) {
  for (size_t i = 1; i < allDrivers().size(); ++i) {
    EXPECT_LT(allDrivers()[i - 1].branch, allDrivers()[i].branch);
    EXPECT_LE(allDrivers()[i - 1].ptx, allDrivers()[i].ptx);
    EXPECT_LT(allDrivers()[i - 1].cuda, allDrivers()[i].cuda);
  }
  for (const GpuFacts &gpu : allGpus()) {
    EXPECT_TRUE(elf::getArchitectureLimits(gpu.number));
    EXPECT_TRUE(findGpu(gpu.family));
    EXPECT_LE(gpu.family, gpu.number);
  }
}
