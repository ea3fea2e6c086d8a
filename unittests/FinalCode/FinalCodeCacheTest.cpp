//===- FinalCodeCacheTest.cpp - When a cache knows a function -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A FinalCodeCache returns the final code of a function only if everything is
/// as it was when that was added: every byte of the code, the edit, and what
/// the link wants.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/FinalCode/FinalCodeCache.h"
#include "gtest/gtest.h"
#include <deque>

using namespace llvm;
using namespace lld::cuda;

namespace {

/// A function of two instructions, and what a link makes of it.
struct Sample {
  Sample() {
    function.code.native = native;
    function.code.mercury = mercury;
    function.sm = 100;
    function.toolkit = 130;
    function.isKernel = function.isFinal = true;
  }

  std::vector<uint8_t> native = std::vector<uint8_t>(32, 1);
  std::vector<uint8_t> mercury = std::vector<uint8_t>(48, 2);
  FunctionToSchedule function = {};
};

class Cache {
public:
  void add(const FunctionToSchedule &f, uint8_t byte) {
    std::vector<uint8_t> bytes(32, byte);
    cache.add(&place, f, {bytes, {}});
  }
  /// Returns the first byte of the final code; 0 if the cache doesn't know it.
  unsigned find(const FunctionToSchedule &f) {
    FinalCode found;
    auto allocate = [&](size_t size) {
      return memory.emplace_back(size).data();
    };
    if (!cache.find(&place, f, allocate, found))
      return 0;
    EXPECT_TRUE(found.mercury.empty());
    EXPECT_EQ(found.native.size(), 32u);
    EXPECT_EQ(found.native.data(), memory.back().data());
    return found.native.front();
  }
  bool knowsOther(const FunctionToSchedule &f) {
    FinalCode found;
    return cache.find(&otherPlace, f, nullptr, found);
  }

private:
  FinalCodeCache cache;
  std::deque<std::vector<uint8_t>> memory;
  uint8_t place = 0, otherPlace = 0;
};

TEST(FinalCodeCache, KnowsTheSameFunctionOnly) {
  Sample first, second;
  Cache cache;
  EXPECT_EQ(cache.find(first.function), 0u);
  cache.add(first.function, 7);
  EXPECT_EQ(cache.find(second.function), 7u);
  EXPECT_FALSE(cache.knowsOther(second.function));
}

TEST(FinalCodeCache, DoesNotReferToWhatItWasGiven) {
  Sample second;
  Cache cache;
  {
    Sample first;
    cache.add(first.function, 7);
    first.native.assign(32, 9);
  }
  EXPECT_EQ(cache.find(second.function), 7u);
}

TEST(FinalCodeCache, ComparesEveryByte) {
  Sample first, relocated, moved;
  Cache cache;
  cache.add(first.function, 7);
  relocated.native[20] = 3;
  EXPECT_EQ(cache.find(relocated.function), 0u);
  moved.mercury[47] = 3;
  EXPECT_EQ(cache.find(moved.function), 0u);
  cache.add(relocated.function, 8);
  EXPECT_EQ(cache.find(relocated.function), 8u);
  EXPECT_EQ(cache.find(first.function), 7u);
}

TEST(FinalCodeCache, ComparesWhatTheLinkWants) {
  Sample sample;
  Cache cache;
  cache.add(sample.function, 7);
  auto expectUnknown = [&](auto change) {
    FunctionToSchedule f = sample.function;
    change(f);
    EXPECT_EQ(cache.find(f), 0u);
  };
  const CodeEdit edit;
  expectUnknown([&](auto &f) { f.code.edit = &edit; });
  expectUnknown([](auto &f) { f.code.isOldest = true; });
  expectUnknown([](auto &f) { f.sm = 103; });
  expectUnknown([](auto &f) { f.toolkit = 131; });
  expectUnknown([](auto &f) { f.isKernel = false; });
  expectUnknown([](auto &f) { f.isFinal = false; });
  expectUnknown([](auto &f) { f.isDebugLink = true; });
  expectUnknown([](auto &f) { f.tables = {{0, {1}}}; });
  expectUnknown([](auto &f) { f.looksBeyondBlocks = true; });
  expectUnknown([](auto &f) { f.hasFp64Events = true; });
  expectUnknown([](auto &f) { f.hasTwoOperandAdditions = true; });
  EXPECT_EQ(cache.find(sample.function), 7u);
}

TEST(FinalCodeCache, KeepsFewResultsOfAFunction) {
  Cache cache;
  std::deque<Sample> samples(5);
  for (uint8_t i = 0; i != samples.size(); ++i) {
    samples[i].native[0] = 10 + i;
    cache.add(samples[i].function, 20 + i);
  }
  EXPECT_EQ(cache.find(samples[3].function), 23u);
  EXPECT_EQ(cache.find(samples[4].function), 0u);
}

} // namespace
