//===- NvInfoTest.cpp - Records of .nv.info -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/NvInfo.h"
#include "CubinTestUtils.h"
#include "llvm/ADT/StringExtras.h"

using namespace lld::cuda;
using namespace lld::cuda::elf;
using namespace lld::cuda::test;
using llvm::StringRef;

namespace {

using Bytes = std::vector<uint8_t>;

std::vector<std::pair<size_t, NvInfoRecord>>
read(llvm::ArrayRef<uint8_t> bytes) {
  std::vector<std::pair<size_t, NvInfoRecord>> records;
  EXPECT_EQ(message(forEachNvInfoRecord(
                bytes,
                [&](size_t offset, const NvInfoRecord &record) {
                  records.push_back({offset, record});
                  return llvm::Error::success();
                })),
            "");
  return records;
}

std::string readError(const Bytes &bytes) {
  return message(forEachNvInfoRecord(bytes, [](size_t, const NvInfoRecord &) {
    return llvm::Error::success();
  }));
}

TEST(NvInfoRecords, AllFormats) {
  Bytes bytes = {1, 0x41, 0,    0,                               // No value.
                 2, 0x4c, 9,    0,                               // A byte.
                 3, 0x1b, 0x34, 0x12,                            // 16 bits.
                 4, 0x11, 8,    0,    5, 0, 0, 0, 0x10, 0, 0, 0, // A payload.
                 4, 0x0f, 0,    0}; // An empty one.
  auto records = read(bytes);
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(records[0].second.code, EIATTR_RESERVED_SMEM_USED);
  EXPECT_EQ(records[1].second.value, 9u);
  EXPECT_FALSE(records[1].second.hasPayload());
  EXPECT_EQ(records[2].second.value, 0x1234u);
  EXPECT_EQ(records[3].first, 12u);
  EXPECT_EQ(records[3].second.wordCount(), 2u);
  EXPECT_EQ(records[3].second.word(0), 5u);
  EXPECT_EQ(records[3].second.word(1), 0x10u);
  EXPECT_EQ(records[4].first, 24u);
  EXPECT_TRUE(records[4].second.hasPayload());
  EXPECT_TRUE(records[4].second.payload.empty());
}

// [attribute-table]
// makes a record of four bytes.
TEST(NvInfoRecords, NeitherPaddedNorFiltered) {
  auto records = read(Bytes{4, 0xfe, 1, 0, 0x99, 0x84, 0x50, 0xff, 0xff});
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1].first, 5u);
  EXPECT_EQ(records[1].second.format, 0x84);
  EXPECT_EQ(records[1].second.value, 0xffffu);
}

TEST(NvInfoRecords, EmptySection) { EXPECT_TRUE(read({}).empty()); }

TEST(NvInfoRecords, CutHeader) {
  EXPECT_EQ(readError({1, 2, 0}),
            "record at offset 0x0 is cut off: 3 bytes left");
  EXPECT_EQ(readError({1, 0x41, 0, 0, 4}),
            "record at offset 0x4 is cut off: 1 bytes left");
}

TEST(NvInfoRecords, CutPayload) {
  EXPECT_EQ(readError({1, 0x41, 0, 0, 4, 0x2f, 8, 0, 1, 2, 3}),
            "record at offset 0x4 (code 0x2f) is cut off: payload of 8 bytes, "
            "3 left");
}

TEST(NvInfoRecords, VisitorStopsTheWalk) {
  unsigned visited = 0;
  Bytes bytes = {1, 0x41, 0, 0, 1, 0x41, 0, 0, 4};
  EXPECT_EQ(message(forEachNvInfoRecord(bytes,
                                        [&](size_t, const NvInfoRecord &) {
                                          ++visited;
                                          return llvm::createStringError(
                                              "enough");
                                        })),
            "enough");
  EXPECT_EQ(visited, 1u);
}

TEST(NvInfoRecords, WriteIsTheInverseOfRead) {
  for (const char *name : {"first.sm_75", "linked.sm_90", "first.sm_100"}) {
    std::string data = readInput((StringRef("Cubin/") + name + ".cubin").str());
    auto file = CubinFile::create({data, name});
    ASSERT_EQ(message(file.takeError()), "");
    unsigned sections = 0;
    for (unsigned i = 0; i < file->sections().size(); ++i) {
      uint32_t type = file->sections()[i].sh_type;
      if (type != SHT_CUDA_INFO && type != SHT_CUDA_MERC_INFO &&
          type != SHT_CUDA_COMPAT_INFO)
        continue;
      ++sections;
      llvm::SmallVector<char> written;
      for (auto &[offset, record] : read(file->contents(i)))
        writeNvInfoRecord(record, written);
      EXPECT_EQ(StringRef(written.data(), written.size()),
                llvm::toStringRef(file->contents(i)))
          << name << ' ' << file->sectionName(i).str();
    }
    EXPECT_GT(sections, 3u);
  }
}

} // namespace
