//===- Cubin.h - Checked view of a cubin ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A checked, read-only view of a cubin: an ELF64 little-endian file with
/// machine EM_CUDA. All that read cubins begin with CubinFile::create(): the
/// linker for each input and for its own image, and every tool for each cubin
/// that it finds. Nothing is copied; every access after create() is safe,
/// because create() has checked, in linear time,
///
///  - the header and that the section table is within the file;
///  - that sections don't overlap so much that reading each of them once would
///    take more than linear time, and likewise for shared names;
///  - that every section with bytes is within the file, and its name is a
///    NUL-terminated string of the section name table;
///  - that sh_addralign is 0 or a power of two of at most 2^32 (also for
///    sections without bytes);
///  - that there is at most one symbol table and one Mercury symbol table, and
///    for each its entry size, string table, every st_name and every st_shndx
///    (through the table's SHT_SYMTAB_SHNDX if it is SHN_XINDEX);
///  - for relocation sections (REL, RELA, resolved RELA, and their Mercury
///    forms) the entry size, sh_link, sh_info and every symbol index;
///  - that sh_info of sections with SHF_INFO_LINK (other than relocations of a
///    dropped kind) is a section index.
///
/// The contents of .nv.info, .nv.callgraph and so on have readers of their own.
/// Errors name the file offset or "section N ('name')", and an offset in it.
///
/// From sm_100 on a cubin holds its code twice, each time with a symbol table:
/// as native code and in NVIDIA's "Mercury" form (docs/reference/mercury.md).
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

/// Returns whether the buffer begins like an ELF file for EM_CUDA (class and
/// byte order are not checked).
bool isCubin(llvm::StringRef data);

/// A symbol table with its strings; empty if the file has none.
struct CubinSymbolTable {
  unsigned section = 0; ///< Its section index; 0 if there is none.
  llvm::ArrayRef<Elf_Sym> symbols;
  llvm::StringRef strings; ///< NUL-terminated unless empty.
  /// Section indices of the symbols, valid for those whose st_shndx is
  /// SHN_XINDEX.
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

/// A cubin that was checked. It refers to the buffer and can be copied.
class CubinFile {
public:
  /// Checks `buffer` as described above. The buffer must outlive the object.
  static llvm::Expected<CubinFile> create(llvm::MemoryBufferRef buffer);

  llvm::MemoryBufferRef buffer() const { return mb; }
  const Elf_Ehdr &header() const {
    return *reinterpret_cast<const Elf_Ehdr *>(mb.getBufferStart());
  }
  /// Returns whether the header has the layout of CUDA 11 and 12. Like nvlink,
  /// it assumes so for every EI_OSABI but that of CUDA 13.
  bool hasOldHeader() const {
    return header().e_ident[elf::EI_OSABI] != elf::ELFOSABI_CUDA_13;
  }
  /// Returns the architecture's number in e_flags: 90 for sm_90 and sm_90a.
  unsigned smNumber() const {
    return (hasOldHeader() ? elf::EF_CUDA_12_ARCHITECTURE
                           : elf::EF_CUDA_13_ARCHITECTURE)
        .get(header().e_flags);
  }
  bool hasMercuryFlag() const {
    return !hasOldHeader() && header().e_flags & elf::EF_CUDA_13_MERCURY;
  }

  llvm::ArrayRef<Elf_Shdr> sections() const { return shdrs; }
  /// Returns the program headers; empty unless the file has a valid table.
  llvm::ArrayRef<Elf_Phdr> programHeaders() const { return phdrs; }
  llvm::StringRef sectionName(unsigned index) const {
    return llvm::StringRef(sectionNames.data() + shdrs[index].sh_name);
  }
  /// Returns the section's name as a NUL-terminated string, for callers that
  /// don't need its length.
  const char *sectionNameStart(unsigned index) const {
    return sectionNames.data() + shdrs[index].sh_name;
  }
  /// Returns the bytes of a section; empty if its type has none in the file.
  llvm::ArrayRef<uint8_t> contents(unsigned index) const;
  /// Returns the index of the first section of that name, or 0.
  unsigned findSection(llvm::StringRef name) const;

  const CubinSymbolTable &symtab() const { return native; }
  const CubinSymbolTable &mercurySymtab() const { return mercury; }
  /// Returns the st_shndx of a symbol of symtab(), with SHN_XINDEX resolved.
  /// Reserved indices (SHN_COMMON, SHN_ABS) are returned unchanged; a real
  /// section index may have the same value only in files with more than 65279
  /// sections, where it comes through SHN_XINDEX: see isCommon().
  uint32_t sectionIndex(unsigned symbolIndex) const {
    return native.sectionIndex(symbolIndex);
  }
  /// Like sectionIndex(), for a symbol of mercurySymtab().
  uint32_t mercurySectionIndex(unsigned symbolIndex) const {
    return mercury.sectionIndex(symbolIndex);
  }
  bool isCommon(unsigned symbolIndex) const {
    return native.symbols[symbolIndex].st_shndx == elf::SHN_COMMON;
  }

  /// Returns the entries of a SHT_REL section.
  llvm::ArrayRef<Elf_Rel> rels(unsigned sectionIndex) const;
  /// Returns the entries of a section of one of the other relocation types.
  llvm::ArrayRef<Elf_Rela> relas(unsigned sectionIndex) const;

  /// Returns the string at `offset` of symtab()'s string table, such as a
  /// prototype; an error if it isn't within the table.
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
