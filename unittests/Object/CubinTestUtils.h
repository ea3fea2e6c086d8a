//===- CubinTestUtils.h - A small cubin for tests ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A small valid cubin whose every header, symbol and byte a test can change.
/// The tests of the cubin reader (CubinTest.cpp, CubinSymbolsTest.cpp and
/// others of this folder) make one, damage it, and read it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_UNITTESTS_OBJECT_CUBINTESTUTILS_H
#define LLD_CUDA_UNITTESTS_OBJECT_CUBINTESTUTILS_H

#include "ContainerTestUtils.h"
#include "lld-cuda/Object/Cubin.h"
#include "llvm/Support/FormatVariadic.h"

namespace lld::cuda::test {

/// Section indices and symbols of the small cubin.
enum : unsigned {
  Shstrtab = 1,
  Strtab,
  Symtab,
  SymtabShndx,
  Text,
  Global,
  Rela,
  Rel,
  CallGraph,
  Prototype,
  MercurySymtab,
  MercuryRela,
  MercuryInfo,
  SectionCount,
};
enum : unsigned { KernelSymbol = 1, CalleeSymbol, VariableSymbol, SymbolCount };

class SmallCubin {
public:
  SmallCubin() {
    using namespace elf;
    std::string sectionNames(1, '\0');
    bytes.resize(sizeof(Elf_Ehdr));
    auto add = [&](unsigned index, llvm::StringRef name, uint32_t type,
                   std::string contents, uint32_t link = 0, uint32_t info = 0,
                   uint64_t entrySize = 0, uint64_t flags = 0) {
      shdrs.resize(SectionCount);
      Elf_Shdr &shdr = shdrs[index];
      shdr.sh_name = sectionNames.size();
      sectionNames += name.str() + '\0';
      shdr.sh_type = type;
      shdr.sh_flags = flags;
      shdr.sh_offset = bytes.size();
      shdr.sh_size = contents.size();
      shdr.sh_link = link;
      shdr.sh_info = info;
      shdr.sh_addralign = 1;
      shdr.sh_entsize = entrySize;
      // Nothing is aligned: the reader must not depend on it.
      bytes += contents + '\0';
    };
    add(Strtab, ".strtab", SHT_STRTAB, std::string("\0k\0f\0v\0i(i)\0", 12));
    add(Symtab, ".symtab", SHT_SYMTAB,
        symbol(0, 0, 0) + symbol(1, STT_FUNC, Text) + symbol(3, STT_FUNC, 0) +
            symbol(5, STT_CUDA_OBJECT, Global),
        Strtab, SymbolCount, sizeof(Elf_Sym));
    add(SymtabShndx, ".symtab_shndx", SHT_SYMTAB_SHNDX,
        words({0, 0, 0, Global}), Symtab, 0, 4);
    add(Text, ".text.k", SHT_PROGBITS, std::string(32, 'x'), Symtab,
        24u << 24 | KernelSymbol, 0, SHF_ALLOC | SHF_EXECINSTR);
    add(Global, ".nv.global", SHT_CUDA_GLOBAL, "");
    shdrs[Global].sh_size = uint64_t(1) << 40;
    add(Rela, ".rela.text.k", SHT_RELA,
        entry(0, CalleeSymbol, 58) + words({0, 0}) +
            entry(16, VariableSymbol, 56) + words({8, 0}),
        Symtab, Text, sizeof(Elf_Rela), SHF_INFO_LINK);
    add(Rel, ".rel.text.k", SHT_REL, entry(16, VariableSymbol, 57), Symtab,
        Text, sizeof(Elf_Rel), SHF_INFO_LINK);
    add(CallGraph, ".nv.callgraph", SHT_CUDA_CALLGRAPH,
        words({0, -1, KernelSymbol, CalleeSymbol, 0, -2, CalleeSymbol, 7, 0, -3,
               KernelSymbol, 7, 0, -4, KernelSymbol, CalleeSymbol}),
        Symtab, 0, 8);
    add(Prototype, ".nv.prototype", SHT_CUDA_PROTOTYPE,
        words({CalleeSymbol, 7}), Symtab, 0, 8);
    add(MercurySymtab, ".nv.merc.symtab", SHT_CUDA_MERC_SYMTAB,
        symbol(0, 0, 0) + symbol(1, STT_FUNC, Text), Strtab, 2, sizeof(Elf_Sym),
        SHF_CUDA_MERCURY);
    add(MercuryRela, ".nv.merc.rela.text.k", SHT_CUDA_MERC_RELA,
        entry(0, KernelSymbol, 0x10028) + words({0, 0}), MercurySymtab, Text,
        sizeof(Elf_Rela), SHF_CUDA_MERCURY | SHF_INFO_LINK);
    add(MercuryInfo, ".nv.merc.nv.info.k", SHT_CUDA_MERC_INFO, "",
        MercurySymtab, Text, 0, SHF_CUDA_MERCURY | SHF_INFO_LINK);
    std::string shstrtab = ".shstrtab";
    add(Shstrtab, shstrtab, SHT_STRTAB,
        sectionNames + shstrtab + std::string(1, '\0'));

    Elf_Ehdr &e = header();
    memcpy(e.e_ident, ElfMagic, 4);
    e.e_ident[EI_CLASS] = ELFCLASS64;
    e.e_ident[EI_DATA] = ELFDATA2LSB;
    e.e_ident[EI_VERSION] = EV_CURRENT;
    e.e_ident[EI_OSABI] = ELFOSABI_CUDA_13;
    e.e_ident[EI_ABIVERSION] = ABIVERSION_CUDA_13;
    e.e_type = ET_REL;
    e.e_machine = EM_CUDA;
    e.e_flags = 120 << 8 | EF_CUDA_13_MERCURY;
    e.e_shoff = bytes.size();
    e.e_shentsize = sizeof(Elf_Shdr);
    e.e_shnum = SectionCount;
    e.e_shstrndx = Shstrtab;
    for (const Elf_Shdr &shdr : shdrs)
      bytes.append(reinterpret_cast<const char *>(&shdr), sizeof(shdr));
  }

  Elf_Ehdr &header() { return *reinterpret_cast<Elf_Ehdr *>(bytes.data()); }
  Elf_Shdr &shdr(unsigned section) { return at<Elf_Shdr>(shoff(), section); }
  Elf_Sym &symbol(unsigned index, unsigned table = Symtab) {
    return at<Elf_Sym>(shdr(table).sh_offset, index);
  }
  Elf_Rela &rela(unsigned index, unsigned section = Rela) {
    return at<Elf_Rela>(shdr(section).sh_offset, index);
  }
  Elf_Rel &rel(unsigned index) {
    return at<Elf_Rel>(shdr(Rel).sh_offset, index);
  }
  llvm::support::ulittle32_t &word(unsigned section, unsigned index) {
    return at<llvm::support::ulittle32_t>(shdr(section).sh_offset, index);
  }

  llvm::MemoryBufferRef buffer() const { return {bytes, "test"}; }
  llvm::Expected<CubinFile> read() const { return CubinFile::create(buffer()); }
  /// Returns the error of CubinFile::create() for it; "" if there is none.
  std::string error() const { return message(read()); }

  static std::string words(llvm::ArrayRef<int32_t> values) {
    std::string s;
    for (int32_t value : values)
      append(s, value, 4);
    return s;
  }

  std::string bytes;

private:
  uint64_t shoff() { return header().e_shoff; }
  template <typename T> T &at(uint64_t offset, unsigned index) {
    return *reinterpret_cast<T *>(bytes.data() + offset + index * sizeof(T));
  }
  static std::string symbol(uint32_t name, uint8_t type, uint16_t section) {
    std::string s;
    append(s, name, 4);
    append(s, type, 1);
    append(s, 0, 1);
    append(s, section, 2);
    append(s, 0, 8);
    append(s, 0, 8);
    return s;
  }
  static std::string entry(uint64_t offset, uint32_t symbol, uint32_t type) {
    std::string s;
    append(s, offset, 8);
    append(s, type, 4);
    append(s, symbol, 4);
    return s;
  }

  std::vector<Elf_Shdr> shdrs;
};

} // namespace lld::cuda::test

#endif
