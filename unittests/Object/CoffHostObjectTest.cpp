//===- CoffHostObjectTest.cpp - Device code inside objects for Windows ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContainerTestUtils.h"
#include "lld-cuda/BinaryFormat/ELF.h"
#include "lld-cuda/Object/DeviceCode.h"
#include "lld-cuda/Object/Fatbin.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Object/COFF.h"

using namespace lld::cuda;
using namespace lld::cuda::test;
using namespace llvm;

namespace {

Expected<HostObject> read(StringRef data) {
  return HostObject::create(MemoryBufferRef(data, "host.obj"));
}

/// An object with the given sections, no symbols, and the names that are longer
/// than 8 characters behind them.
struct RawCoff {
  struct Section {
    std::string name; ///< Its field, if it begins with '/'.
    std::string contents;
    uint32_t flags =
        COFF::IMAGE_SCN_CNT_INITIALIZED_DATA | COFF::IMAGE_SCN_MEM_READ;
    int64_t size = -1; ///< -1: as it should be.
  };
  bool isBig = false;
  uint16_t machine = COFF::IMAGE_FILE_MACHINE_AMD64;
  std::vector<Section> sections = {};
  int64_t count = -1, namesSize = -1; ///< -1: as it should be.
  uint32_t numSymbols = 0;            ///< There are none.
  bool hasNames = true;

  std::string header(uint32_t symbols) const {
    std::string s;
    const uint64_t number = count < 0 ? sections.size() : count;
    if (isBig) {
      append(s, 0, 2);
      append(s, 0xffff, 2);
      append(s, 2, 2);
      append(s, machine, 2);
      append(s, 0, 4);
      s.append(std::begin(COFF::BigObjMagic), std::end(COFF::BigObjMagic));
      s.resize(44);
      append(s, number, 4);
    } else {
      append(s, machine, 2);
      append(s, number, 2);
      append(s, 0, 4);
    }
    append(s, symbols, 4);
    append(s, numSymbols, 4);
    if (!isBig)
      append(s, 0, 4);
    return s;
  }

  std::string bytes() const {
    const size_t headerSize = isBig ? 56 : 20;
    std::string names, body, table;
    for (const Section &s : sections) {
      std::string field = s.name;
      if (s.name.size() > 8 && s.name[0] != '/') {
        field = "/" + std::to_string(4 + names.size());
        names += s.name + '\0';
      }
      field.resize(8);
      table += field;
      append(table, 0, 8);
      append(table, s.size < 0 ? s.contents.size() : s.size, 4);
      append(table, headerSize + 40 * sections.size() + body.size(), 4);
      append(table, 0, 12);
      append(table, s.flags, 4);
      body += s.contents;
    }
    const uint32_t symbols = headerSize + table.size() + body.size();
    std::string s = header(hasNames ? symbols : 0) + table + body;
    append(s, namesSize < 0 ? 4 + names.size() : namesSize, 4);
    return s + names;
  }
};

std::string makeFatbin(unsigned arch = 90) {
  RawEntry entry;
  entry.arch = arch;
  return RawFatbin{{entry}}.bytes();
}

RawCoff objectWithFatbin() {
  RawCoff object;
  object.sections = {{".nvFatBinSegment", std::string(24, '\0')},
                     {"__nv_relfatbin", makeFatbin()}};
  return object;
}

class CoffHostObject
    : public testing::TestWithParam<std::tuple<bool, uint16_t>> {
protected:
  RawCoff object(std::vector<RawCoff::Section> sections) {
    RawCoff o;
    std::tie(o.isBig, o.machine) = GetParam();
    o.sections = std::move(sections);
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(
    Kinds, CoffHostObject,
    testing::Combine(testing::Bool(),
                     testing::Values(COFF::IMAGE_FILE_MACHINE_AMD64,
                                     COFF::IMAGE_FILE_MACHINE_ARM64)));

// [host-object-format]
TEST_P(CoffHostObject, IsRead) {
  const std::string fatbin = makeFatbin();
  const std::string data =
      object({{".text", "code"},
              {"__nv_relfatbin", fatbin},
              {".nvFatBinSegment", ""},
              {"__nv_module_id", StringRef("id\0", 3).str()},
              {".nvHRKE", "ke"},
              {".nvHRDI", "di"},
              {".llvm.offloading", "offload"}})
          .bytes();
  // LLVM's reader finds the same sections.
  auto file = object::COFFObjectFile::create(MemoryBufferRef(data, ""));
  ASSERT_EQ(message(file.takeError()), "");
  std::vector<std::string> names;
  for (const object::SectionRef &section : (*file)->sections())
    names.push_back(cantFail(section.getName()).str());
  EXPECT_EQ(names, (std::vector<std::string>{".text", "__nv_relfatbin",
                                             ".nvFatBinSegment",
                                             "__nv_module_id", ".nvHRKE",
                                             ".nvHRDI", ".llvm.offloading"}));

  EXPECT_TRUE(isCoffObject(data));
  EXPECT_FALSE(isHostObject(data));
  EXPECT_EQ(getHost(data)->getArch(), (*file)->getArch());
  EXPECT_TRUE(getHost(data)->isOSWindows());
  auto host = read(data);
  ASSERT_EQ(message(host.takeError()), "");
  EXPECT_EQ(host->fileType, elf::ET_REL);
  EXPECT_TRUE(host->hasFatbinSegment && host->hasRelocatableFatbin);
  EXPECT_FALSE(host->hasWholeProgramFatbin);
  ASSERT_EQ(host->fatbins.size(), 1u);
  EXPECT_TRUE(host->fatbins[0] == fatbin);
  EXPECT_EQ(host->moduleIds, StringRef("id\0", 3));
  EXPECT_EQ(host->kernelsExternal, StringRef("ke"));
  EXPECT_EQ(host->variablesInternal, StringRef("di"));
  EXPECT_FALSE(host->constantsExternal);
  ASSERT_EQ(host->offloadSections.size(), 1u);
  EXPECT_EQ(host->offloadSections[0], "offload");
}

TEST_P(CoffHostObject, TruncationsAreErrors) {
  const std::string data =
      object({{".nvFatBinSegment", ""}, {"__nv_relfatbin", makeFatbin()}})
          .bytes();
  for (size_t size = 0; size != data.size(); ++size) {
    const std::string cut = data.substr(0, size); // Its end is that of memory.
    EXPECT_NE(message(read(cut)), "") << size;
  }
}

/// Whatever a byte says, nothing outside the file is read.
TEST_P(CoffHostObject, AnyByteMayBeWrong) {
  const std::string data =
      object({{".nvFatBinSegment", ""}, {"__nv_relfatbin", makeFatbin()}})
          .bytes();
  for (size_t at = 0; at != data.size(); ++at)
    for (unsigned char value : {0x00, 0x2f, 0x7f, 0x80, 0xff}) {
      std::string wrong = data;
      wrong[at] = char(value);
      auto host = read(wrong);
      if (!host) {
        EXPECT_NE(message(host.takeError()), "");
        continue;
      }
      for (StringRef fatbin : host->fatbins)
        EXPECT_TRUE(fatbin.begin() >= wrong.data() &&
                    fatbin.end() <= wrong.data() + wrong.size());
    }
}

TEST(CoffHostObjectNames, MayBeBase64) {
  RawCoff object = objectWithFatbin();
  // 4: the first name, ".nvFatBinSegment"; 21: the second.
  object.sections = {{".nvFatBinSegment", ""},
                     {"__nv_relfatbin", ""},
                     {"//AAAAAE", ""},
                     {"//AAAAAV", makeFatbin()}};
  auto host = read(object.bytes());
  // The section that is named in the plain way has no fatbin.
  EXPECT_NE(message(host.takeError()), "");
  object.sections[1].contents = makeFatbin(80);
  const std::string data = object.bytes();
  host = read(data);
  ASSERT_EQ(message(host.takeError()), "");
  EXPECT_EQ(host->fatbins.size(), 2u);
}

TEST(CoffHostObjectErrors, Names) {
  auto error = [](StringRef name) {
    RawCoff object;
    object.sections = {{name.str(), ""}, {".nvFatBinSegment", ""}};
    return message(read(object.bytes()));
  };
  EXPECT_EQ(error("/3"), "section 1: name at 0x3 is outside the string table "
                         "of 0x15 bytes");
  EXPECT_EQ(error("/21"), "section 1: name at 0x15 is outside the string table "
                          "of 0x15 bytes");
  EXPECT_EQ(error("/20"), "");
  EXPECT_EQ(error("//zzzzzz"),
            "section 1: name at 0xcf3cf3cf3 is outside the string table of "
            "0x15 bytes");
  EXPECT_EQ(error("//AAAA!A"),
            "section 1: name '//AAAA!A' is neither a name nor the place of "
            "one");
  EXPECT_EQ(error("/x"),
            "section 1: name '/x' is neither a name nor the place of one");
  EXPECT_EQ(error("/"),
            "section 1: name '/' is neither a name nor the place of one");
}

TEST(CoffHostObjectErrors, StringTable) {
  RawCoff object = objectWithFatbin();
  object.namesSize = 5 + 17 + 15;
  EXPECT_EQ(message(read(object.bytes())),
            "string table at 0xcc of 0x25 bytes extends past the end of the "
            "file of 0xf0 bytes");
  object.namesSize = 4 + 16; // Without the NUL of the first name.
  EXPECT_EQ(message(read(object.bytes())),
            "section 1: name at 0x4 doesn't end with a NUL");
  object.namesSize = -1;
  object.numSymbols = 0xffffffff;
  EXPECT_EQ(message(read(object.bytes())),
            "string table at 0x12000000ba is outside the file of 0xf0 bytes");
  object.numSymbols = 0;
  object.hasNames = false;
  EXPECT_EQ(message(read(object.bytes())),
            "section 1: name at 0x4, but there is no string table");
}

TEST(CoffHostObjectErrors, Sections) {
  RawCoff object = objectWithFatbin();
  object.count = 6;
  EXPECT_EQ(message(read(object.bytes())),
            "section table at 0x14 with 6 sections extends past the end of the "
            "file of 0xf0 bytes");
  object.isBig = true;
  object.count = 0xffffffff;
  EXPECT_EQ(message(read(object.bytes())),
            "section table at 0x38 with 4294967295 sections extends past the "
            "end of the file of 0x114 bytes");
  object = objectWithFatbin();
  object.sections[1].size = 0xffffffff;
  EXPECT_EQ(message(read(object.bytes())),
            "section 2 ('__nv_relfatbin') at 0x7c of 0xffffffff bytes extends "
            "past the end of the file of 0xf0 bytes");
  object.sections[1].flags = COFF::IMAGE_SCN_CNT_UNINITIALIZED_DATA;
  auto host = read(object.bytes());
  ASSERT_FALSE(bool(host));
  Error error = host.takeError();
  EXPECT_TRUE(error.isA<FatbinNotFound>());
  consumeError(std::move(error));
}

TEST(IsCoffObject, KnowsObjectsOfTwoMachines) {
  RawCoff object;
  EXPECT_TRUE(isCoffObject(object.bytes()));
  object.machine = COFF::IMAGE_FILE_MACHINE_I386;
  EXPECT_FALSE(isCoffObject(object.bytes()));
  object.isBig = true;
  EXPECT_FALSE(isCoffObject(object.bytes()));
  object.machine = COFF::IMAGE_FILE_MACHINE_ARM64;
  EXPECT_TRUE(isCoffObject(object.bytes()));
  std::string data = object.bytes();
  data[4] = 1; // cl.exe's intermediate code has this version.
  EXPECT_FALSE(isCoffObject(data));
  data[4] = 0; // A member of an import library.
  EXPECT_FALSE(isCoffObject(data));
  data = RawCoff().bytes();
  data[16] = 1; // An optional header: of an executable.
  EXPECT_FALSE(isCoffObject(data));
  EXPECT_FALSE(isCoffObject(StringRef(data).take_front(19)));
  EXPECT_FALSE(isCoffObject(""));
}

TEST(GetHost, KnowsElfMachines) {
  EXPECT_EQ(getHost(readInput("first.o"))->str(), "x86_64-unknown-linux-gnu");
  std::string data = readInput("first.o");
  data[18] = char(0xb7);
  EXPECT_EQ(getHost(data)->str(), "aarch64-unknown-linux-gnu");
  data[18] = char(0xf3);
  EXPECT_EQ(getHost(data)->str(), "riscv64-unknown-linux-gnu");
  data[18] = char(0xbe); // EM_CUDA
  EXPECT_FALSE(getHost(data));
  EXPECT_FALSE(getHost("\x7f"
                       "ELF"));
}

/// What is none of these, or ends in its first bytes, is an error.
TEST(EmbeddedFatbins, OtherFiles) {
  for (StringRef data : {"", "d\x86", "MZ",
                         "\x7f"
                         "ELF",
                         ".version 9.0"}) {
    unsigned errors = 0;
    auto fatbins = findEmbeddedFatbins(data, [&](Error e) {
      consumeError(std::move(e));
      ++errors;
    });
    EXPECT_TRUE(fatbins.empty());
    EXPECT_EQ(errors, 1u) << data.str();
  }
}

} // namespace
