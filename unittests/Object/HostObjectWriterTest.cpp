//===- HostObjectWriterTest.cpp - Objects for host programs ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/HostObjectWriter.h"
#include "ContainerTestUtils.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/Object/ELFObjectFile.h"
#include "gtest/gtest.h"

using namespace lld::cuda;
using namespace lld::cuda::test;
using namespace llvm;

namespace {

class HostObjectOfHost : public ::testing::TestWithParam<const char *> {};

/// Read by LLVM's reader, which knows nothing of the writer.
TEST_P(HostObjectOfHost, HasWhatTheRuntimeLooksFor) {
  auto bytes =
      writeHostObject(Triple(GetParam()), "the fatbin", {"_1_a", "_2_b"});
  ASSERT_EQ(message(bytes.takeError()), "");
  auto object = object::ObjectFile::createObjectFile(
      MemoryBufferRef(StringRef(bytes->data(), bytes->size()), "object"));
  ASSERT_EQ(message(object.takeError()), "");
  EXPECT_EQ((*object)->getArch(), Triple(GetParam()).getArch());
  std::map<std::string, std::string> contents;
  std::map<std::string, size_t> relocations;
  for (const object::SectionRef &section : (*object)->sections()) {
    const std::string name = cantFail(section.getName()).str();
    if (!section.isBSS())
      contents[name] = cantFail(section.getContents()).str();
    auto relocated = cantFail(section.getRelocatedSection());
    if (relocated != (*object)->section_end())
      relocations[cantFail(relocated->getName()).str()] = std::distance(
          section.relocations().begin(), section.relocations().end());
  }
  EXPECT_EQ(contents[".nv_fatbin"], "the fatbin");
  EXPECT_EQ(contents["__nv_module_id"],
            std::string("def _1_a\0def _2_b\0", 18));
  EXPECT_EQ(contents[".nvFatBinSegment"],
            std::string("\xb1\x43\x62\x46\2\0\0\0", 8) + std::string(16, '\0'));
  EXPECT_EQ(relocations[".nvFatBinSegment"], 2u);
  EXPECT_EQ(relocations[".eh_frame"], 4u);
  EXPECT_TRUE(contents.count(".note.GNU-stack"));
  std::set<std::string> defined, undefined;
  for (const object::SymbolRef &symbol : (*object)->symbols()) {
    const uint32_t flags = cantFail(symbol.getFlags());
    const std::string name = cantFail(symbol.getName()).str();
    if (flags & object::SymbolRef::SF_Undefined)
      undefined.insert(name);
    else if (flags & object::SymbolRef::SF_Global) {
      defined.insert(name);
      EXPECT_TRUE(flags & object::SymbolRef::SF_Hidden) << name;
    }
  }
  EXPECT_EQ(defined, (std::set<std::string>{"__cudaRegisterLinkedBinary_1_a",
                                            "__cudaRegisterLinkedBinary_2_b"}));
  undefined.erase("");
  EXPECT_EQ(undefined, (std::set<std::string>{"__cudaRegisterFatBinary",
                                              "__cudaRegisterFatBinaryEnd",
                                              "__cudaUnregisterFatBinary",
                                              "__fatbinwrap_1_a",
                                              "__fatbinwrap_2_b", "atexit"}));
}

INSTANTIATE_TEST_SUITE_P(Hosts, HostObjectOfHost,
                         ::testing::Values("x86_64-linux-gnu",
                                           "aarch64-linux-gnu",
                                           "riscv64-linux-gnu"));

/// Read by LLVM's reader, and by ours, which device links use.
TEST_P(HostObjectOfHost, LayerIsForDeviceLinksOnly) {
  // An empty fatbin: magic number, version 1, a header of 16 bytes.
  const std::string fatbin("\x50\xed\x55\xba\1\0\x10\0\0\0\0\0\0\0\0\0", 16);
  auto bytes = writeLayerObject(Triple(GetParam()), fatbin, {"_1_a", "_2_b"},
                                {std::string("f\0g", 3), "", "", "", "", "c"});
  ASSERT_EQ(message(bytes.takeError()), "");
  const MemoryBufferRef buffer(StringRef(bytes->data(), bytes->size()),
                               "layer");
  auto object = object::ObjectFile::createObjectFile(buffer);
  ASSERT_EQ(message(object.takeError()), "");
  EXPECT_EQ((*object)->getArch(), Triple(GetParam()).getArch());
  for (const object::SectionRef &section : (*object)->sections())
    if (cantFail(section.getName()).contains("nv")) {
      EXPECT_EQ(object::ELFSectionRef(section).getFlags(), ELF::SHF_EXCLUDE);
    }
  auto read = lld::cuda::HostObject::create(buffer);
  ASSERT_EQ(message(read.takeError()), "");
  EXPECT_TRUE(read->isLayer);
  ASSERT_EQ(read->fatbins.size(), 1u);
  EXPECT_EQ(read->fatbins[0], fatbin);
  EXPECT_EQ(read->moduleIds, StringRef("_1_a\0_2_b\0", 10));
  EXPECT_EQ(read->kernelsExternal, StringRef("f\0g", 3));
  EXPECT_EQ(read->kernelsInternal, StringRef("\0", 1));
  EXPECT_EQ(read->constantsInternal, StringRef("c"));
}

TEST(HostObjectWriter, LayerWithoutHostCode) {
  auto bytes = writeLayerObject(Triple("x86_64-linux-gnu"), "", {}, {});
  ASSERT_EQ(message(bytes.takeError()), "");
  auto object = object::ObjectFile::createObjectFile(
      MemoryBufferRef(StringRef(bytes->data(), bytes->size()), "layer"));
  ASSERT_EQ(message(object.takeError()), "");
  for (const object::SectionRef &section : (*object)->sections()) {
    const StringRef name = cantFail(section.getName());
    EXPECT_NE(name, "__nv_module_id");
    EXPECT_FALSE(name.starts_with(".nvHR")) << name.str();
  }
}

TEST(HostObjectWriter, SaysWhatItCantDo) {
  EXPECT_NE(message(writeHostObject(Triple("x86_64-pc-windows-msvc"), "", {})),
            "");
  EXPECT_EQ(message(writeHostObject(Triple("x86_64-linux-gnu"), "",
                                    {"_1_a", "_1_a"})),
            "_1_a takes part twice");
}

} // namespace
