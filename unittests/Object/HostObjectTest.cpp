//===- HostObjectTest.cpp - Device code inside host objects -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/HostObject.h"
#include "ContainerTestUtils.h"
#include "lld-cuda/BinaryFormat/ELF.h"
#include "lld-cuda/Object/Fatbin.h"

using namespace lld::cuda;
using namespace lld::cuda::test;
using llvm::StringRef;

namespace {

llvm::Expected<HostObject> read(StringRef data) {
  return HostObject::create(llvm::MemoryBufferRef(data, "host.o"));
}

/// An object with the given sections, a null section before and the section
/// names behind them.
struct RawObject {
  struct Section {
    std::string name;
    std::string contents;
    uint32_t type = elf::SHT_PROGBITS;
    int64_t size = -1; ///< -1: as it should be.
  };
  bool is64 = true, bigEndian = false;
  uint16_t fileType = elf::ET_REL, machine = elf::EM_X86_64;
  std::vector<Section> sections = {};
  int entrySize = -1, count = -1, namesIndex = -1; ///< -1: as it should be.
  /// Section count and names' index stand in the null section.
  bool extended = false;
  bool unterminatedNames = false;
  int64_t nameOffset = -1; ///< Of the first section; -1: as it should be.

  void put(std::string &to, uint64_t value, unsigned size) const {
    append(to, value, size, bigEndian);
  }

  void putSection(std::string &table, uint32_t name, uint32_t type,
                  uint64_t offset, uint64_t size, uint32_t link) const {
    unsigned word = is64 ? 8 : 4;
    put(table, name, 4);
    put(table, type, 4);
    put(table, 0, word); // flags
    put(table, 0, word); // address
    put(table, offset, word);
    put(table, size, word);
    put(table, link, 4);
    put(table, 0, 4);    // info
    put(table, 8, word); // alignment
    put(table, 0, word); // entry size
  }

  std::string bytes() const {
    unsigned headerSize = is64 ? 64 : 52, word = is64 ? 8 : 4;
    unsigned total = sections.size() + 2;
    std::string names(1, '\0'), body, table;
    putSection(table, 0, 0, 0, extended ? total : 0, extended ? total - 1 : 0);
    for (const Section &s : sections) {
      putSection(table, nameOffset >= 0 ? nameOffset : names.size(), s.type,
                 headerSize + body.size(),
                 s.size == -1 ? s.contents.size() : s.size, 0);
      names += s.name + '\0';
      if (s.type != elf::SHT_NOBITS)
        body += s.contents;
    }
    if (unterminatedNames)
      names += 'x';
    putSection(table, 0, elf::SHT_STRTAB, headerSize + body.size(),
               names.size(), 0);
    body += names;

    std::string s = "\x7f"
                    "ELF";
    put(s, is64 ? 2 : 1, 1);
    put(s, bigEndian ? 2 : 1, 1);
    put(s, 1, 1);
    s.resize(16);
    put(s, fileType, 2);
    put(s, machine, 2);
    put(s, 1, 4);
    put(s, 0, word); // entry
    put(s, 0, word); // program headers
    put(s, headerSize + body.size(), word);
    put(s, 0, 4);
    put(s, headerSize, 2);
    put(s, 0, 2);
    put(s, 0, 2);
    put(s, entrySize < 0 ? (is64 ? 64 : 40) : entrySize, 2);
    put(s, count >= 0 ? count : extended ? 0 : total, 2);
    put(s, namesIndex >= 0 ? namesIndex : extended ? 0xffff : total - 1, 2);
    return s + body + table;
  }
};

std::string readError(const RawObject &object) {
  return message(read(object.bytes()));
}

std::string makeFatbin(unsigned arch = 90) {
  RawEntry entry;
  entry.arch = arch;
  return RawFatbin{{entry}}.bytes();
}

/// An object whose section of fatbins has these contents.
RawObject objectWithFatbins(std::string contents) {
  RawObject object;
  object.sections = {{".nvFatBinSegment", std::string(24, '\0')},
                     {"__nv_relfatbin", std::move(contents)}};
  return object;
}

// [host-object-format]
TEST(HostObject, ReadsWhatNvccWrites) {
  std::string data = readInput("first.o");
  ASSERT_TRUE(isHostObject(data));
  auto object = read(data);
  ASSERT_EQ(message(object.takeError()), "");
  EXPECT_EQ(object->fileType, elf::ET_REL);
  EXPECT_TRUE(object->hasFatbinSegment);
  EXPECT_TRUE(object->hasRelocatableFatbin);
  EXPECT_FALSE(object->hasWholeProgramFatbin);
  ASSERT_EQ(object->fatbins.size(), 1u);
  auto fatbin = FatbinReader::create(object->fatbins[0]);
  ASSERT_EQ(message(fatbin.takeError()), "");
  EXPECT_EQ(fatbin->size(), object->fatbins[0].size());
  ASSERT_TRUE(object->moduleIds);
  auto ids = splitNames(*object->moduleIds);
  ASSERT_EQ(ids.size(), 1u);
  EXPECT_TRUE(ids[0].ends_with("_8_first_cu_8e450714")) << ids[0].str();
  for (auto *list : {&object->kernelsExternal, &object->kernelsInternal,
                     &object->variablesExternal, &object->variablesInternal,
                     &object->constantsExternal, &object->constantsInternal}) {
    ASSERT_TRUE(*list);
    EXPECT_TRUE(splitNames(**list).empty());
  }
}

// nvlink takes the first fatbin only.
TEST(HostObject, ReadsAllFatbinsOfJoinedObjects) {
  std::string data = readInput("both.o");
  auto object = read(data);
  ASSERT_EQ(message(object.takeError()), "");
  ASSERT_EQ(object->fatbins.size(), 2u);
  for (StringRef bytes : object->fatbins) {
    auto fatbin = FatbinReader::create(bytes);
    ASSERT_EQ(message(fatbin.takeError()), "");
    EXPECT_EQ(fatbin->size(), bytes.size());
    EXPECT_EQ(fatbin->entries().size(), 2u);
  }
  auto ids = splitNames(*object->moduleIds);
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_TRUE(ids[0].ends_with("_8_first_cu_8e450714"));
  EXPECT_TRUE(ids[1].ends_with("_9_second_cu_077d38ea"));
  auto kernels = splitNames(*object->kernelsExternal);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0], "_Z6secon"
                        "d*");
}

TEST(HostObject, WholeProgramsHaveNoRelocatableCode) {
  std::string data = readInput("whole.o");
  auto object = read(data);
  ASSERT_EQ(message(object.takeError()), "");
  EXPECT_TRUE(object->hasFatbinSegment);
  EXPECT_TRUE(object->hasWholeProgramFatbin);
  EXPECT_FALSE(object->hasRelocatableFatbin);
  EXPECT_TRUE(object->fatbins.empty());
}

class EveryLayout : public testing::TestWithParam<std::tuple<bool, bool>> {
protected:
  RawObject object(std::vector<RawObject::Section> sections) {
    RawObject o;
    std::tie(o.is64, o.bigEndian) = GetParam();
    o.sections = std::move(sections);
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(HostObject, EveryLayout,
                         testing::Combine(testing::Bool(), testing::Bool()));

TEST_P(EveryLayout, IsRead) {
  std::string fatbin = makeFatbin();
  std::string data = object({{".text", "code"},
                             {"__nv_relfatbin", fatbin},
                             {".nvFatBinSegment", ""},
                             {"__nv_module_id", StringRef("id\0", 3).str()},
                             {".nvHRKE", "ke"},
                             {".nvHRKI", "ki"},
                             {".nvHRDE", "de"},
                             {".nvHRDI", "di"},
                             {".nvHRCE", "ce"},
                             {".nvHRCI", "ci"}})
                         .bytes();
  EXPECT_TRUE(isHostObject(data));
  auto host = read(data);
  ASSERT_EQ(message(host.takeError()), "");
  EXPECT_EQ(host->fileType, elf::ET_REL);
  ASSERT_EQ(host->fatbins.size(), 1u);
  EXPECT_TRUE(host->fatbins[0] == fatbin);
  EXPECT_EQ(host->moduleIds, StringRef("id\0", 3));
  EXPECT_EQ(host->kernelsExternal, StringRef("ke"));
  EXPECT_EQ(host->kernelsInternal, StringRef("ki"));
  EXPECT_EQ(host->variablesExternal, StringRef("de"));
  EXPECT_EQ(host->variablesInternal, StringRef("di"));
  EXPECT_EQ(host->constantsExternal, StringRef("ce"));
  EXPECT_EQ(host->constantsInternal, StringRef("ci"));
}

TEST_P(EveryLayout, ManySectionsAreCountedInTheFirst) {
  RawObject o = object({{".nv_fatbin", ""}, {"__nv_module_id", "id"}});
  o.extended = true;
  std::string data = o.bytes();
  auto host = read(data);
  ASSERT_EQ(message(host.takeError()), "");
  EXPECT_TRUE(host->hasWholeProgramFatbin);
  EXPECT_EQ(host->moduleIds, StringRef("id"));
}

TEST_P(EveryLayout, TruncationsAreErrors) {
  std::string data =
      object({{".nvFatBinSegment", ""}, {"__nv_relfatbin", makeFatbin()}})
          .bytes();
  for (size_t size = 0; size != data.size(); ++size)
    EXPECT_NE(message(read(StringRef(data).take_front(size))), "") << size;
}

TEST(HostObject, OtherObjectsHaveNothing) {
  RawObject object;
  object.sections = {{".text", "code"}, {".nv_other", "x"}};
  std::string data = object.bytes();
  auto host = read(data);
  ASSERT_EQ(message(host.takeError()), "");
  EXPECT_FALSE(host->hasFatbinSegment || host->hasRelocatableFatbin ||
               host->hasWholeProgramFatbin || host->moduleIds ||
               host->kernelsExternal);
}

TEST(HostObject, OnlyTheTypeOfExecutablesIsRead) {
  RawObject object = objectWithFatbins("damaged");
  object.fileType = elf::ET_DYN;
  object.count = 0xfff0;
  std::string data = object.bytes();
  auto host = read(data);
  ASSERT_EQ(message(host.takeError()), "");
  EXPECT_EQ(host->fileType, elf::ET_DYN);
  EXPECT_FALSE(host->hasFatbinSegment);
}

TEST(HostObject, FatbinsWithoutSegmentAreNotTaken) {
  RawObject object;
  object.sections = {{"__nv_relfatbin", "damaged"}};
  std::string data = object.bytes();
  auto host = read(data);
  ASSERT_EQ(message(host.takeError()), "");
  EXPECT_TRUE(host->hasRelocatableFatbin);
  EXPECT_TRUE(host->fatbins.empty());
}

TEST(HostObject, ZerosBetweenFatbinsAreSkipped) {
  std::string first = makeFatbin(80), second = makeFatbin(90);
  std::string data = objectWithFatbins(first + std::string(40, '\0') + second +
                                       std::string(24, '\0'))
                         .bytes();
  auto host = read(data);
  ASSERT_EQ(message(host.takeError()), "");
  ASSERT_EQ(host->fatbins.size(), 2u);
  EXPECT_TRUE(host->fatbins[0] == first);
  EXPECT_TRUE(host->fatbins[1] == second);
}

TEST(HostObject, SectionsOfOneNameAreTakenTogether) {
  RawObject object = objectWithFatbins(makeFatbin(80));
  object.sections.push_back({"__nv_relfatbin", makeFatbin(90)});
  std::string data = object.bytes();
  auto host = read(data);
  ASSERT_EQ(message(host.takeError()), "");
  EXPECT_EQ(host->fatbins.size(), 2u);
}

TEST(HostObjectErrors, MissingFatbin) {
  auto expectNotFound = [](std::string contents, const char *text) {
    std::string data = objectWithFatbins(std::move(contents)).bytes();
    auto host = read(data);
    ASSERT_FALSE(bool(host));
    llvm::Error error = host.takeError();
    EXPECT_TRUE(error.isA<FatbinNotFound>());
    EXPECT_EQ(message(std::move(error)), text);
  };
  expectNotFound("", "section 2 ('__nv_relfatbin'): offset 0x0: fatbin header "
                     "of 16 bytes is cut off after 0 bytes");
  expectNotFound(
      std::string(8, '\0') + makeFatbin(),
      "section 2 ('__nv_relfatbin'): offset 0x0: not a fatbin: magic "
      "is 0x0 instead of 0xba55ed50");
  expectNotFound(
      makeFatbin() + std::string(8, '\0') + "0123456789abcdef",
      "section 2 ('__nv_relfatbin'): offset 0x58: not a fatbin: magic "
      "is 0x33323130 instead of 0xba55ed50");
  expectNotFound(makeFatbin().substr(0, 79),
                 "section 2 ('__nv_relfatbin'): offset 0x0: fatbin header of "
                 "0x10 bytes and entries of 0x40 bytes extend past the end of "
                 "the data of 0x4f bytes");
}

TEST(HostObjectErrors, NoBitsSectionHoldsNoFatbin) {
  RawObject object = objectWithFatbins(makeFatbin());
  object.sections[1].type = elf::SHT_NOBITS;
  EXPECT_EQ(readError(object),
            "section 2 ('__nv_relfatbin'): offset 0x0: "
            "fatbin header of 16 bytes is cut off after 0 bytes");
}

TEST(HostObjectErrors, Identification) {
  EXPECT_EQ(message(read("hello")), "not an ELF file");
  std::string data = RawObject().bytes();
  data[4] = 3;
  EXPECT_EQ(message(read(data)), "ELF class 3 is neither 32 nor 64 bit");
  data[4] = char(0xff);
  EXPECT_EQ(message(read(data)), "ELF class 255 is neither 32 nor 64 bit");
  data[4] = 2;
  data[5] = 0;
  EXPECT_EQ(message(read(data)), "ELF byte order 0 is unknown");
  data[5] = 1;
  EXPECT_EQ(message(read(StringRef(data).take_front(63))),
            "ELF header of 64 bytes is cut off after 63 bytes");
}

TEST(HostObjectErrors, SectionTable) {
  RawObject object = objectWithFatbins(makeFatbin());
  object.entrySize = 40;
  EXPECT_EQ(readError(object), "size of a section header is 40 instead of 64");
  object.entrySize = -1;
  object.count = 5;
  EXPECT_EQ(readError(object),
            "section table at 0xc9 with 5 sections extends past the end of the "
            "file of 0x1c9 bytes");
  object.count = -1;
  std::string data = object.bytes();
  EXPECT_EQ(message(read(StringRef(data).drop_back())),
            "section table at 0xc9 with 4 sections extends past the end of the "
            "file of 0x1c8 bytes");
  EXPECT_EQ(message(read(StringRef(data).take_front(0xc9 + 63))),
            "section table at 0xc9 is outside the file of 0x108 bytes");
}

TEST(HostObjectErrors, SectionNames) {
  RawObject object = objectWithFatbins(makeFatbin());
  object.namesIndex = 4;
  EXPECT_EQ(readError(object),
            "section names should be in section 4, but there are only 4");
  object.namesIndex = -1;
  object.unterminatedNames = true;
  EXPECT_EQ(readError(object), "section names in section 3 don't end with a "
                               "NUL");
  object.unterminatedNames = false;
  object.nameOffset = 33;
  EXPECT_EQ(readError(object),
            "section 1: name at 0x21 is outside the section names of 0x21 "
            "bytes");
}

TEST(HostObjectErrors, SectionContents) {
  RawObject object = objectWithFatbins(makeFatbin());
  object.sections[1].size = 0x182;
  EXPECT_EQ(readError(object),
            "section 2 ('__nv_relfatbin') at 0x58 of 0x182 bytes extends past "
            "the end of the file of 0x1c9 bytes");
  object = RawObject();
  object.sections = {{".nvHRKE", "ke"}};
  object.sections[0].size = -16; // Would wrap around.
  EXPECT_EQ(readError(object),
            "section 1 ('.nvHRKE') at 0x40 of 0xfffffffffffffff0 bytes extends "
            "past the end of the file of 0x10b bytes");
  object.sections[0].name = ".other"; // Nobody reads it.
  EXPECT_EQ(readError(object), "");
}

TEST(HostObject, SectionNamesMayBeMissing) {
  RawObject object = objectWithFatbins(makeFatbin());
  object.namesIndex = 0;
  EXPECT_EQ(readError(object), "");
}

TEST(HostObject, IsAnyMachineButCuda) {
  RawObject object;
  EXPECT_TRUE(isHostObject(object.bytes()));
  object.machine = elf::EM_CUDA;
  EXPECT_FALSE(isHostObject(object.bytes()));
  object.bigEndian = true;
  EXPECT_FALSE(isHostObject(object.bytes()));
  object.machine = 0xbe00; // EM_CUDA if read in the wrong order.
  EXPECT_TRUE(isHostObject(object.bytes()));
  EXPECT_FALSE(isHostObject(StringRef(object.bytes()).take_front(19)));
  EXPECT_FALSE(isHostObject("!<arch>\nsomething else"));
}

TEST(SplitNames, LeavesOutEmptyOnes) {
  EXPECT_TRUE(splitNames("").empty());
  EXPECT_TRUE(splitNames(StringRef("\0\0\0", 3)).empty());
  auto names = splitNames(StringRef("\0a\0\0bc\0d", 8));
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names[0], "a");
  EXPECT_EQ(names[1], "bc");
  EXPECT_EQ(names[2], "d");
}

} // namespace
