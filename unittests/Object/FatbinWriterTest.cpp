//===- FatbinWriterTest.cpp - Writing fatbins -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/FatbinWriter.h"
#include "ContainerTestUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace lld::cuda;
using namespace lld::cuda::test;
using llvm::StringRef;

namespace {

/// What fatbinary has put into a fatbin, without what it added.
std::vector<FatbinImage> imagesOf(const FatbinReader &reader) {
  std::vector<FatbinImage> images;
  for (const FatbinEntry &e : reader.entries()) {
    StringRef bytes = e.payload;
    if (e.kind == FatbinKind::PTX)
      bytes = bytes.take_front(bytes.find('\0'));
    images.push_back({e.kind, e.arch, bytes, bool(e.flags & FATBIN_DEBUG),
                      e.versionMajor, e.versionMinor, e.options});
  }
  return images;
}

class WrittenFatbin : public ::testing::TestWithParam<const char *> {};

// [fatbin-written]
TEST_P(WrittenFatbin, HasTheBytesOfFatbinarys) {
  const std::string data = readInput(GetParam());
  auto reader = FatbinReader::create(data);
  ASSERT_EQ(message(reader.takeError()), "");
  ASSERT_FALSE(reader->entries().empty());
  auto written = writeFatbin(imagesOf(*reader), FatbinCompression::None);
  ASSERT_EQ(message(written.takeError()), "");
  EXPECT_TRUE(StringRef(written->data(), written->size()) == data);
}

INSTANTIATE_TEST_SUITE_P(Uncompressed, WrittenFatbin,
                         ::testing::Values("none.fatbin", "linked.fatbin",
                                           "linked-debug.fatbin"));

class WrittenModes
    : public ::testing::TestWithParam<std::tuple<const char *, uint64_t>> {};

/// The flags are fatbinary's; the stream may be that of another version of the
/// compressor, so what it decodes to counts.
TEST_P(WrittenModes, DecodeToTheSame) {
  const auto [mode, flag] = GetParam();
  const std::string data = readInput("none.fatbin");
  auto reader = FatbinReader::create(data);
  ASSERT_EQ(message(reader.takeError()), "");
  auto written = writeFatbin(imagesOf(*reader), *parseFatbinCompression(mode));
  ASSERT_EQ(message(written.takeError()), "");
  auto again =
      FatbinReader::create(StringRef(written->data(), written->size()));
  ASSERT_EQ(message(again.takeError()), "");
  ASSERT_EQ(again->entries().size(), reader->entries().size());
  for (size_t i = 0; i != again->entries().size(); ++i) {
    const FatbinEntry &old = reader->entries()[i], &e = again->entries()[i];
    const bool packed =
        flag && (e.kind == FatbinKind::PTX || StringRef(mode) == "size");
    EXPECT_EQ(e.flags, old.flags | (packed ? flag : 0));
    EXPECT_EQ(e.options, old.options);
    if (!packed) {
      EXPECT_TRUE(e.payload == old.payload);
      continue;
    }
    llvm::SmallVector<uint8_t, 0> out;
    ASSERT_EQ(message(decompress(e, uint64_t(1) << 30, out)), "");
    const StringRef decoded(reinterpret_cast<char *>(out.data()), out.size());
    EXPECT_TRUE(old.payload.starts_with(decoded));
    EXPECT_LT(old.payload.size() - decoded.size(), 8u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, WrittenModes,
    ::testing::Values(std::make_tuple("none", uint64_t(0)),
                      std::make_tuple("default", uint64_t(FATBIN_ZSTD)),
                      std::make_tuple("balance", uint64_t(FATBIN_ZSTD)),
                      std::make_tuple("speed", uint64_t(FATBIN_LZ4_BLOCK)),
                      std::make_tuple("size", uint64_t(FATBIN_ZSTD))));

class CompressedFatbin : public ::testing::TestWithParam<const char *> {};

/// Of images as small as these zstd 1.5.0 and later make the same stream.
TEST_P(CompressedFatbin, HasTheStreamsOfFatbinarys) {
  const std::string data = readInput(GetParam());
  auto reader = FatbinReader::create(data);
  ASSERT_EQ(message(reader.takeError()), "");
  ASSERT_FALSE(reader->entries().empty());
  for (const FatbinEntry &e : reader->entries()) {
    llvm::SmallVector<uint8_t, 0> image;
    ASSERT_EQ(message(decompress(e, uint64_t(1) << 30, image)), "");
    auto packed =
        compressPayload(llvm::toStringRef(image), FatbinCompression::Default);
    ASSERT_EQ(message(packed.takeError()), "");
    const StringRef stream(packed->data(), packed->size());
    EXPECT_TRUE(e.payload.starts_with(stream)) << e.arch.number;
    EXPECT_LT(e.payload.size() - stream.size(), 8u);
  }
}

INSTANTIATE_TEST_SUITE_P(Zstd, CompressedFatbin,
                         ::testing::Values("default.fatbin", "balance.fatbin"));

TEST(FatbinWriter, CompressesLargeImagesByDefault) {
  // fatbinary 13.0 with cubins that zeros make this large.
  const std::string bytes(10'000'001, '\0');
  const struct {
    const char *mode;
    size_t size;
    uint64_t flag;
  } cases[] = {{"default", 10'000'000, 0},
               {"default", 10'000'001, FATBIN_ZSTD},
               {"balance", 10'000'001, FATBIN_ZSTD},
               {"speed", 10'000'000, 0},
               {"speed", 10'000'001, FATBIN_LZ4_BLOCK},
               {"none", 10'000'001, 0}};
  for (const auto &c : cases) {
    FatbinImage image;
    image.arch = {80, elf::Architecture::None};
    image.bytes = StringRef(bytes).take_front(c.size);
    auto written = writeFatbin(image, *parseFatbinCompression(c.mode));
    ASSERT_EQ(message(written.takeError()), "");
    auto reader =
        FatbinReader::create(StringRef(written->data(), written->size()));
    ASSERT_EQ(message(reader.takeError()), "");
    ASSERT_EQ(reader->entries().size(), 1u);
    EXPECT_EQ(reader->entries()[0].flags, FATBIN_64BIT | 0x10 | c.flag)
        << c.mode << ' ' << c.size;
  }
}

TEST(FatbinWriter, RefusesWhatItCantWrite) {
  FatbinImage image;
  image.kind = FatbinKind::TileIR;
  EXPECT_NE(message(writeFatbin(image, FatbinCompression::None)), "");
  image.kind = FatbinKind::ELF;
  image.arch = {100, elf::Architecture::None};
  image.bytes = "no cubin";
  EXPECT_NE(message(writeFatbin(image, FatbinCompression::None)), "");
  EXPECT_FALSE(parseFatbinCompression("best"));
}

} // namespace
