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

TEST(OffloadBinary, AnyByteMayBeWrong) {
  const std::string good =
      pack(llvm::object::IMG_Cubin, "nvptx64", "sm_90", "image");
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
  const std::string good =
      pack(llvm::object::IMG_Cubin, "nvptx64", "sm_90", "image");
  for (size_t length = 1; length != good.size(); ++length)
    EXPECT_NE(messageOf(StringRef(good).take_front(length)), "") << length;
}

} // namespace
