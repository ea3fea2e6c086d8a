//===- MercuryTest.cpp - Sections of the Mercury view ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/Mercury.h"
#include "CubinTestUtils.h"
#include "llvm/ADT/StringExtras.h"

using namespace lld::cuda;
using namespace lld::cuda::elf;
using namespace lld::cuda::test;
using llvm::StringRef;

namespace {

constexpr uint32_t Magic = 0xc0000001;

/// A payload with one bitmap word.
std::string payload(uint32_t entries, uint32_t bitmap, StringRef records,
                    uint32_t magic = Magic) {
  std::string s;
  append(s, 7, 4);
  append(s, magic, 4);
  append(s, entries, 4);
  append(s, bitmap, 4);
  return s + records.str();
}

std::string run(unsigned count, bool hasRecord) {
  std::string s;
  append(s, count << 7 | 0x50 | unsigned(hasRecord), 2);
  return s;
}

std::string record(uint8_t first, size_t size) {
  std::string s(size, '\x77');
  s[0] = first;
  return s;
}

llvm::Expected<CapmercText> read(StringRef data, uint64_t instructions) {
  return readCapmercText(llvm::arrayRefFromStringRef(data), 16 * instructions);
}

std::string error(StringRef data, uint64_t instructions) {
  return message(read(data, instructions));
}

// [mercury-code-format]
TEST(Capmerc, EveryKindOfEntry) {
  // No record, 32 bytes, 4 bytes, a run with a record of 16 bytes, a run of the
  // final NOPs without one.
  std::string data = payload(5, 0b00001,
                             record(2, 32) + record(0x41, 4) + run(3, true) +
                                 record(1, 16) + run(300, false));
  auto text = read(data, 306);
  ASSERT_EQ(message(text.takeError()), "");
  EXPECT_EQ(text->textSection, 7u);
  EXPECT_EQ(text->instructionCount, 306u);
  ASSERT_EQ(text->entries.size(), 5u);
  auto expect = [&](unsigned i, uint32_t instruction, uint32_t count,
                    uint32_t offset, uint32_t size, bool isRun) {
    const CapmercEntry &entry = text->entries[i];
    EXPECT_EQ(entry.instruction, instruction) << i;
    EXPECT_EQ(entry.count, count) << i;
    EXPECT_EQ(entry.recordOffset, offset) << i;
    EXPECT_EQ(entry.recordSize, size) << i;
    EXPECT_EQ(entry.isRun, isRun) << i;
  };
  expect(0, 0, 1, 0, 0, false);
  expect(1, 1, 1, 16, 32, false);
  expect(2, 2, 1, 48, 4, false);
  expect(3, 3, 3, 52, 16, true);
  expect(4, 6, 300, 70, 0, true);
}

// More entries than instructions, as in code for tensor units.
TEST(Capmerc, RecordsWithoutInstruction) {
  auto text =
      read(payload(4, 0b00100,
                   record(0x31, 16) + record(0x31, 16) + record(0x32, 32)),
           1);
  ASSERT_EQ(message(text.takeError()), "");
  ASSERT_EQ(text->entries.size(), 4u);
  auto expect = [&](unsigned i, uint32_t instruction, uint32_t count,
                    uint32_t offset, uint32_t size) {
    const CapmercEntry &entry = text->entries[i];
    EXPECT_EQ(entry.instruction, instruction) << i;
    EXPECT_EQ(entry.count, count) << i;
    EXPECT_EQ(entry.recordOffset, offset) << i;
    EXPECT_EQ(entry.recordSize, size) << i;
  };
  expect(0, 0, 0, 16, 16);
  expect(1, 0, 0, 32, 16);
  expect(2, 0, 1, 0, 0);
  expect(3, 1, 0, 48, 32);
  EXPECT_EQ(text->instructionCount, 1u);
}

TEST(Capmerc, BitmapOfSeveralWords) {
  std::string data;
  append(data, 7, 4);
  append(data, Magic, 4);
  append(data, 33, 4);
  append(data, ~0u, 4);
  append(data, 0, 4);
  auto text = read(data + record(1, 16), 33);
  ASSERT_EQ(message(text.takeError()), "");
  EXPECT_EQ(text->entries[32].recordOffset, 20u);
}

TEST(Capmerc, OfACompiler) {
  for (const char *name :
       {"Cubin/first.sm_100.cubin", "Cubin/linked.sm_100.cubin"}) {
    std::string data = readInput(name);
    auto file = CubinFile::create({data, name});
    ASSERT_EQ(message(file.takeError()), "");
    unsigned sections = 0;
    for (unsigned i = 0; i < file->sections().size(); ++i) {
      if (file->sections()[i].sh_type != SHT_CUDA_CAPMERC)
        continue;
      ++sections;
      unsigned text =
          file->findSection(file->sectionName(i).substr(strlen(".nv.capmerc")));
      uint64_t size = file->sections()[text].sh_size;
      auto capmerc = readCapmercText(file->contents(i), size);
      ASSERT_EQ(message(capmerc.takeError()), "");
      EXPECT_EQ(capmerc->textSection, text);
      EXPECT_EQ(capmerc->instructionCount * 16, size);
    }
    EXPECT_GE(sections, 3u);
  }
}

TEST(Capmerc, CutHeader) {
  std::string data = payload(0, 0, "");
  EXPECT_EQ(error(StringRef(data).take_front(11), 0),
            "header is cut off: 11 bytes");
  EXPECT_EQ(error(StringRef(data).take_front(12), 0), "");
}

TEST(Capmerc, Magic) {
  EXPECT_EQ(error(payload(0, 0, "", 1), 0),
            "word 0x1 at offset 0x4 is not 0xc0000001");
}

TEST(Capmerc, CutBitmap) {
  EXPECT_EQ(error(payload(33, ~0u, ""), 33),
            "bitmap at offset 0xc is cut off: 33 entries");
  EXPECT_EQ(error(payload(~0u, ~0u, ""), ~0u),
            "bitmap at offset 0xc is cut off: 4294967295 entries");
}

TEST(Capmerc, SizeOfTheText) {
  std::string data = payload(2, ~0u, "");
  EXPECT_EQ(error(data, 2), "");
  EXPECT_EQ(error(data, 1),
            "entry 1 runs past the 1 instructions of the text section");
  EXPECT_EQ(error(data, 3),
            "entries for 2 instructions, but the text section has 3");
  EXPECT_EQ(message(readCapmercText(llvm::arrayRefFromStringRef(data), 33)),
            "size 0x21 of the text section is not that of a number of "
            "instructions");
  EXPECT_EQ(error(payload(2, 0, run(511, false) + run(511, false)), 1021),
            "entry 1 runs past the 1021 instructions of the text section");
}

TEST(Capmerc, CutRecords) {
  auto cut = [](StringRef records, unsigned left) {
    EXPECT_EQ(
        error(payload(1, 0, records), 1),
        llvm::formatv("record at offset 0x10 is cut off: {0} bytes left", left)
            .str());
  };
  cut("", 0);
  cut(record(0x41, 3), 3);
  cut(record(1, 15), 15);
  cut(record(4, 63), 63);
  cut(StringRef(run(1, false)).take_front(1), 1);
  cut(run(1, true), 2);
  cut(run(1, true) + record(2, 31), 33);
}

// No compiler has been seen to write one, and none of its bytes forbids it.
TEST(Capmerc, RunOfNoInstructions) {
  auto text = read(payload(2, 0b10, run(0, true) + record(1, 16)), 1);
  ASSERT_EQ(message(text.takeError()), "");
  EXPECT_EQ(text->entries[0].count, 0u);
  EXPECT_EQ(text->entries[1].instruction, 0u);
}

// As ptxas 13.5 writes for fabric.submit.
TEST(Capmerc, RecordWithItsSize) {
  std::string data = record(0xe1, 0x30);
  data.replace(4, 4, StringRef("\x30\0\0\0", 4).str());
  auto text = read(payload(1, 0, data), 1);
  ASSERT_EQ(message(text.takeError()), "");
  EXPECT_EQ(text->entries[0].count, 1u);
  EXPECT_EQ(text->entries[0].recordSize, 0x30u);
  EXPECT_EQ(error(payload(1, 0, StringRef(data).drop_back()), 1),
            "record at offset 0x10 is cut off: 47 bytes left");
  EXPECT_EQ(error(payload(1, 0, StringRef(data).take_front(7)), 1),
            "record at offset 0x10 is cut off: 7 bytes left");
}

// They may be a later compiler's.
TEST(Capmerc, UnknownRecords) {
  auto isUnknown = [](StringRef records, const char *text) {
    llvm::Error e = read(payload(1, 0, records), 1).takeError();
    EXPECT_TRUE(e.isA<UnknownCapmercRecord>()) << text;
    EXPECT_EQ(message(std::move(e)), text);
  };
  isUnknown(record(0x21, 16), "record at offset 0x10 is of an unknown kind, "
                              "0x21");
  isUnknown(record(5, 80), "record at offset 0x10 is of an unknown kind, 0x5");
  isUnknown(run(1, true) + run(1, false),
            "record at offset 0x12 is of an unknown kind, 0xd0");
  isUnknown(StringRef("\xe1\0\0\0\7\0\0\0", 8),
            "record at offset 0x10 is of an unknown kind, 0xe1");
}

TEST(Capmerc, BytesLeft) {
  EXPECT_EQ(error(payload(1, 0, record(0x41, 5)), 1),
            "1 bytes after the last record at offset 0x14");
}

} // namespace
