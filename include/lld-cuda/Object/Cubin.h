//===- Cubin.h - Checked view of a cubin ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A read-only view of a cubin: an ELF64 little-endian file with machine
/// EM_CUDA. Nothing is copied; every access after create() is safe, because
/// create() has checked, in linear time,
///  - the header and that the section table lies in the file;
///  - that sections don't overlap so much that reading each of them once would
///    take more than linear time, and likewise for shared names;
///  - that every section with bytes lies in the file, and its name is a
///    NUL-terminated string of the section name table;
///  - that sh_addralign is 0 or a power of two of at most 2^32 (for no-bits
///    and byte-holding sections alike);
///  - at most one symbol table and one Mercury symbol table, their entry size,
///    their string table, every st_name, every st_shndx (through the table's
///    SHT_SYMTAB_SHNDX where it says SHN_XINDEX);
///  - relocation sections (REL, RELA, resolved RELA, both also in their Mercury
///    form): entry size,
///    sh_link, sh_info and every symbol index;
///  - sh_info of sections with SHF_INFO_LINK (other than relocations of a
///    dropped kind) is a section index.
/// Contents of .nv.info, .nv.callgraph and so on have readers of their own.
///
/// Errors name the file offset or "section N ('name')", and an offset in it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_CUBIN_H
#define LLD_CUDA_OBJECT_CUBIN_H

#include "lld-cuda/BinaryFormat/ELF.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace lld::cuda {

using Elf_Ehdr = llvm::object::ELF64LE::Ehdr;
using Elf_Shdr = llvm::object::ELF64LE::Shdr;
using Elf_Phdr = llvm::object::ELF64LE::Phdr;
using Elf_Sym = llvm::object::ELF64LE::Sym;
using Elf_Rel = llvm::object::ELF64LE::Rel;
using Elf_Rela = llvm::object::ELF64LE::Rela;

/// True if the buffer starts like an ELF file for EM_CUDA (class and byte order
/// are not looked at).
bool isCubin(llvm::StringRef data);

/// A symbol table with its strings; empty if the file has none.
struct CubinSymbolTable {
  unsigned section = 0; ///< Its section index; 0 if there is none.
  llvm::ArrayRef<Elf_Sym> symbols;
  llvm::StringRef strings; ///< NUL-terminated unless empty.
  /// Section indices of the symbols whose st_shndx is SHN_XINDEX.
  llvm::ArrayRef<llvm::support::ulittle32_t> extendedIndices;

  /// See CubinFile::sectionIndex().
  uint32_t sectionIndex(unsigned symbolIndex) const {
    uint32_t index = symbols[symbolIndex].st_shndx;
    return index == elf::SHN_XINDEX ? uint32_t(extendedIndices[symbolIndex])
                                    : index;
  }
  bool empty() const { return symbols.empty(); }
  llvm::StringRef name(const Elf_Sym &sym) const {
    return strings.empty() ? llvm::StringRef()
                           : llvm::StringRef(strings.data() + sym.st_name);
  }
};

class CubinFile {
public:
  /// Checks `buffer` as described above. The buffer must outlive the object.
  static llvm::Expected<CubinFile> create(llvm::MemoryBufferRef buffer);

  llvm::MemoryBufferRef buffer() const { return mb; }
  const Elf_Ehdr &header() const {
    return *reinterpret_cast<const Elf_Ehdr *>(mb.getBufferStart());
  }
  /// Whether the header is laid out as in CUDA 11 and 12. nvlink takes every
  /// EI_OSABI but that of CUDA 13 for it.
  bool hasOldHeader() const {
    return header().e_ident[elf::EI_OSABI] != elf::ELFOSABI_CUDA_13;
  }
  /// The architecture's number that e_flags has: 90 for sm_90 and sm_90a.
  unsigned smNumber() const {
    return (hasOldHeader() ? elf::EF_CUDA_12_ARCHITECTURE
                           : elf::EF_CUDA_13_ARCHITECTURE)
        .get(header().e_flags);
  }
  bool hasMercuryFlag() const {
    return !hasOldHeader() && header().e_flags & elf::EF_CUDA_13_MERCURY;
  }

  llvm::ArrayRef<Elf_Shdr> sections() const { return shdrs; }
  /// Program headers; empty unless the file has a valid table.
  llvm::ArrayRef<Elf_Phdr> programHeaders() const { return phdrs; }
  llvm::StringRef sectionName(unsigned index) const {
    return llvm::StringRef(sectionNames.data() + shdrs[index].sh_name);
  }
  /// The name with a NUL behind it, whose length need not be known.
  const char *sectionNameStart(unsigned index) const {
    return sectionNames.data() + shdrs[index].sh_name;
  }
  /// The bytes of a section in the file. Empty if its type has none there.
  llvm::ArrayRef<uint8_t> contents(unsigned index) const;
  /// Index of the first section of that name, 0 if there is none.
  unsigned findSection(llvm::StringRef name) const;

  const CubinSymbolTable &symtab() const { return native; }
  const CubinSymbolTable &mercurySymtab() const { return mercury; }
  /// st_shndx of a symbol of symtab(), with SHN_XINDEX resolved. Reserved
  /// indices (SHN_COMMON, SHN_ABS) are returned as they are; a real section
  /// index may have the same value only in files with more than 65279
  /// sections, where it comes through SHN_XINDEX: see isCommon().
  uint32_t sectionIndex(unsigned symbolIndex) const {
    return native.sectionIndex(symbolIndex);
  }
  /// The number of the section that a symbol of mercurySymtab() is in.
  uint32_t mercurySectionIndex(unsigned symbolIndex) const {
    return mercury.sectionIndex(symbolIndex);
  }
  bool isCommon(unsigned symbolIndex) const {
    return native.symbols[symbolIndex].st_shndx == elf::SHN_COMMON;
  }

  /// Entries of a SHT_REL section.
  llvm::ArrayRef<Elf_Rel> rels(unsigned sectionIndex) const;
  /// Entries of a section of one of the other relocation types.
  llvm::ArrayRef<Elf_Rela> relas(unsigned sectionIndex) const;

  /// The string at `offset` of symtab()'s string table (prototypes live there).
  llvm::Expected<llvm::StringRef> string(uint32_t offset) const;

private:
  class Reader;
  explicit CubinFile(llvm::MemoryBufferRef buffer) : mb(buffer) {}

  llvm::MemoryBufferRef mb;
  llvm::ArrayRef<Elf_Shdr> shdrs;
  llvm::ArrayRef<Elf_Phdr> phdrs;
  llvm::StringRef sectionNames;
  CubinSymbolTable native, mercury;
};

} // namespace lld::cuda

#endif
