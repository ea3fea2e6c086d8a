//===- InfoRecordsTest.cpp - Attributes of functions, as read -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InfoRecords.h"
#include "Input/ObjectFile.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace lld::cuda;
using namespace lld::cuda::elf;

namespace {

// A flag, two words, an empty payload.
constexpr uint8_t First[] = {EIFMT_NVAL, 0x04, 0, 0, EIFMT_SVAL, 0x10, 8, 0,
                             1,          0,    0, 0, 2,          0,    0, 0,
                             EIFMT_SVAL, 0x28, 0, 0};
constexpr uint8_t Second[] = {EIFMT_HVAL, 0x1b, 0xff, 0x01};

TEST(InfoRecords, NoneAtFirst) {
  llvm::BumpPtrAllocator arena;
  InfoRecords records;
  EXPECT_TRUE(records.empty());
  EXPECT_EQ(records.begin(), records.end());
  records.add(arena, {}, nullptr, 1);
  EXPECT_TRUE(records.empty());
  EXPECT_EQ(records.begin(), records.end());
}

TEST(InfoRecords, OneAfterTheOtherWithTheirSequence) {
  llvm::BumpPtrAllocator arena;
  InfoRecords records;
  records.add(arena, First, nullptr, 10);
  std::vector<InfoRecord> read(records.begin(), records.end());
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].record.code, 0x04);
  EXPECT_FALSE(read[0].record.hasPayload());
  EXPECT_EQ(read[1].record.code, 0x10);
  ASSERT_EQ(read[1].record.wordCount(), 2u);
  EXPECT_EQ(read[1].record.word(1), 2u);
  EXPECT_EQ(read[1].record.payload.data(), First + 8);
  EXPECT_EQ(read[2].record.code, 0x28);
  EXPECT_TRUE(read[2].record.hasPayload());
  EXPECT_TRUE(read[2].record.payload.empty());
  for (unsigned i = 0; i != 3; ++i)
    EXPECT_EQ(read[i].sequence, 10 + i);
}

TEST(InfoRecords, OfSeveralSectionsInTheirOrder) {
  llvm::BumpPtrAllocator arena;
  InfoRecords records;
  auto *first = reinterpret_cast<ObjectFile *>(8),
       *second = reinterpret_cast<ObjectFile *>(16);
  records.add(arena, Second, first, 3);
  records.add(arena, {}, second, 4);
  records.add(arena, First, second, 20);
  std::vector<uint32_t> sequences;
  for (const InfoRecord &r : records) {
    EXPECT_EQ(r.file, r.sequence == 3 ? first : second);
    sequences.push_back(r.sequence);
  }
  EXPECT_EQ(sequences, (std::vector<uint32_t>{3, 20, 21, 22}));
  EXPECT_EQ(records.begin()->record.value, 0x1ff);
  EXPECT_TRUE(
      std::any_of(records.begin(), records.end(),
                  [](const InfoRecord &r) { return r.record.code == 0x28; }));
  records.clear();
  EXPECT_EQ(records.begin(), records.end());
}

TEST(InfoRecords, ForwardsAndBackwards) {
  llvm::BumpPtrAllocator arena;
  InfoRecords records;
  records.add(arena, Second, nullptr, 3);
  records.add(arena, First, nullptr, 20);
  std::vector<uint32_t> forwards, backwards;
  std::vector<uint8_t> codes;
  records.forEach(false,
                  [&](const InfoRecord &r) { forwards.push_back(r.sequence); });
  records.forEach(true, [&](const InfoRecord &r) {
    backwards.push_back(r.sequence);
    codes.push_back(r.record.code);
  });
  EXPECT_EQ(forwards, (std::vector<uint32_t>{3, 20, 21, 22}));
  EXPECT_EQ(backwards, (std::vector<uint32_t>{22, 21, 20, 3}));
  EXPECT_EQ(codes, (std::vector<uint8_t>{0x28, 0x10, 0x04, 0x1b}));
}

TEST(InfoRecords, ThoseThatAreLeftKeepTheirSequence) {
  llvm::BumpPtrAllocator arena;
  InfoRecords records;
  auto *file = reinterpret_cast<ObjectFile *>(8);
  records.add(arena, First, file, 10);
  records.add(arena, Second, file, 13);
  auto sequences = [&] {
    std::vector<uint32_t> result;
    for (const InfoRecord &r : records) {
      EXPECT_EQ(r.file, file);
      result.push_back(r.sequence);
    }
    return result;
  };
  records.eraseIf(arena,
                  [](const InfoRecord &r) { return r.record.code == 0xff; });
  EXPECT_EQ(sequences(), (std::vector<uint32_t>{10, 11, 12, 13}));
  records.eraseIf(arena,
                  [](const InfoRecord &r) { return r.record.code == 0x10; });
  EXPECT_EQ(sequences(), (std::vector<uint32_t>{10, 12, 13}));
  records.eraseIf(arena, [](const InfoRecord &) { return true; });
  EXPECT_TRUE(records.empty());
}

} // namespace
