//===- OffloadBinaryTest.cpp - Device code from clang's offloading --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/OffloadBinary.h"
#include "ContainerTestUtils.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace lld::cuda;
using llvm::StringRef;

namespace {

/// As clang writes it.
std::string pack(llvm::object::ImageKind kind, StringRef triple, StringRef arch,
                 StringRef image) {
  llvm::object::OffloadBinary::OffloadingImage data{};
  data.TheImageKind = kind;
  data.StringData["triple"] = triple;
  data.StringData["arch"] = arch;
  data.Image = llvm::MemoryBuffer::getMemBufferCopy(image);
  return llvm::object::OffloadBinary::write(data).str().str();
}

struct Packed {
  StringRef arch, image;
};

/// As LLVM 23 writes it, version 2: several images, whose entries, strings and
/// contents follow each other, and a size beside each value. LLVM 24 writes
/// version 3: the header ends with the size before compression, 0 without.
std::string packSecond(std::vector<Packed> images, unsigned version = 2) {
  constexpr size_t Entry = 40, Pair = 24;
  const size_t Header = version == 2 ? 32 : 40;
  const size_t pairs = Header + Entry * images.size();
  const size_t names = pairs + Pair * images.size();
  auto number = [](std::string &to, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i != bytes; ++i)
      to += char(value >> 8 * i);
  };
  std::string strings("arch\0", 5), entries, table, data;
  size_t contents = names + strings.size();
  for (const Packed &image : images)
    contents += image.arch.size() + 1;
  for (const Packed &image : images) {
    number(entries, llvm::object::IMG_Cubin, 2);
    number(entries, 0, 6);
    number(entries, pairs + table.size(), 8);
    number(entries, 1, 8);
    number(entries, contents + data.size(), 8);
    number(entries, image.image.size(), 8);
    number(table, names, 8);
    number(table, names + strings.size(), 8);
    number(table, image.arch.size(), 8);
    strings += image.arch.str() + '\0';
    data += image.image;
  }
  std::string result = "\x10\xff\x10\xad";
  number(result, version, 4);
  number(result, contents + data.size(), 8);
  number(result, Header, 8);
  number(result, images.size(), 8);
  if (version == 3)
    number(result, 0, 8);
  return result + entries + table + strings + data;
}

std::string messageOf(StringRef section) {
  auto images = readOffloadImages(section);
  return images ? "" : llvm::toString(images.takeError());
}

TEST(OffloadBinary, ReadsWhatClangWrites) {
  std::string section =
      pack(llvm::object::IMG_Cubin, "nvptx64-nvidia-cuda", "sm_90", "first") +
      pack(llvm::object::IMG_Bitcode, "amdgcn-amd-amdhsa", "gfx90a", "second");
  auto images = readOffloadImages(section);
  ASSERT_TRUE(bool(images)) << llvm::toString(images.takeError());
  ASSERT_EQ(images->size(), 2u);
  EXPECT_EQ((*images)[0].kind, OffloadKind::Cubin);
  EXPECT_EQ((*images)[0].arch, "sm_90");
  EXPECT_TRUE((*images)[0].isForNvidia());
  EXPECT_EQ((*images)[0].data, "first");
  EXPECT_EQ((*images)[1].kind, OffloadKind::Bitcode);
  EXPECT_EQ((*images)[1].triple, "amdgcn-amd-amdhsa");
  EXPECT_FALSE((*images)[1].isForNvidia());
}

TEST(OffloadBinary, TheSecondVersionHasSeveralImages) {
  const std::string section =
      packSecond({{"sm_80", "first"}, {"sm_90a", "second"}, {"sm_90", ""}}) +
      packSecond({{"sm_75", "x"}});
  auto images = readOffloadImages(section);
  ASSERT_TRUE(bool(images)) << llvm::toString(images.takeError());
  ASSERT_EQ(images->size(), 4u);
  EXPECT_EQ((*images)[0].arch, "sm_80");
  EXPECT_EQ((*images)[0].data, "first");
  EXPECT_EQ((*images)[1].arch, "sm_90a");
  EXPECT_EQ((*images)[1].data, "second");
  EXPECT_EQ((*images)[2].data, "");
  EXPECT_EQ((*images)[3].arch, "sm_75");
}

TEST(OffloadBinary, TheThirdVersionMayBeCompressed) {
  std::string section = packSecond({{"sm_80", "first"}, {"sm_90", "x"}}, 3);
  auto images = readOffloadImages(section);
  ASSERT_TRUE(bool(images)) << llvm::toString(images.takeError());
  ASSERT_EQ(images->size(), 2u);
  EXPECT_EQ((*images)[0].arch, "sm_80");
  EXPECT_EQ((*images)[0].data, "first");
  EXPECT_EQ((*images)[1].data, "x");
  section[32] = 1; // The size before compression.
  EXPECT_NE(messageOf(section).find("is compressed"), std::string::npos);
}

TEST(OffloadBinary, ImagesShareNothing) {
  const std::string good = packSecond({{"sm_80", "12345678"}, {"sm_90", "x"}});
  std::string section = good;
  // Each of the two images is nearly the whole binary.
  for (size_t entry : {32, 72}) {
    section[entry + 24] = 8;
    section[entry + 32] = char(good.size() - 8);
  }
  EXPECT_EQ(messageOf(section), "images of the offloading binary overlap");
  // Each of four images has the strings of all.
  section = packSecond({{"sm_75", ""}, {"sm_80", ""}, {"sm_86", ""}, {"", ""}});
  for (size_t entry : {32, 72, 112, 152}) {
    section[entry + 8] = char(192);
    section[entry + 9] = 0;
    section[entry + 16] = 4;
  }
  EXPECT_EQ(messageOf(section),
            "images of the offloading binary share their strings");
}

TEST(OffloadBinary, ManyEntriesAreRefused) {
  std::string section = packSecond({{"sm_80", "image"}});
  section[24 + 6] = 1; // 2^48 entries.
  EXPECT_NE(messageOf(section).find("is outside the offloading binary"),
            std::string::npos);
}

TEST(OffloadBinary, SkipsPadding) {
  std::string one = pack(llvm::object::IMG_PTX, "nvptx64", "sm_80", "x");
  auto images = readOffloadImages(one + std::string(24, '\0') + one +
                                  std::string(8, '\0'));
  ASSERT_TRUE(bool(images)) << llvm::toString(images.takeError());
  EXPECT_EQ(images->size(), 2u);
}

TEST(OffloadBinary, EmptySection) {
  auto images = readOffloadImages("");
  ASSERT_TRUE(bool(images));
  EXPECT_TRUE(images->empty());
}

TEST(OffloadBinary, RefusesWhatIsNone) {
  EXPECT_NE(messageOf("no offloading binary, but something that is longer"),
            "");
  std::string section = pack(llvm::object::IMG_Cubin, "nvptx64", "sm_90", "x");
  section[4] = 9; // The version.
  EXPECT_NE(messageOf(section), "");
}

/// Reads what has one wrong byte.
void tryWrongBytes(const std::string &good) {
  for (size_t i = 0; i != good.size(); ++i)
    for (unsigned char value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string section = good;
      section[i] = char(value);
      auto images = readOffloadImages(section);
      if (!images) {
        llvm::consumeError(images.takeError());
        continue;
      }
      // All that is returned lies in the section.
      for (const OffloadImage &image : *images)
        for (StringRef part : {image.data, image.arch, image.triple})
          EXPECT_TRUE(part.empty() ||
                      (part.begin() >= section.data() &&
                       part.end() <= section.data() + section.size()));
    }
}

TEST(OffloadBinary, AnyByteMayBeWrong) {
  tryWrongBytes(pack(llvm::object::IMG_Cubin, "nvptx64", "sm_90", "image"));
  for (unsigned version : {2, 3})
    tryWrongBytes(
        packSecond({{"sm_90", "image"}, {"sm_100", "another"}}, version));
}

TEST(OffloadBinary, LongStringsAreRefused) {
  EXPECT_EQ(messageOf(pack(llvm::object::IMG_Cubin, "nvptx64",
                           std::string(1024, 'a'), "x")),
            "");
  EXPECT_NE(messageOf(pack(llvm::object::IMG_Cubin, "nvptx64",
                           std::string(1025, 'a'), "x"))
                .find("more than 1024 bytes"),
            std::string::npos);
}

TEST(OffloadBinary, EveryCutIsRefused) {
  for (const std::string &good :
       {pack(llvm::object::IMG_Cubin, "nvptx64", "sm_90", "image"),
        packSecond({{"sm_90", "image"}, {"sm_100", "another"}}),
        packSecond({{"sm_90", "image"}, {"sm_100", "another"}}, 3)})
    for (size_t length = 1; length != good.size(); ++length)
      EXPECT_NE(messageOf(StringRef(good).take_front(length)), "") << length;
}

} // namespace
