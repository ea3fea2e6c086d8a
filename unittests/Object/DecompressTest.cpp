//===- DecompressTest.cpp - Compressed entries of fatbins -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContainerTestUtils.h"
#include "lld-cuda/Object/Fatbin.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include <lz4.h>
#include <lz4frame.h>

using namespace lld::cuda;
using namespace lld::cuda::test;
using llvm::StringRef;

namespace {

using Bytes = llvm::SmallVector<uint8_t, 0>;

/// Text of which no prefix compresses to nothing.
std::string makeText(size_t size) {
  std::string text;
  for (unsigned i = 0; text.size() < size; ++i)
    text += "ld.global.u32 %r" + std::to_string(i * 7919 % 1009) + ";\n";
  text.resize(size);
  return text;
}

std::string zlib(StringRef text) {
  Bytes out;
  llvm::compression::zlib::compress(llvm::arrayRefFromStringRef(text), out);
  return llvm::toStringRef(out).str();
}

std::string zstd(StringRef text) {
  Bytes out;
  llvm::compression::zstd::compress(llvm::arrayRefFromStringRef(text), out);
  return llvm::toStringRef(out).str();
}

std::string lz4Block(StringRef text) {
  std::string out(LZ4_compressBound(text.size()), '\0');
  out.resize(
      LZ4_compress_default(text.data(), out.data(), text.size(), out.size()));
  return out;
}

std::string lz4Frame(StringRef text) {
  std::string out(LZ4F_compressFrameBound(text.size(), nullptr), '\0');
  out.resize(LZ4F_compressFrame(out.data(), out.size(), text.data(),
                                text.size(), nullptr));
  return out;
}

/// The decoded payload, or "error: " and the message.
std::string decode(uint64_t flags, StringRef payload, uint64_t size,
                   uint64_t limits = UINT64_MAX) {
  FatbinEntry entry = {};
  entry.flags = flags;
  entry.payload = payload;
  entry.uncompressedSize = size;
  Bytes out = {1, 2, 3};
  if (llvm::Error error = decompress(entry, limits, out)) {
    EXPECT_TRUE(out.empty());
    return "error: " + llvm::toString(std::move(error));
  }
  return llvm::toStringRef(out).str();
}

TEST(Decompress, TakesItsImageOfSeveral) {
  const std::string encoded = zstd(makeText(1000) + "an image");
  FatbinEntry entry = {};
  entry.flags = FATBIN_ZSTD;
  entry.payload = encoded;
  entry.uncompressedSize = 1008;
  entry.isConcatenated = true;
  entry.imageOffset = 1000;
  entry.imageSize = 5;
  Bytes out;
  ASSERT_FALSE(decompress(entry, UINT64_MAX, out));
  EXPECT_EQ(llvm::toStringRef(out), "an im");
}

struct Method {
  const char *name;
  uint64_t flag;
  std::string (*encode)(StringRef);
};

class EveryMethod : public testing::TestWithParam<Method> {};

INSTANTIATE_TEST_SUITE_P(
    Decompress, EveryMethod,
    testing::Values(Method{"zlib", FATBIN_ZLIB, zlib},
                    Method{"LZ4", FATBIN_LZ4_BLOCK, lz4Block},
                    Method{"LZ4 frame", FATBIN_LZ4_FRAME, lz4Frame},
                    Method{"zstd", FATBIN_ZSTD, zstd}),
    [](const auto &info) {
      return StringRef(info.param.name).split(' ').first.str() +
             std::to_string(info.index);
    });

TEST_P(EveryMethod, RestoresTheText) {
  for (size_t size : {1, 5, 600, 70000, 5000000}) {
    std::string text = makeText(size);
    EXPECT_TRUE(decode(GetParam().flag, GetParam().encode(text), size) == text)
        << size;
  }
}

TEST_P(EveryMethod, RefusesOtherSizesThanStated) {
  std::string text = makeText(1000), coded = GetParam().encode(text);
  std::string start = std::string("error: ") + GetParam().name + ": uncompress";
  EXPECT_EQ(decode(GetParam().flag, coded, 999).substr(0, start.size()), start);
  EXPECT_EQ(decode(GetParam().flag, coded, 1001),
            start + " failed: 0x3e8 bytes instead of the stated 0x3e9");
}

TEST_P(EveryMethod, RefusesEveryTruncation) {
  std::string text = makeText(300), coded = GetParam().encode(text);
  for (size_t size = 0; size != coded.size(); ++size)
    EXPECT_TRUE(StringRef(decode(GetParam().flag, coded.substr(0, size), 300))
                    .starts_with("error: "))
        << size;
}

TEST_P(EveryMethod, SurvivesEveryChangedByte) {
  std::string text = makeText(300), coded = GetParam().encode(text);
  for (size_t i = 0; i != coded.size(); ++i) {
    std::string damaged = coded;
    damaged[i] = ~damaged[i];
    std::string result = decode(GetParam().flag, damaged, 300);
    EXPECT_TRUE(result.size() == 300 ||
                StringRef(result).starts_with("error: "));
  }
}

TEST_P(EveryMethod, BoundsTheClaimBeforeItTakesMemory) {
  std::string coded = GetParam().encode(makeText(1000));
  EXPECT_EQ(decode(GetParam().flag, coded, uint64_t(1) << 63),
            "error: uncompressed size 0x8000000000000000 is more than " +
                std::string(GetParam().name) + " can make of 0x" +
                llvm::utohexstr(coded.size(), true) + " bytes");
}

TEST(Decompress, LimitIsTheSize) {
  std::string text(100000, 'x'), coded = zstd(text);
  ASSERT_LT(coded.size(), 100u);
  EXPECT_EQ(decode(FATBIN_ZSTD, coded, text.size(), 99999),
            "error: uncompressed size 0x186a0 is larger than the limit of "
            "0x1869f; see --memory-limit");
  EXPECT_EQ(decode(FATBIN_ZSTD, coded, text.size(), 100000), text);
}

// No claim that the method can't fulfil takes memory.
TEST_P(EveryMethod, ClaimsBeyondTheMethodAreRefused) {
  std::string coded = GetParam().encode(makeText(1000));
  EXPECT_TRUE(StringRef(decode(GetParam().flag, coded, coded.size() * 32769))
                  .contains(" can make of "));
}

// The beginning is looked at first. Zeros are no cubin, and no PTX.
TEST_P(EveryMethod, LargePayloadsBeginWhatTheyAre) {
  std::string zeros(SmallPayload + 1, 0), coded = GetParam().encode(zeros);
  FatbinEntry entry = {};
  entry.flags = GetParam().flag;
  entry.payload = coded;
  entry.uncompressedSize = zeros.size();
  auto unasked = [](uint64_t) {
    return llvm::createStringError("memory is taken");
  };
  for (FatbinKind kind : {FatbinKind::ELF, FatbinKind::PTX}) {
    entry.kind = kind;
    Bytes out;
    EXPECT_TRUE(StringRef(llvm::toString(decompress(entry, unasked, out)))
                    .contains("that don't begin like "));
  }
}

TEST(Decompress, ZstdTakesSeveralAndSkippableFrames) {
  std::string text = makeText(1000),
              skippable("\x50\x2a\x4d\x18\3\0\0\0abc", 11);
  std::string coded = skippable + zstd(text.substr(0, 400)) + skippable +
                      zstd(text.substr(400)) + skippable;
  EXPECT_EQ(decode(FATBIN_ZSTD, coded, text.size()), text);
}

// nvlink takes one frame and nothing else.
TEST(Decompress, LZ4FrameStandsAlone) {
  std::string text = makeText(1000), coded = lz4Frame(text);
  EXPECT_EQ(decode(FATBIN_LZ4_FRAME, coded + coded, 2000),
            "error: LZ4 frame: uncompress failed: " +
                std::to_string(coded.size()) + " bytes follow the frame");
  std::string skippable("\x50\x2a\x4d\x18\3\0\0\0abc", 11);
  EXPECT_TRUE(StringRef(decode(FATBIN_LZ4_FRAME, skippable + coded, 1000))
                  .starts_with("error: LZ4 frame: uncompress failed: "));
}

TEST(Decompress, ErrorsOfLZ4FramesSayWhatIsWrong) {
  std::string text = makeText(100000), coded = lz4Frame(text);
  EXPECT_EQ(decode(FATBIN_LZ4_FRAME, StringRef(coded).drop_back(5), 100000),
            "error: LZ4 frame: uncompress failed: frame is cut off");
  EXPECT_EQ(decode(FATBIN_LZ4_FRAME, coded, 50),
            "error: LZ4 frame: uncompress failed: frame is larger than stated");
}

TEST(Decompress, LowestFlagDecides) {
  std::string text = makeText(1000);
  EXPECT_EQ(decode(FATBIN_COMPRESSED, zlib(text), 1000), text);
  EXPECT_EQ(decode(FATBIN_LZ4_BLOCK | FATBIN_LZ4_FRAME | FATBIN_ZSTD,
                   lz4Block(text), 1000),
            text);
  EXPECT_EQ(decode(FATBIN_LZ4_FRAME | FATBIN_ZSTD, lz4Frame(text), 1000), text);
}

TEST(Decompress, ScrambledLTOAndRawPayloadsAreRefused) {
  EXPECT_EQ(decode(FATBIN_ZSTD | FATBIN_LTO_SCRAMBLED, zstd("x"), 1),
            "error: compressed LTO IR is scrambled and cannot be read");
  EXPECT_EQ(decode(FATBIN_64BIT, "x", 1), "error: payload is not compressed");
}

// The four images are the same in every mode.
TEST(Decompress, ReadsWhatFatbinaryCompresses) {
  std::string rawData = readInput("none.fatbin");
  auto raw = FatbinReader::create(rawData);
  ASSERT_EQ(message(raw.takeError()), "");
  ASSERT_EQ(raw->entries().size(), 4u);
  for (const char *mode : {"default", "balance", "size", "speed"}) {
    std::string data = readInput(std::string(mode) + ".fatbin");
    auto reader = FatbinReader::create(data);
    ASSERT_EQ(message(reader.takeError()), "");
    ASSERT_EQ(reader->entries().size(), 4u);
    for (unsigned i = 0; i != 4; ++i) {
      const FatbinEntry &entry = reader->entries()[i];
      EXPECT_EQ(entry.flags & FATBIN_COMPRESSED,
                StringRef(mode) == "speed" ? FATBIN_LZ4_BLOCK : FATBIN_ZSTD);
      Bytes out;
      ASSERT_EQ(message(decompress(entry, UINT64_MAX, out)), "") << mode << i;
      // Raw payloads are padded with zeros.
      StringRef padded = raw->entries()[i].payload;
      ASSERT_LE(out.size(), padded.size());
      ASSERT_LT(padded.size() - out.size(), 8u);
      EXPECT_TRUE(padded.starts_with(llvm::toStringRef(out))) << mode << i;
    }
  }
}

} // namespace
