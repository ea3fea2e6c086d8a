//===- CubinSymbolsTest.cpp - A cubin's symbols and relocations -----------===//
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

TEST(CubinSymbols, NoneAtAll) {
  SmallCubin cubin;
  for (unsigned section = 2; section < SectionCount; ++section)
    cubin.shdr(section).sh_type = SHT_PROGBITS;
  for (unsigned section = 2; section < SectionCount; ++section)
    cubin.shdr(section).sh_size = 0;
  auto file = cubin.read();
  ASSERT_EQ(message(file.takeError()), "");
  EXPECT_TRUE(file->symtab().empty());
  EXPECT_EQ(file->symtab().section, 0u);
  EXPECT_EQ(message(file->string(0)),
            "string offset 0x0 is past the string table (0x0)");
}

TEST(CubinSymbols, EntrySize) {
  SmallCubin cubin;
  cubin.shdr(Symtab).sh_entsize = 16;
  EXPECT_EQ(cubin.error(), "section 3 ('.symtab'): symbols of 16 bytes "
                           "(sh_entsize), expected 24");
  cubin.shdr(Symtab).sh_entsize = 24;
  cubin.shdr(Symtab).sh_size = 95;
  EXPECT_EQ(cubin.error(),
            "section 3 ('.symtab'): size 0x5f is not a multiple of 24");
}

TEST(CubinSymbols, StringTable) {
  SmallCubin cubin;
  for (unsigned link : {0u, unsigned(SectionCount)}) {
    cubin.shdr(Symtab).sh_link = link;
    EXPECT_EQ(cubin.error(), "section 3 ('.symtab'): string table index " +
                                 std::to_string(link) +
                                 " (sh_link) is out of range");
  }
  cubin.shdr(Symtab).sh_link = Text;
  EXPECT_EQ(cubin.error(),
            "section 3 ('.symtab'): its string table, section 5 ('.text.k'), "
            "has not the type SHT_STRTAB");
  cubin.shdr(Symtab).sh_link = Strtab;
  cubin.shdr(Strtab).sh_size = 11;
  EXPECT_EQ(cubin.error(),
            "section 2 ('.strtab'): string table does not end with NUL");
}

TEST(CubinSymbols, Name) {
  SmallCubin cubin;
  cubin.symbol(VariableSymbol).st_name = 12;
  EXPECT_EQ(cubin.error(), "section 3 ('.symtab'): symbol 3: name offset 0xc "
                           "is out of range");
  SmallCubin mercury;
  mercury.symbol(1, MercurySymtab).st_name = ~0u;
  EXPECT_EQ(mercury.error(), "section 11 ('.nv.merc.symtab'): symbol 1: name "
                             "offset 0xffffffff is out of range");
}

TEST(CubinSymbols, EmptyStringTableHasOneName) {
  SmallCubin cubin;
  cubin.shdr(Strtab).sh_size = 0;
  EXPECT_EQ(cubin.error(), "section 3 ('.symtab'): symbol 1: name offset 0x1 "
                           "is out of range");
  for (unsigned i = 0; i < SymbolCount; ++i)
    cubin.symbol(i).st_name = 0;
  cubin.symbol(1, MercurySymtab).st_name = 0;
  auto file = cubin.read();
  ASSERT_EQ(message(file.takeError()), "");
  EXPECT_EQ(file->symtab().name(file->symtab().symbols[1]), "");
}

TEST(CubinSymbols, SectionIndex) {
  SmallCubin cubin;
  cubin.symbol(VariableSymbol).st_shndx = SectionCount;
  EXPECT_EQ(cubin.error(), "section 3 ('.symtab'): symbol 3: section index 0xe "
                           "is out of range");
  cubin.symbol(VariableSymbol).st_shndx = 0xff00;
  EXPECT_EQ(cubin.error(), "section 3 ('.symtab'): symbol 3: reserved section "
                           "index 0xff00 is out of range");
  cubin.symbol(VariableSymbol).st_shndx = SHN_ABS;
  EXPECT_EQ(cubin.error(), "");
  cubin.symbol(VariableSymbol).st_shndx = SHN_COMMON;
  EXPECT_TRUE(cubin.read()->isCommon(VariableSymbol));
}

TEST(CubinSymbols, ExtendedSectionIndex) {
  SmallCubin cubin;
  cubin.symbol(VariableSymbol).st_shndx = SHN_XINDEX;
  EXPECT_EQ(cubin.read()->sectionIndex(VariableSymbol), unsigned(Global));
  EXPECT_EQ(cubin.read()->sectionIndex(KernelSymbol), unsigned(Text));

  cubin.word(SymtabShndx, VariableSymbol) = SectionCount;
  EXPECT_EQ(cubin.error(), "section 3 ('.symtab'): symbol 3: extended section "
                           "index 0xe is out of range");
  cubin.shdr(SymtabShndx).sh_type = SHT_PROGBITS;
  EXPECT_EQ(cubin.error(),
            "section 3 ('.symtab'): symbol 3: its section index is SHN_XINDEX, "
            "but there is no table of extended indices");
}

// ptxas writes two tables of extended indices when an sm_100 module has more
// than 65,280 sections.
TEST(CubinSymbols, ExtendedSectionIndexInTheMercuryTable) {
  SmallCubin cubin;
  cubin.symbol(1, MercurySymtab).st_shndx = SHN_XINDEX;
  EXPECT_EQ(cubin.error(), "section 11 ('.nv.merc.symtab'): symbol 1: its "
                           "section index is SHN_XINDEX, but there is no table "
                           "of extended indices");
  cubin.shdr(Prototype).sh_type = SHT_SYMTAB_SHNDX;
  cubin.shdr(Prototype).sh_link = MercurySymtab;
  cubin.word(Prototype, 1) = Text;
  auto file = cubin.read();
  ASSERT_EQ(message(file.takeError()), "");
  EXPECT_EQ(file->mercurySectionIndex(1), unsigned(Text));
}

TEST(CubinSymbols, ExtendedIndexTable) {
  SmallCubin cubin;
  cubin.shdr(SymtabShndx).sh_size = 12;
  EXPECT_EQ(cubin.error(),
            "section 4 ('.symtab_shndx'): 3 entries for 4 symbols");
  for (unsigned link : {0u, unsigned(Strtab)}) {
    cubin.shdr(SymtabShndx).sh_link = link;
    EXPECT_EQ(cubin.error(), "section 4 ('.symtab_shndx'): section " +
                                 std::to_string(link) +
                                 " (sh_link) is not a symbol table");
  }
  SmallCubin second;
  second.shdr(Text).sh_type = SHT_SYMTAB_SHNDX;
  second.shdr(Text).sh_link = Symtab;
  EXPECT_EQ(second.error(),
            "section 5 ('.text.k'): a second table of extended indices for "
            "section 3 ('.symtab')");
}

TEST(CubinRelocations, EntrySize) {
  SmallCubin cubin;
  cubin.shdr(Rel).sh_entsize = 24;
  EXPECT_EQ(cubin.error(), "section 8 ('.rel.text.k'): relocations of 24 bytes "
                           "(sh_entsize), expected 16");
  cubin.shdr(Rel).sh_entsize = 16;
  cubin.shdr(Rela).sh_size = 47;
  EXPECT_EQ(cubin.error(),
            "section 7 ('.rela.text.k'): size 0x2f is not a multiple of 24");
}

TEST(CubinRelocations, SymbolTable) {
  SmallCubin cubin;
  cubin.shdr(Rela).sh_link = MercurySymtab;
  EXPECT_EQ(cubin.error(), "section 7 ('.rela.text.k'): section 11 (sh_link) "
                           "is not the symbol table");
  cubin.shdr(Rela).sh_link = Symtab;
  cubin.shdr(MercuryRela).sh_link = Symtab;
  EXPECT_EQ(cubin.error(), "section 12 ('.nv.merc.rela.text.k'): section 3 "
                           "(sh_link) is not the symbol table");
}

// [cuda12-stale-links]
TEST(CubinRelocations, SymbolTableOfImages) {
  SmallCubin cubin;
  cubin.header().e_type = ET_EXEC;
  cubin.shdr(Rela).sh_link = Global;
  EXPECT_EQ(cubin.error(), "");
  cubin.rela(1).setSymbolAndType(SymbolCount, 56, false);
  EXPECT_NE(cubin.error(), "");
}

TEST(CubinRelocations, Target) {
  for (unsigned section : {Rel, Rela, MercuryRela})
    for (unsigned target : {0u, unsigned(SectionCount)}) {
      SmallCubin cubin;
      cubin.shdr(section).sh_info = target;
      EXPECT_TRUE(StringRef(cubin.error())
                      .ends_with("target section index " +
                                 std::to_string(target) +
                                 " (sh_info) is out of range"))
          << cubin.error();
    }
}

TEST(CubinRelocations, Symbol) {
  SmallCubin rela;
  rela.rela(1).setSymbolAndType(SymbolCount, 56, false);
  EXPECT_EQ(rela.error(),
            "section 7 ('.rela.text.k'): relocation 1 at offset 0x18: symbol "
            "index is out of range: there are 4 symbols");
  SmallCubin rel;
  rel.rel(0).setSymbolAndType(~0u, 56, false);
  EXPECT_EQ(rel.error(),
            "section 8 ('.rel.text.k'): relocation 0 at offset 0x0: symbol "
            "index is out of range: there are 4 symbols");
  // Of the Mercury symbols there are two only.
  SmallCubin mercury;
  mercury.rela(0, MercuryRela).setSymbolAndType(2, 0x10028, false);
  EXPECT_EQ(mercury.error(),
            "section 12 ('.nv.merc.rela.text.k'): relocation 0 at offset 0x0: "
            "symbol index is out of range: there are 2 symbols");
}

TEST(CubinRelocations, ResolvedOnesAreChecked) {
  SmallCubin mercury;
  mercury.shdr(MercuryRela).sh_type = SHT_CUDA_MERC_RESOLVED_RELA;
  EXPECT_EQ(mercury.error(), "");
  mercury.shdr(MercuryRela).sh_link = Symtab;
  EXPECT_EQ(mercury.error(), "section 12 ('.nv.merc.rela.text.k'): section 3 "
                             "(sh_link) is not the symbol table");
  SmallCubin cubin;
  cubin.shdr(Rela).sh_type = SHT_CUDA_RESOLVED_RELA;
  EXPECT_EQ(cubin.error(), "");
  cubin.shdr(Rela).sh_entsize = 8;
  EXPECT_EQ(cubin.error(), "section 7 ('.rela.text.k'): relocations of 8 bytes "
                           "(sh_entsize), expected 24");
}

// Half a million symbols with one name of 300 kB would take minutes to hash.
TEST(CubinSymbols, SharedNamesAreBounded) {
  SmallCubin cubin;
  constexpr unsigned symbolCount = 1 << 14;
  std::string strings = '\0' + std::string(1 << 18, 'x') + '\0';
  Elf_Sym sym{};
  sym.st_name = 1;
  std::string symbols;
  for (unsigned i = 0; i < symbolCount; ++i)
    symbols.append(reinterpret_cast<const char *>(&sym), sizeof(sym));
  cubin.shdr(Symtab).sh_offset = cubin.bytes.size();
  cubin.shdr(Symtab).sh_size = symbols.size();
  cubin.shdr(SymtabShndx).sh_type = SHT_PROGBITS;
  cubin.shdr(Strtab).sh_offset = cubin.bytes.size() + symbols.size();
  cubin.shdr(Strtab).sh_size = strings.size();
  cubin.bytes += symbols + strings;
  EXPECT_EQ(cubin.error(),
            "section 3 ('.symtab'): too many names share their bytes");
}

TEST(Cubin, StringsOfTheSymbolTable) {
  SmallCubin cubin;
  auto file = cubin.read();
  ASSERT_EQ(message(file.takeError()), "");
  EXPECT_EQ(llvm::cantFail(file->string(11)), "");
  EXPECT_EQ(message(file->string(12)),
            "string offset 0xc is past the string table (0xc)");
}

} // namespace
