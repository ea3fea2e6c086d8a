//===- HostObjectWriterTest.cpp - Objects for host programs ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/HostObjectWriter.h"
#include "ContainerTestUtils.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/Object/COFF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "gtest/gtest.h"

using namespace lld::cuda;
using namespace lld::cuda::test;
using namespace llvm;

namespace {

class HostObjectOfHost : public ::testing::TestWithParam<const char *> {};

/// Read by LLVM's reader, which knows nothing of the writer [host-object].
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

/// Read by LLVM's reader, and by ours, which device links use [layer-object].
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

class WindowsHostObject : public ::testing::TestWithParam<const char *> {
protected:
  void SetUp() override { write("the fatbin", {"_1_a", "_2_b"}); }
  void write(StringRef fatbin, const std::vector<std::string> &identifiers) {
    auto written = writeHostObject(Triple(GetParam()), fatbin, identifiers);
    ASSERT_EQ(message(written.takeError()), "");
    bytes = std::move(*written);
    auto file = object::COFFObjectFile::create(
        MemoryBufferRef(StringRef(bytes.data(), bytes.size()), "object"));
    ASSERT_EQ(message(file.takeError()), "");
    object = std::move(*file);
  }
  object::SectionRef section(StringRef name) {
    for (const object::SectionRef &s : object->sections())
      if (cantFail(s.getName()) == name)
        return s;
    ADD_FAILURE() << name.str();
    return *object->section_begin();
  }
  uint32_t characteristics(StringRef name) {
    return object->getCOFFSection(section(name))->Characteristics &
           ~COFF::IMAGE_SCN_ALIGN_MASK;
  }
  /// Place and symbol of each relocation.
  std::vector<std::pair<uint64_t, std::string>> relocations(StringRef name) {
    std::vector<std::pair<uint64_t, std::string>> list;
    for (const object::RelocationRef &r : section(name).relocations())
      list.emplace_back(r.getOffset(),
                        cantFail(r.getSymbol()->getName()).str());
    return list;
  }

  SmallVector<char, 0> bytes;
  std::unique_ptr<object::COFFObjectFile> object;
};

/// Read by LLVM's reader, which knows nothing of the writer
/// [host-object-coff].
TEST_P(WindowsHostObject, HasSectionsAsNvccsHave) {
  EXPECT_EQ(object->getArch(), Triple(GetParam()).getArch());
  EXPECT_EQ(object->getTimeDateStamp(), 0u);
  EXPECT_EQ(cantFail(section(".nv_fatbin").getContents()), "the fatbin");
  EXPECT_EQ(cantFail(section("__nv_module_id").getContents()),
            StringRef("def _1_a\0def _2_b\0", 18));
  EXPECT_EQ(cantFail(section(".nvFatBinSegment").getContents()),
            std::string("\xb1\x43\x62\x46\2\0\0\0", 8) + std::string(16, '\0'));
  // const_seg and data_seg of the sources that nvcc generates.
  const uint32_t readOnly =
      COFF::IMAGE_SCN_CNT_INITIALIZED_DATA | COFF::IMAGE_SCN_MEM_READ;
  EXPECT_EQ(characteristics(".nv_fatbin"), readOnly);
  EXPECT_EQ(characteristics(".nvFatBinSegment"), readOnly);
  EXPECT_EQ(characteristics("__nv_module_id"),
            readOnly | COFF::IMAGE_SCN_MEM_WRITE);
  EXPECT_EQ(section(".nv_fatbin").getAlignment(), Align(8));
  EXPECT_EQ(section(".nvFatBinSegment").getAlignment(), Align(8));
  EXPECT_TRUE(section(".bss").isBSS());
  // Two lists: the inputs' fatbins with a null behind, and their functions.
  EXPECT_EQ(section(".bss").getSize(), (3 + 2) * 8u);
}

TEST_P(WindowsHostObject, DefinesOneFunctionForEachInput) {
  std::set<std::string> defined, undefined;
  std::map<std::string, uint64_t> values;
  for (const object::SymbolRef &symbol : object->symbols()) {
    const object::COFFSymbolRef coff = object->getCOFFSymbol(symbol);
    const std::string name = cantFail(symbol.getName()).str();
    if (coff.isUndefined())
      undefined.insert(name);
    else if (coff.isExternal())
      defined.insert(name);
    values[name] = coff.getValue();
  }
  EXPECT_EQ(defined, (std::set<std::string>{"__cudaRegisterLinkedBinary_1_a",
                                            "__cudaRegisterLinkedBinary_2_b"}));
  EXPECT_EQ(undefined, (std::set<std::string>{"__cudaRegisterFatBinary",
                                              "__cudaRegisterFatBinaryEnd",
                                              "__cudaUnregisterFatBinary",
                                              "__fatbinwrap_1_a",
                                              "__fatbinwrap_2_b", "atexit"}));
  EXPECT_EQ(
      relocations(".nvFatBinSegment"),
      (std::vector<std::pair<uint64_t, std::string>>{
          {8, "__cudaLinkedBinaryImage"}, {16, "__cudaLinkedBinaryInputs"}}));
  EXPECT_EQ(relocations(".data"),
            (std::vector<std::pair<uint64_t, std::string>>{
                {24, "__cudaLinkedBinaryWrapper"},
                {32, "__cudaLinkedBinaryInputs"},
                {40, "__cudaLinkedBinaryCallbacks"}}));
  EXPECT_EQ(values["__cudaLinkedBinaryCallbacks"], 24u);
}

/// The one function that uses the stack; the others are leaves.
TEST_P(WindowsHostObject, HasUnwindInformation) {
  const auto list = relocations(".pdata");
  ASSERT_GE(list.size(), 2u);
  EXPECT_EQ(list.front().second, "__cudaRegisterLinkedBinary");
  EXPECT_EQ(list.back().second, ".xdata");
  EXPECT_EQ(section(".pdata").getSize(), list.size() * 4);
}

/// 16 bits don't count the relocations of so many inputs.
TEST_P(WindowsHostObject, CountsManyRelocations) {
  std::vector<std::string> identifiers;
  for (unsigned i = 0; i != 40000; ++i)
    identifiers.push_back("_" + std::to_string(i));
  write("fatbin", identifiers);
  const object::coff_section *text = object->getCOFFSection(section(".text"));
  EXPECT_TRUE(text->hasExtendedRelocations());
  const auto list = relocations(".text");
  EXPECT_GE(list.size(), 80000u);
  EXPECT_EQ(list.back().second, "__cudaRegisterLinkedBinary");
  EXPECT_EQ(list[list.size() - 2].second, "__fatbinwrap_39999");
}

/// Read by LLVM's reader, and by ours, which device links use.
TEST_P(WindowsHostObject, LayerIsForDeviceLinksOnly) {
  // An empty fatbin: magic number, version 1, a header of 16 bytes.
  const std::string fatbin("\x50\xed\x55\xba\1\0\x10\0\0\0\0\0\0\0\0\0", 16);
  auto layer = writeLayerObject(Triple(GetParam()), fatbin, {"_1_a", "_2_b"},
                                {std::string("f\0g", 3), "", "", "", "", "c"});
  ASSERT_EQ(message(layer.takeError()), "");
  const MemoryBufferRef buffer(StringRef(layer->data(), layer->size()),
                               "layer");
  auto file = object::COFFObjectFile::create(buffer);
  ASSERT_EQ(message(file.takeError()), "");
  EXPECT_EQ((*file)->getNumberOfSymbols(), 0u);
  size_t count = 0;
  for (const object::SectionRef &section : (*file)->sections()) {
    ++count;
    EXPECT_TRUE((*file)->getCOFFSection(section)->Characteristics &
                COFF::IMAGE_SCN_LNK_REMOVE);
  }
  EXPECT_EQ(count, 10u);
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

/// An earlier device link's object, as an input: what it has is linked.
TEST_P(WindowsHostObject, IsReadAsDeviceLink) {
  const StringRef data(bytes.data(), bytes.size());
  ASSERT_TRUE(isCoffObject(data));
  EXPECT_EQ(getHost(data)->getArch(), Triple(GetParam()).getArch());
  auto read = lld::cuda::HostObject::create(MemoryBufferRef(data, "object"));
  ASSERT_EQ(message(read.takeError()), "");
  EXPECT_TRUE(read->hasFatbinSegment);
  EXPECT_TRUE(read->hasWholeProgramFatbin);
  EXPECT_FALSE(read->hasRelocatableFatbin);
  EXPECT_EQ(splitNames(*read->moduleIds).front(), "def _1_a");
}

INSTANTIATE_TEST_SUITE_P(Hosts, WindowsHostObject,
                         ::testing::Values("x86_64-pc-windows-msvc",
                                           "x86_64-w64-windows-gnu",
                                           "aarch64-pc-windows-msvc"));

TEST(HostObjectWriter, SaysWhatItCantDo) {
  for (const char *host :
       {"i686-pc-windows-msvc", "arm64ec-pc-windows-msvc",
        "x86_64-unknown-uefi", "x86_64-apple-macosx", "powerpc64le-linux-gnu"})
    EXPECT_EQ(message(writeHostObject(Triple(host), "", {})),
              std::string("no object can be written for ") + host);
  EXPECT_EQ(message(writeHostObject(Triple("x86_64-linux-gnu"), "",
                                    {"_1_a", "_1_a"})),
            "_1_a is linked twice");
  // Not read: there is no such fatbin.
  const StringRef huge("", uint64_t(1) << 32);
  EXPECT_TRUE(StringRef(message(writeHostObject(
                            Triple("x86_64-pc-windows-msvc"), huge, {})))
                  .starts_with("an object for Windows holds less than 4 GiB"));
  EXPECT_TRUE(StringRef(message(writeLayerObject(
                            Triple("aarch64-pc-windows-msvc"), huge, {}, {})))
                  .starts_with("an object for Windows holds less than 4 GiB"));
}

} // namespace
