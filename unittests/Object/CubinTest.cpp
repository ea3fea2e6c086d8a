//===- CubinTest.cpp - Checked view of a cubin ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CubinTestUtils.h"

using namespace lld::cuda;
using namespace lld::cuda::elf;
using namespace lld::cuda::test;
using llvm::StringRef;

namespace {

//===----------------------------------------------------------------------===//
// Real files
//===----------------------------------------------------------------------===//

const char *const realFiles[] = {
    "first.sm_75",       "first.sm_90",       "first.sm_100",
    "second.sm_75",      "second.sm_90",      "second.sm_100",
    "linked.sm_75",      "linked.sm_90",      "linked.sm_100",
    "resolved.sm_75",    "relocatable.sm_75", "relocatable.sm_90",
    "relocatable.sm_100"};

std::string readCubin(StringRef name) {
  return readInput(("Cubin/" + name + ".cubin").str());
}

TEST(CubinReal, EveryFileIsAccepted) {
  for (StringRef name : realFiles) {
    std::string data = readCubin(name);
    EXPECT_TRUE(isCubin(data)) << name.str();
    EXPECT_EQ(message(CubinFile::create({data, name})), "") << name.str();
  }
}

TEST(CubinReal, HeaderSaysWhatItIsFor) {
  std::string native = readCubin("first.sm_90");
  auto file = CubinFile::create({native, ""});
  ASSERT_EQ(message(file.takeError()), "");
  EXPECT_EQ(file->smNumber(), 90u);
  EXPECT_FALSE(file->hasMercuryFlag());
  EXPECT_TRUE(file->mercurySymtab().empty());
  EXPECT_TRUE(file->programHeaders().empty());

  std::string mercury = readCubin("linked.sm_100");
  auto linked = CubinFile::create({mercury, ""});
  ASSERT_EQ(message(linked.takeError()), "");
  EXPECT_EQ(linked->smNumber(), 100u);
  EXPECT_TRUE(linked->hasMercuryFlag());
  EXPECT_FALSE(linked->mercurySymtab().empty());
  EXPECT_EQ(linked->programHeaders().size(), linked->header().e_phnum);
  EXPECT_FALSE(linked->programHeaders().empty());
}

TEST(CubinReal, SymbolsAndSectionsBelongTogether) {
  std::string data = readCubin("first.sm_75");
  auto file = CubinFile::create({data, ""});
  ASSERT_EQ(message(file.takeError()), "");
  const CubinSymbolTable &symtab = file->symtab();
  unsigned functions = 0;
  for (unsigned i = 0; i < symtab.symbols.size(); ++i) {
    const Elf_Sym &sym = symtab.symbols[i];
    if (sym.getType() != STT_FUNC || file->sectionIndex(i) == SHN_UNDEF)
      continue;
    ++functions;
    EXPECT_EQ(file->sectionName(file->sectionIndex(i)),
              (".text." + symtab.name(sym)).str());
  }
  EXPECT_EQ(functions, 3u);
  unsigned text = file->findSection(".text.kernel");
  ASSERT_NE(text, 0u);
  EXPECT_EQ(file->contents(text).size(), file->sections()[text].sh_size);
  EXPECT_EQ(file->findSection(".text.kerne"), 0u);
  EXPECT_EQ(file->findSection(".text.kernels"), 0u);

  unsigned global = file->findSection(".nv.global");
  ASSERT_NE(global, 0u);
  EXPECT_EQ(file->sections()[global].sh_size, 64u);
  EXPECT_TRUE(file->contents(global).empty());
}

TEST(CubinReal, BothRelocationFormsOnOldArchitectures) {
  std::string data = readCubin("first.sm_75");
  auto file = CubinFile::create({data, ""});
  ASSERT_EQ(message(file.takeError()), "");
  EXPECT_FALSE(file->rels(file->findSection(".rel.text.kernel")).empty());
  EXPECT_FALSE(file->relas(file->findSection(".rela.text.kernel")).empty());
}

TEST(CubinReal, ResolvedRelocations) {
  std::string data = readCubin("resolved.sm_75");
  auto file = CubinFile::create({data, ""});
  ASSERT_EQ(message(file.takeError()), "");
  EXPECT_EQ(
      file->relas(file->findSection(".nv.resolvedrela.text.kernel")).size(),
      4u);
}

// Cutting a file anywhere takes its section table, which stands at its end, or
// in linked files the program headers behind that.
TEST(CubinReal, EveryPrefixIsRefusedOrComplete) {
  std::string data = readCubin("first.sm_100");
  for (size_t size = 0; size < data.size(); ++size)
    EXPECT_NE(
        message(CubinFile::create({StringRef(data).take_front(size), ""})), "")
        << size;
}

//===----------------------------------------------------------------------===//
// Damaged files
//===----------------------------------------------------------------------===//

TEST(Cubin, TheSmallCubinIsValid) {
  SmallCubin cubin;
  auto file = cubin.read();
  ASSERT_EQ(message(file.takeError()), "");
  EXPECT_EQ(file->sections().size(), unsigned(SectionCount));
  EXPECT_EQ(file->symtab().symbols.size(), unsigned(SymbolCount));
  EXPECT_EQ(file->symtab().name(file->symtab().symbols[VariableSymbol]), "v");
  EXPECT_EQ(file->rels(Rel).size(), 1u);
  EXPECT_EQ(file->relas(Rela).size(), 2u);
  EXPECT_EQ(file->relas(Rela)[1].r_addend, 8);
  EXPECT_EQ(file->relas(MercuryRela).size(), 1u);
  EXPECT_EQ(file->mercurySectionIndex(KernelSymbol), unsigned(Text));
  EXPECT_EQ(llvm::cantFail(file->string(7)), "i(i)");
}

TEST(Cubin, IsRecognisedByMagicAndMachineAlone) {
  EXPECT_FALSE(isCubin(""));
  EXPECT_FALSE(isCubin("\x7f"
                       "ELF"));
  SmallCubin cubin;
  EXPECT_TRUE(isCubin(cubin.bytes));
  cubin.header().e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_TRUE(isCubin(cubin.bytes));
  cubin.header().e_machine = EM_X86_64;
  EXPECT_FALSE(isCubin(cubin.bytes));
}

TEST(Cubin, AnyElfTypeIsReadable) {
  for (uint16_t type : {0, 1, 2, 3, 0xff00}) {
    SmallCubin cubin;
    cubin.header().e_type = type;
    EXPECT_EQ(cubin.error(), "") << type;
  }
}

TEST(CubinHeader, TooSmall) {
  EXPECT_EQ(message(CubinFile::create({"", ""})),
            "file of 0 bytes is too small for an ELF header");
  SmallCubin cubin;
  cubin.bytes.resize(63);
  EXPECT_EQ(cubin.error(), "file of 63 bytes is too small for an ELF header");
}

TEST(CubinHeader, Identification) {
  SmallCubin magic;
  magic.bytes[1] = 'e';
  EXPECT_EQ(magic.error(), "not an ELF file");
  SmallCubin elfClass;
  elfClass.header().e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(elfClass.error(), "ELF class 1 at offset 0x4 is not ELFCLASS64");
  SmallCubin encoding;
  encoding.header().e_ident[EI_DATA] = ELFDATA2MSB;
  EXPECT_EQ(encoding.error(),
            "ELF data encoding 2 at offset 0x5 is not little endian");
  SmallCubin machine;
  machine.header().e_machine = EM_X86_64;
  EXPECT_EQ(machine.error(), "ELF machine 62 at offset 0x12 is not EM_CUDA");
}

TEST(CubinHeader, OfOlderToolkits) {
  SmallCubin cubin;
  cubin.header().e_ident[EI_OSABI] = ELFOSABI_CUDA_12;
  cubin.header().e_flags = 0x5a0d5a;
  auto file = cubin.read();
  ASSERT_EQ(message(file.takeError()), "");
  EXPECT_TRUE(file->hasOldHeader());
  EXPECT_EQ(file->smNumber(), 90u);
  EXPECT_FALSE(file->hasMercuryFlag());
  // EF_CUDA_13_MERCURY and EF_CUDA_13_SASS are part of the number here.
  cubin.header().e_flags = 0x560556;
  EXPECT_EQ(file->smNumber(), 86u);
  EXPECT_FALSE(file->hasMercuryFlag());
  cubin.header().e_ident[EI_OSABI] = ELFOSABI_CUDA_13;
  EXPECT_FALSE(file->hasOldHeader());
}

TEST(CubinSectionTable, Missing) {
  SmallCubin cubin;
  cubin.header().e_shoff = 0;
  EXPECT_EQ(cubin.error(), "the file has no section table");
}

TEST(CubinSectionTable, WrongEntrySize) {
  SmallCubin cubin;
  cubin.header().e_shentsize = 40;
  EXPECT_EQ(cubin.error(),
            "section headers of 40 bytes (e_shentsize), expected 64");
}

TEST(CubinSectionTable, PastTheEnd) {
  SmallCubin cubin;
  size_t size = cubin.bytes.size();
  for (uint64_t offset : {uint64_t(size), uint64_t(size) - 63, ~uint64_t(0)}) {
    cubin.header().e_shoff = offset;
    EXPECT_EQ(cubin.error(),
              llvm::formatv("section table at offset {0:x} is past the end of "
                            "the file ({1:x})",
                            offset, size)
                  .str());
  }
}

TEST(CubinSectionTable, TooManyEntries) {
  SmallCubin cubin;
  uint64_t offset = cubin.header().e_shoff;
  cubin.header().e_shnum = SectionCount + 1;
  EXPECT_EQ(cubin.error(),
            llvm::formatv("section table at offset {0:x} with 15 entries runs "
                          "past the end of the file ({1:x})",
                          offset, cubin.bytes.size())
                .str());
}

TEST(CubinSectionTable, ExtendedNumbering) {
  SmallCubin cubin;
  cubin.header().e_shnum = 0;
  EXPECT_EQ(cubin.error(), "the section table is empty");
  cubin.shdr(0).sh_size = ~uint64_t(0);
  EXPECT_TRUE(StringRef(cubin.error()).contains("18446744073709551615 entries"))
      << cubin.error();
  cubin.shdr(0).sh_size = SectionCount;
  cubin.header().e_shstrndx = SHN_XINDEX;
  cubin.shdr(0).sh_link = Shstrtab;
  auto file = cubin.read();
  ASSERT_EQ(message(file.takeError()), "");
  EXPECT_EQ(file->sections().size(), unsigned(SectionCount));
  EXPECT_TRUE(file->contents(0).empty());
}

// The checks of sections begin with section 1.
TEST(CubinSectionTable, SectionZero) {
  SmallCubin cubin;
  cubin.shdr(0).sh_type = SHT_PROGBITS;
  EXPECT_EQ(cubin.error(), "section 0: type 0x1 is not SHT_NULL");
}

TEST(CubinSectionNames, TableIndex) {
  SmallCubin cubin;
  for (unsigned index : {0u, unsigned(SectionCount), 0xfffeu}) {
    cubin.header().e_shstrndx = index;
    EXPECT_EQ(cubin.error(), "section name table index " +
                                 std::to_string(index) +
                                 " (e_shstrndx) is out of range: the file has "
                                 "14 sections");
  }
  cubin.header().e_shstrndx = Text;
  EXPECT_EQ(cubin.error(), "section 5 is the section name table (e_shstrndx), "
                           "but its type 0x1 is not SHT_STRTAB");
}

TEST(CubinSectionNames, TableOutsideTheFile) {
  SmallCubin cubin;
  cubin.shdr(Shstrtab).sh_offset = 0x10000;
  EXPECT_TRUE(StringRef(cubin.error())
                  .starts_with("section 1 (section names): offset 0x10000 and "
                               "size "))
      << cubin.error();
}

TEST(CubinSectionNames, TableWithoutEnd) {
  SmallCubin cubin;
  cubin.shdr(Shstrtab).sh_size = cubin.shdr(Shstrtab).sh_size - 1;
  EXPECT_EQ(cubin.error(), "section 1 (section names) does not end with NUL");
  cubin.shdr(Shstrtab).sh_size = 0;
  EXPECT_EQ(cubin.error(), "section 1 (section names) does not end with NUL");
}

TEST(CubinSectionNames, NamePastTheTable) {
  for (unsigned section : {0u, unsigned(Global)}) {
    SmallCubin cubin;
    cubin.shdr(section).sh_name = 0x999;
    EXPECT_TRUE(StringRef(cubin.error())
                    .starts_with("section " + std::to_string(section) +
                                 ": name offset 0x999 is past the section name "
                                 "table ("))
        << cubin.error();
  }
}

TEST(CubinSections, OutsideTheFile) {
  SmallCubin cubin;
  size_t size = cubin.bytes.size();
  for (auto [offset, bytes] : {std::pair<uint64_t, uint64_t>{size + 1, 0},
                               {size, 1},
                               {0, size + 1},
                               {~uint64_t(0), 2},
                               {2, ~uint64_t(0)}}) {
    cubin.shdr(Text).sh_offset = offset;
    cubin.shdr(Text).sh_size = bytes;
    EXPECT_EQ(cubin.error(),
              llvm::formatv("section 5 ('.text.k'): offset {0:x} and size "
                            "{1:x} run past the end of the file ({2:x})",
                            offset, bytes, size)
                  .str());
  }
  cubin.shdr(Text).sh_type = SHT_NOBITS;
  EXPECT_EQ(cubin.error(), "");
}

// The reserved shared memory of sm_110 [mercury-appended].
TEST(CubinSections, NoBitsTypeHasBytesInTheMercuryView) {
  SmallCubin cubin;
  cubin.shdr(Text).sh_type = SHT_CUDA_RESERVED_SHARED;
  EXPECT_EQ(cubin.read()->contents(Text).size(), 0u);
  cubin.shdr(Text).sh_flags = SHF_CUDA_MERCURY;
  EXPECT_EQ(cubin.read()->contents(Text).size(), 32u);
}

TEST(CubinSections, Alignment) {
  for (unsigned section : {Text, Global}) {
    SmallCubin cubin;
    for (uint64_t good : {uint64_t(0), uint64_t(1), uint64_t(1) << 32}) {
      cubin.shdr(section).sh_addralign = good;
      EXPECT_EQ(cubin.error(), "");
    }
    for (uint64_t bad : {uint64_t(3), uint64_t(112), uint64_t(1) << 33}) {
      cubin.shdr(section).sh_addralign = bad;
      EXPECT_TRUE(StringRef(cubin.error())
                      .ends_with(llvm::formatv("'): alignment {0:x} is not a "
                                               "power of two up to 2^32",
                                               bad)
                                     .str()))
          << cubin.error();
    }
  }
}

// Reading every section once must take linear time.
TEST(CubinSections, OverlapIsBounded) {
  SmallCubin cubin;
  for (unsigned section : {Text, CallGraph, Prototype, MercuryInfo}) {
    cubin.shdr(section).sh_offset = 0;
    cubin.shdr(section).sh_size = cubin.bytes.size();
  }
  EXPECT_EQ(cubin.error(),
            "section 13 ('.nv.merc.nv.info.k'): sections up to here overlap: "
            "together they are more than four times the file");
}

TEST(CubinSections, SecondTable) {
  SmallCubin symtab;
  symtab.shdr(Prototype).sh_type = SHT_SYMTAB;
  EXPECT_EQ(symtab.error(),
            "section 10 ('.nv.prototype'): a second symbol table, besides "
            "section 3 ('.symtab')");
  SmallCubin mercury;
  mercury.shdr(Text).sh_type = SHT_CUDA_MERC_SYMTAB;
  EXPECT_EQ(mercury.error(), "section 11 ('.nv.merc.symtab'): a second symbol "
                             "table, besides section 5 ('.text.k')");
}

TEST(CubinSections, InfoLink) {
  SmallCubin cubin;
  // Below sm_90 it holds a register count, too.
  EXPECT_GT(cubin.shdr(Text).sh_info, unsigned(SectionCount));
  cubin.shdr(MercuryInfo).sh_info = SectionCount;
  EXPECT_EQ(cubin.error(), "section 13 ('.nv.merc.nv.info.k'): section index "
                           "14 (sh_info) is out of range");
}

TEST(Cubin, DamagedProgramHeadersCountAsNone) {
  SmallCubin cubin;
  cubin.header().e_phentsize = sizeof(Elf_Phdr);
  cubin.header().e_phnum = 2;
  cubin.header().e_phoff = 64;
  EXPECT_EQ(cubin.read()->programHeaders().size(), 2u);
  for (uint64_t offset :
       {uint64_t(0), uint64_t(cubin.bytes.size() - 111), ~uint64_t(0)}) {
    cubin.header().e_phoff = offset;
    EXPECT_EQ(cubin.read()->programHeaders().size(), 0u);
  }
  cubin.header().e_phoff = 64;
  cubin.header().e_phentsize = 32;
  EXPECT_EQ(cubin.read()->programHeaders().size(), 0u);
}

} // namespace
