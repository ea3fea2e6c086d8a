//===- FatbinTest.cpp - Reading fatbins and choosing an entry ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/Fatbin.h"
#include "ContainerTestUtils.h"
#include "llvm/ADT/SmallVector.h"

using namespace lld::cuda;
using namespace lld::cuda::test;
using llvm::StringRef;

namespace {

std::string readError(const RawFatbin &fatbin) {
  return message(FatbinReader::create(fatbin.bytes()));
}

/// A header extension with options, as it stands behind 64 bytes of header.
std::string optionsExtension(StringRef text) {
  std::string s;
  append(s, 72, 4);
  append(s, text.size(), 4);
  s += text;
  s.push_back('\0');
  s.resize((s.size() + 7) / 8 * 8);
  return s;
}

// [fatbin-format]
TEST(Fatbin, ReadsWhatFatbinaryWrites) {
  std::string data = readInput("none.fatbin");
  auto reader = FatbinReader::create(data);
  ASSERT_EQ(message(reader.takeError()), "");
  EXPECT_EQ(reader->size(), data.size());
  auto entries = reader->entries();
  ASSERT_EQ(entries.size(), 4u);

  EXPECT_EQ(entries[0].kind, FatbinKind::ELF);
  EXPECT_EQ(entries[0].offset, 16u);
  EXPECT_EQ(entries[0].arch, (elf::Architecture{75, elf::Architecture::None}));
  EXPECT_EQ(entries[0].flags, 0x11u);
  EXPECT_EQ(entries[0].versionMajor, 1);
  EXPECT_EQ(entries[0].versionMinor, 8);
  EXPECT_EQ(entries[0].options, "");
  EXPECT_TRUE(entries[0].payload.starts_with("\x7f"
                                             "ELF"));
  EXPECT_EQ(entries[0].payload.size(), 3968u);
  EXPECT_EQ(entries[0].uncompressedSize, 3968u);

  EXPECT_EQ(entries[1].kind, FatbinKind::PTX);
  EXPECT_EQ(entries[1].versionMajor, 9);
  EXPECT_EQ(entries[1].versionMinor, 0);
  EXPECT_EQ(entries[1].options, "--compile-only  ");
  EXPECT_TRUE(entries[1].payload.contains(".target sm_75"));

  EXPECT_EQ(entries[2].arch,
            (elf::Architecture{90, elf::Architecture::Accelerated}));
  EXPECT_EQ(entries[3].arch,
            (elf::Architecture{100, elf::Architecture::Family}));
  // Its extension is a copy of .nv.compat, not text.
  EXPECT_EQ(entries[3].options, "");
  EXPECT_TRUE(entries[3].payload.starts_with("\x7f"
                                             "ELF"));
}

TEST(Fatbin, ReadsIdentifiers) {
  std::string data = readInput("identifier.fatbin");
  auto reader = FatbinReader::create(data);
  ASSERT_EQ(message(reader.takeError()), "");
  ASSERT_EQ(reader->entries().size(), 2u);
  EXPECT_EQ(reader->entries()[0].identifier, "first.cu");
  EXPECT_EQ(reader->entries()[0].options, "");
  EXPECT_EQ(reader->entries()[1].identifier, "first.cu");
  EXPECT_EQ(reader->entries()[1].options,
            "--compile-only  --generate-line-info ");
}

TEST(Fatbin, CompressedPayloadsHaveNoPadding) {
  std::string data = readInput("default.fatbin");
  auto reader = FatbinReader::create(data);
  ASSERT_EQ(message(reader.takeError()), "");
  EXPECT_EQ(reader->entries()[0].flags, 0x8011u);
  EXPECT_TRUE(reader->entries()[0].isCompressed());
  EXPECT_EQ(reader->entries()[0].payload.size() % 8, 5u);
  EXPECT_EQ(reader->entries()[0].uncompressedSize, 3968u);
}

TEST(Fatbin, EmptyFatbinHasNoEntries) {
  auto reader = FatbinReader::create(RawFatbin().bytes());
  ASSERT_EQ(message(reader.takeError()), "");
  EXPECT_TRUE(reader->entries().empty());
  EXPECT_EQ(reader->size(), 16u);
}

TEST(Fatbin, LargerOuterHeaderIsSkipped) {
  RawFatbin fatbin{{RawEntry()}};
  fatbin.headerSize = 32;
  std::string data = fatbin.bytes();
  auto reader = FatbinReader::create(data);
  ASSERT_EQ(message(reader.takeError()), "");
  ASSERT_EQ(reader->entries().size(), 1u);
  EXPECT_EQ(reader->entries()[0].offset, 32u);
}

TEST(Fatbin, BytesBehindTheFatbinAreNotRead) {
  std::string data = RawFatbin{{RawEntry()}}.bytes();
  size_t size = data.size();
  data += "anything";
  auto reader = FatbinReader::create(data);
  ASSERT_EQ(message(reader.takeError()), "");
  EXPECT_EQ(reader->entries().size(), 1u);
  EXPECT_EQ(reader->size(), size);
}

TEST(Fatbin, UnknownKindsAreEntriesWithoutExtensions) {
  RawEntry unknown;
  unknown.kind = 77;
  unknown.payload = "12345678";
  unknown.optionsOffset = unknown.identifierOffset = 0xffffffff;
  std::string data = RawFatbin{{unknown, RawEntry()}}.bytes();
  auto reader = FatbinReader::create(data);
  ASSERT_EQ(message(reader.takeError()), "");
  ASSERT_EQ(reader->entries().size(), 2u);
  EXPECT_EQ(unsigned(reader->entries()[0].kind), 77u);
  EXPECT_EQ(reader->entries()[0].payload, "12345678");
  EXPECT_EQ(reader->entries()[1].kind, FatbinKind::ELF);
}

/// An image's description in a concatenated entry: an entry header whose fields
/// of sizes mean offset and size in the decompressed data.
std::string describe(RawEntry image, uint32_t offset, uint64_t size) {
  image.headerSize = offset;
  image.payloadSize = size;
  return image.bytes();
}

RawEntry concatenate(uint32_t count, const std::string &table) {
  RawEntry entry;
  entry.kind = 0x100;
  entry.arch = 0;
  entry.flags = 0x8011;
  entry.payload = "compressed";
  entry.compressedSize = entry.payload.size();
  entry.uncompressedSize = 0x500;
  append(entry.extensions, count, 4);
  append(entry.extensions, table.size(), 4);
  entry.extensions += table;
  return entry;
}

// [fatbin-concatenated]
TEST(Fatbin, ImagesOfAnEntryAreEntries) {
  RawEntry ptx;
  ptx.kind = 1;
  ptx.arch = 80;
  ptx.extensions = optionsExtension("-c");
  ptx.optionsOffset = 64;
  std::string table = describe(ptx, 0, 0x200);
  table += describe(RawEntry(), 0x200, 0x300);
  RawEntry tiles;
  tiles.kind = 0x80;
  std::string data =
      RawFatbin{{RawEntry(), concatenate(2, table), tiles}}.bytes();
  auto reader = FatbinReader::create(data);
  ASSERT_EQ(message(reader.takeError()), "");
  auto entries = reader->entries();
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_FALSE(entries[0].isConcatenated);
  EXPECT_EQ(entries[1].kind, FatbinKind::PTX);
  EXPECT_EQ(entries[1].arch.number, 80u);
  EXPECT_EQ(entries[1].options, "-c");
  EXPECT_TRUE(entries[1].isConcatenated && entries[1].isCompressed());
  EXPECT_EQ(entries[2].kind, FatbinKind::ELF);
  EXPECT_EQ(entries[2].arch.number, 90u);
  EXPECT_EQ(entries[2].payload, "compressed");
  EXPECT_EQ(entries[2].uncompressedSize, 0x500u);
  EXPECT_EQ(entries[2].imageOffset, 0x200u);
  EXPECT_EQ(entries[2].imageSize, 0x300u);
  EXPECT_EQ(entries[2].offset, entries[1].offset);
  EXPECT_EQ(entries[3].kind, FatbinKind::TileIR);
}

TEST(FatbinErrors, ConcatenatedImages) {
  const std::string one = describe(RawEntry(), 0, 0x500);
  EXPECT_EQ(readError({{concatenate(1, one)}}), "");
  EXPECT_EQ(readError({{concatenate(2, one)}}),
            "entry 1 at offset 0x10: image 1 of 2: its description is outside "
            "the header of 0x88 bytes");
  EXPECT_EQ(readError({{concatenate(1, describe(RawEntry(), 8, 0x500))}}),
            "entry 0 at offset 0x10: image 0 at 0x8 of 0x500 bytes is outside "
            "the 0x500 bytes of all images");
  RawEntry options;
  options.extensions = optionsExtension("-c");
  options.extensions[4] = 80;
  options.optionsOffset = 64;
  EXPECT_EQ(readError({{concatenate(1, describe(options, 0, 8))}}),
            "entry 0 at offset 0x10: image 0: its description of 0xa0 bytes is "
            "outside the header of 0x98 bytes");
  RawEntry arch;
  arch.arch = 0x1005a;
  EXPECT_EQ(readError({{concatenate(1, describe(arch, 0, 8))}}),
            "entry 0 at offset 0x10: image 0: architecture number 65626 is out "
            "of range");
  RawEntry plain = concatenate(1, one);
  plain.flags = 0x11;
  EXPECT_EQ(readError({{plain}}), "entry 0 at offset 0x10: concatenated images "
                                  "are not compressed");
  RawEntry cut = concatenate(1, one);
  cut.extensions.clear();
  EXPECT_EQ(readError({{cut}}), "entry 0 at offset 0x10: header of 0x40 bytes "
                                "is too small for a table of images");
}

TEST(Fatbin, ExtensionOfCubinsIsNotLookedAt) {
  RawEntry entry;
  entry.optionsOffset = 0xffffffff;
  EXPECT_EQ(readError({{entry}}), "");
}

TEST(Fatbin, OptionsEndAtTheirNul) {
  RawEntry entry;
  entry.kind = 1;
  entry.extensions = optionsExtension(StringRef("-O0\0-g", 6));
  entry.optionsOffset = 64;
  std::string data = RawFatbin{{entry}}.bytes();
  auto reader = FatbinReader::create(data);
  ASSERT_EQ(message(reader.takeError()), "");
  EXPECT_EQ(reader->entries()[0].options, "-O0");
}

TEST(Fatbin, LongOptionsAreRead) { // nvlink crashes at 1600 bytes.
  RawEntry entry;
  entry.kind = 1;
  entry.extensions = optionsExtension(std::string(100000, 'x'));
  entry.optionsOffset = 64;
  std::string data = RawFatbin{{entry}}.bytes();
  auto reader = FatbinReader::create(data);
  ASSERT_EQ(message(reader.takeError()), "");
  EXPECT_EQ(reader->entries()[0].options.size(), 100000u);
}

TEST(FatbinErrors, OuterHeader) {
  EXPECT_EQ(message(FatbinReader::create("")),
            "fatbin header of 16 bytes is cut off after 0 bytes");
  EXPECT_EQ(message(FatbinReader::create(RawFatbin().bytes().substr(0, 15))),
            "fatbin header of 16 bytes is cut off after 15 bytes");
  RawFatbin fatbin;
  fatbin.magic = 0x464c457f;
  EXPECT_EQ(readError(fatbin),
            "not a fatbin: magic is 0x464c457f instead of 0xba55ed50");
  fatbin = RawFatbin();
  fatbin.version = 2;
  EXPECT_EQ(readError(fatbin), "fatbin version 2 is unknown; it should be 1");
  fatbin = RawFatbin();
  fatbin.headerSize = 8;
  EXPECT_EQ(readError(fatbin), "fatbin header size 8 is less than 16");
}

TEST(FatbinErrors, OuterSize) {
  RawFatbin fatbin{{RawEntry()}};
  fatbin.size = 72;
  EXPECT_EQ(readError(fatbin),
            "fatbin header of 0x10 bytes and entries of 0x48 bytes extend past "
            "the end of the data of 0x50 bytes");
  fatbin.size = int64_t(0xfffffffffffffff0); // 16 more would wrap around.
  EXPECT_EQ(readError(fatbin),
            "fatbin header of 0x10 bytes and entries of 0xfffffffffffffff0 "
            "bytes extend past the end of the data of 0x50 bytes");
  std::string data = RawFatbin{{RawEntry()}}.bytes();
  EXPECT_EQ(message(FatbinReader::create(StringRef(data).drop_back())),
            "fatbin header of 0x10 bytes and entries of 0x40 bytes extend past "
            "the end of the data of 0x4f bytes");
}

TEST(FatbinErrors, CutEntry) {
  RawFatbin fatbin{{RawEntry(), RawEntry()}};
  fatbin.size = 64 + 63;
  EXPECT_EQ(readError(fatbin),
            "entry 1 at offset 0x50: entry header of 64 "
            "bytes is cut off: the fatbin ends after 63 bytes");
}

TEST(FatbinErrors, EntryHeaderSize) {
  RawEntry entry;
  entry.headerSize = 24;
  EXPECT_EQ(readError({{RawEntry(), entry}}),
            "entry 1 at offset 0x50: header size 24 is less than 64");
  entry.headerSize = 0; // Would never end.
  EXPECT_EQ(readError({{entry}}),
            "entry 0 at offset 0x10: header size 0 is less than 64");
  entry.headerSize = 0x48;
  EXPECT_EQ(readError({{entry}}),
            "entry 0 at offset 0x10: header of 0x48 bytes extends past the end "
            "of the fatbin, which is 0x40 bytes ahead");
}

TEST(FatbinErrors, PayloadSize) {
  RawEntry entry;
  entry.payload = "12345678";
  entry.payloadSize = 9;
  EXPECT_EQ(readError({{entry}}),
            "entry 0 at offset 0x10: payload of 0x9 bytes extends past the end "
            "of the fatbin, which is 0x8 bytes ahead");
  entry.payloadSize = -64; // Would lead back to the entry itself.
  EXPECT_EQ(readError({{entry}}),
            "entry 0 at offset 0x10: payload of 0xffffffffffffffc0 bytes "
            "extends past the end of the fatbin, which is 0x8 bytes ahead");
}

TEST(FatbinErrors, CompressedSize) {
  RawEntry entry;
  entry.flags |= FATBIN_ZSTD;
  entry.payload = "12345678";
  entry.compressedSize = 9;
  EXPECT_EQ(readError({{entry}}),
            "entry 0 at offset 0x10: compressed size 0x9 is larger than the "
            "payload of 0x8 bytes");
  entry.flags = 0x11; // The field means nothing then.
  EXPECT_EQ(readError({{entry}}), "");
}

TEST(FatbinErrors, ArchitectureNumber) {
  RawEntry entry;
  entry.arch = 0x1005a;
  EXPECT_EQ(readError({{entry}}),
            "entry 0 at offset 0x10: architecture number 65626 is out of "
            "range");
}

TEST(FatbinErrors, Identifier) {
  RawEntry entry;
  entry.extensions = "name\0\0\0";
  entry.identifierOffset = 64;
  entry.identifierLength = 4;
  entry.extensions.resize(8);
  EXPECT_EQ(readError({{entry}}), "");
  entry.identifierLength = 9;
  EXPECT_EQ(readError({{entry}}),
            "entry 0 at offset 0x10: identifier at 0x40 of length 0x9 is "
            "outside the header of 0x48 bytes");
  entry.identifierOffset = 0xffffffff;
  entry.identifierLength = 4;
  EXPECT_EQ(readError({{entry}}),
            "entry 0 at offset 0x10: identifier at 0xffffffff of length 0x4 is "
            "outside the header of 0x48 bytes");
}

TEST(FatbinErrors, Options) {
  RawEntry entry;
  entry.kind = 1;
  entry.extensions = optionsExtension("-g");
  ASSERT_EQ(entry.extensions.size(), 16u);
  entry.optionsOffset = 73; // Room for 7 of 8 bytes.
  EXPECT_EQ(readError({{entry}}),
            "entry 0 at offset 0x10: options at 0x49 are outside the header of "
            "0x50 bytes");
  entry.optionsOffset = 64;
  entry.extensions[4] = 9; // Length; there are 8.
  EXPECT_EQ(readError({{entry}}),
            "entry 0 at offset 0x10: text of the options at 0x48 of length 0x9 "
            "is outside the header of 0x50 bytes");
  entry.extensions[4] = 2;
  entry.extensions[0] = 0x4f; // Where the text is.
  EXPECT_EQ(readError({{entry}}),
            "entry 0 at offset 0x10: text of the options at 0x4f of length 0x2 "
            "is outside the header of 0x50 bytes");
}

//===----------------------------------------------------------------------===//
// Choice of the entry
//===----------------------------------------------------------------------===//

elf::Architecture arch(StringRef name) {
  elf::Architecture a;
  if (name.consume_back("a"))
    a.suffix = elf::Architecture::Accelerated;
  else if (name.consume_back("f"))
    a.suffix = elf::Architecture::Family;
  EXPECT_FALSE(name.getAsInteger(10, a.number)) << name.str();
  return a;
}

/// `entries` is a list of "kind:architecture"; a leading '-' makes it 32 bit.
int choose(StringRef target, StringRef entries, bool wantLTO = false,
           unsigned toolkit = 130) {
  llvm::SmallVector<StringRef> words;
  entries.split(words, ' ', -1, /*KeepEmpty=*/false);
  std::vector<FatbinEntry> list;
  for (StringRef word : words) {
    FatbinEntry entry = {};
    entry.flags = word.consume_front("-") ? 0x10 : 0x11;
    auto [kind, name] = word.split(':');
    entry.kind = kind == "elf"    ? FatbinKind::ELF
                 : kind == "ptx"  ? FatbinKind::PTX
                 : kind == "lto"  ? FatbinKind::LTOIR
                 : kind == "merc" ? FatbinKind::Mercury
                 : kind == "tile" ? FatbinKind::TileIR
                                  : FatbinKind(77);
    entry.arch = arch(name);
    list.push_back(entry);
  }
  return chooseFatbinEntry(list, arch(target), toolkit, wantLTO);
}

struct Choice {
  const char *target, *entries;
  int index;
};

class ChooseFatbinEntry : public testing::TestWithParam<Choice> {};

// [fatbin-choice]
TEST_P(ChooseFatbinEntry, IsThatOfNvlink) {
  EXPECT_EQ(choose(GetParam().target, GetParam().entries), GetParam().index)
      << GetParam().entries << " for sm_" << GetParam().target;
}

INSTANTIATE_TEST_SUITE_P(
    Cubins, ChooseFatbinEntry,
    testing::Values(
        Choice{"90", "", -1}, Choice{"90", "elf:90", 0},
        Choice{"90", "elf:80", -1}, Choice{"80", "elf:90", -1},
        // Same number: the suffix doesn't matter, neither way.
        Choice{"90", "elf:90a", 0}, Choice{"90a", "elf:90", 0},
        Choice{"100", "elf:100f", 0}, Choice{"100f", "elf:100a", 0},
        // "a" before "f" before none, whatever the target.
        Choice{"100", "elf:100 elf:100f elf:100a", 2},
        Choice{"100", "elf:100a elf:100f elf:100", 0},
        Choice{"100f", "elf:100f elf:100", 0},
        Choice{"100f", "elf:100 elf:100f", 1},
        // Code of tiles is no input [fatbin-tile-ir].
        Choice{"90", "tile:90", -1}, Choice{"90", "tile:90 elf:90", 1},
        // Other numbers: three pairs only.
        Choice{"86", "elf:80", 0}, Choice{"89", "elf:80", 0},
        Choice{"89", "elf:86", 0}, Choice{"87", "elf:80", -1},
        Choice{"88", "elf:80", -1}, Choice{"87", "elf:86", -1},
        Choice{"88", "elf:86", -1}, Choice{"89", "elf:88", -1},
        Choice{"88", "elf:87", -1}, Choice{"80", "elf:86", -1},
        Choice{"89", "elf:80 elf:86", 1}, Choice{"86", "elf:80 elf:86", 1},
        // Without a copy of .nv.compat, see below.
        Choice{"103", "elf:100", -1}, Choice{"121", "elf:120", -1},
        Choice{"103", "elf:100f", -1}, Choice{"121f", "elf:120f", -1}));

/// The copy of .nv.compat that fatbinary puts beside a cubin for sm_100, with
/// other values of CUDA_ACCELERATOR_TARGET and ISA_CLASS.
std::string compatCopy(uint8_t accelerated, uint8_t isaClass) {
  std::string s;
  append(s, 0x48, 4); // Offset from the entry's start.
  append(s, 0x24, 4);
  append(s, 0, 1);
  for (uint32_t record :
       {0x000902u | accelerated << 16, 0x000202u | isaClass << 16, 0x050502u,
        0x01010703u, 0x000302u, 0x010602u, 0x00080b04u, 9u, 0u})
    append(s, record, 4);
  s.resize((s.size() + 7) / 8 * 8);
  return s;
}

int chooseFamily(std::string compat, uint32_t number = 100,
                 StringRef target = "103", uint64_t flags = 0x1000011) {
  RawEntry entry;
  entry.arch = number;
  entry.flags = flags;
  entry.extensions = compat;
  entry.optionsOffset = 0x40;
  RawFatbin fatbin;
  fatbin.entries.push_back(entry);
  std::string bytes = fatbin.bytes();
  llvm::Expected<FatbinReader> reader = FatbinReader::create(bytes);
  if (!reader) {
    llvm::consumeError(reader.takeError());
    return -2;
  }
  return chooseFatbinEntry(reader->entries(), arch(target), 130);
}

// What nvlink took of such fatbins [fatbin-family-cubin].
TEST(ChooseFamilyCubin, NeedsACopyOfCompat) {
  EXPECT_EQ(chooseFamily(compatCopy(0, 1)), 0);
  EXPECT_EQ(chooseFamily(compatCopy(0, 2)), 0);
  EXPECT_EQ(chooseFamily(compatCopy(0, 1), 100, "103a"), 0);
  EXPECT_EQ(chooseFamily(compatCopy(0, 1), 120, "121f"), 0);
  EXPECT_EQ(chooseFamily(compatCopy(1, 1)), -1);
  EXPECT_EQ(chooseFamily(compatCopy(0, 0)), -1);
  EXPECT_EQ(chooseFamily(compatCopy(0, 3)), -1);
  EXPECT_EQ(chooseFamily(compatCopy(0, 1), 100, "103", 0x11), -1);
  EXPECT_EQ(chooseFamily(compatCopy(0, 1), 100, "110"), -1);
  EXPECT_EQ(chooseFamily(compatCopy(1, 0), 100, "100"), 0);
  std::string odd = compatCopy(0, 1);
  odd[8] = 1;
  EXPECT_EQ(chooseFamily(odd), -1);
  std::string none = compatCopy(0, 1);
  none[4] = 0;
  EXPECT_EQ(chooseFamily(none), -1);
  std::string outside = compatCopy(0, 1);
  outside[1] = 1;
  EXPECT_EQ(chooseFamily(outside), -1);
}

INSTANTIATE_TEST_SUITE_P(
    PTX, ChooseFatbinEntry,
    testing::Values(
        Choice{"90", "ptx:90", 0}, Choice{"90", "ptx:75", 0},
        Choice{"80", "ptx:90", -1}, Choice{"121a", "ptx:75", 0},
        // "f": the same family.
        Choice{"100", "ptx:100f", 0}, Choice{"103", "ptx:100f", 0},
        Choice{"103a", "ptx:100f", 0}, Choice{"100", "ptx:103f", -1},
        Choice{"110", "ptx:100f", -1}, Choice{"121", "ptx:120f", 0},
        // "a": the target itself.
        Choice{"90a", "ptx:90a", 0}, Choice{"90", "ptx:90a", -1},
        Choice{"100f", "ptx:100a", -1}, Choice{"100", "ptx:90a", -1},
        // The highest number, then the suffix.
        Choice{"90", "ptx:75 ptx:86 ptx:80", 1},
        Choice{"90a", "ptx:90 ptx:90a", 1}, Choice{"90a", "ptx:90a ptx:90", 0},
        Choice{"103", "ptx:100 ptx:100f", 1},
        Choice{"103", "ptx:100f ptx:103", 1}));

INSTANTIATE_TEST_SUITE_P(
    Mixed, ChooseFatbinEntry,
    testing::Values(
        // A cubin of the number wins, even with another suffix.
        Choice{"90", "ptx:90 elf:90", 1}, Choice{"90a", "ptx:90a elf:90", 1},
        Choice{"90", "elf:90 ptx:90", 0},
        // PTX of a higher number beats a cubin of a lower one.
        Choice{"86", "elf:80 ptx:86", 1}, Choice{"89", "elf:80 ptx:86", 1},
        Choice{"89", "elf:86 ptx:80", 0},
        // nvcc -arch=sm_90a and -arch=all-major.
        Choice{"90a", "ptx:90 elf:90a ptx:90a", 1},
        Choice{"120", "elf:100 ptx:120 elf:120", 2},
        // Of equals, the first cubin and the last PTX.
        Choice{"90", "elf:90 elf:90 elf:90", 0},
        Choice{"90", "ptx:90 ptx:90 ptx:90", 2},
        Choice{"90", "ptx:80 elf:90 ptx:80 elf:90", 1}));

INSTANTIATE_TEST_SUITE_P(Skipped, ChooseFatbinEntry,
                         testing::Values(Choice{"90", "-elf:90", -1},
                                         Choice{"90", "-ptx:90", -1},
                                         Choice{"90", "-elf:90 ptx:80", 1},
                                         Choice{"100", "merc:100", -1},
                                         Choice{"90", "other:90", -1}));

INSTANTIATE_TEST_SUITE_P(
    LTO, ChooseFatbinEntry,
    testing::Values(
        // Only if nothing else fits; chosen by the rules of PTX.
        Choice{"90", "lto:90", 0}, Choice{"90", "lto:90 ptx:75", 1},
        Choice{"90", "lto:90 elf:80", 0}, Choice{"80", "lto:90", -1},
        Choice{"90", "lto:80 lto:90 lto:75", 1}, Choice{"90", "lto:90a", -1}));

TEST(ChooseFatbinEntry, AcceleratedCodeIsForOneTargetSince131) {
  auto chooseLater = [](StringRef target, StringRef entries) {
    return choose(target, entries, /*wantLTO=*/false, /*toolkit=*/131);
  };
  EXPECT_EQ(chooseLater("90", "elf:90a"), -1);
  EXPECT_EQ(chooseLater("90", "elf:90 elf:90a"), 0);
  EXPECT_EQ(chooseLater("90a", "elf:90 elf:90a"), 1);
  EXPECT_EQ(chooseLater("100f", "elf:100a elf:100"), 1);
  EXPECT_EQ(chooseLater("100", "elf:100a elf:100f"), 1);
  EXPECT_EQ(chooseLater("90", "elf:90a ptx:80"), 1);
}

TEST(ChooseFatbinEntry, LTOIsPreferredOnDemand) {
  EXPECT_EQ(choose("90", "elf:90 lto:75 ptx:90", /*wantLTO=*/true), 1);
  EXPECT_EQ(choose("90", "ptx:80 elf:90", /*wantLTO=*/true), 1);
  EXPECT_EQ(choose("80", "lto:90 elf:80", /*wantLTO=*/true), 1);
}

} // namespace
