//===- Cubin.cpp - Checks a cubin before it is read -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks an ELF file of EM_CUDA once, so that nobody who reads it later has
/// to. All who read cubins call CubinFile::create() first: the linker for each
/// input (and with --check for its own image), and the tools for each cubin
/// that they find. Reader makes the checks in the order in which they depend on
/// each other: header, section table, section names, sections, symbol tables,
/// relocations. Tables may begin at any offset, since all structures of ELF64LE
/// have alignment 1. The total length of names is bounded: in a hostile file
/// many names share the bytes of a long one.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/Cubin.h"
#include "ObjectError.h"
#include "llvm/Support/Endian.h"
#include <cstring>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

static_assert(alignof(Elf_Ehdr) == 1 && alignof(Elf_Shdr) == 1 &&
              alignof(Elf_Phdr) == 1 && alignof(Elf_Sym) == 1 &&
              alignof(Elf_Rel) == 1 && alignof(Elf_Rela) == 1 &&
              alignof(support::ulittle32_t) == 1);

bool isCubin(StringRef data) {
  constexpr size_t machineOffset = 18;
  return data.size() >= machineOffset + 2 && data.starts_with(ElfMagic) &&
         support::endian::read16le(data.data() + machineOffset) == EM_CUDA;
}

template <typename T>
static ArrayRef<T> arrayAt(StringRef bytes, uint64_t offset, size_t count) {
  return ArrayRef<T>(reinterpret_cast<const T *>(bytes.data() + offset), count);
}

static bool isRelocationSection(uint32_t type) {
  return type == SHT_REL || type == SHT_RELA ||
         type == SHT_CUDA_RESOLVED_RELA || type == SHT_CUDA_MERC_RELA ||
         type == SHT_CUDA_MERC_RESOLVED_RELA;
}

/// Many names may share the bytes of one long string. A name is read more than
/// once, so their total must stay within a multiple of the file's size. A
/// compiler's files share little; in those of nvlink -r equal names of local
/// functions are one string, but each of these has more than 256 bytes of
/// headers, code and symbols of its own, so that names of 16 KB are no trouble.
static bool namesAreTooLong(StringRef strings, uint64_t fileSize, size_t count,
                            function_ref<uint32_t(size_t)> nameOffset) {
  constexpr uint64_t harmless = 1 << 26, perByte = 64;
  if (uint64_t(strings.size()) * count <= harmless)
    return false;
  uint64_t budget = harmless + perByte * fileSize;
  for (size_t i = 0; i < count; ++i) {
    uint64_t length = std::strlen(strings.data() + nameOffset(i));
    if (length > budget)
      return true;
    budget -= length;
  }
  return false;
}

/// Checks a file and fills in a CubinFile.
class CubinFile::Reader {
public:
  explicit Reader(CubinFile &file) : file(file), data(file.mb.getBuffer()) {}
  Error read();

private:
  Error readHeader();
  Error readSectionTable();
  Error readSectionNames();
  Error checkSections();
  Error readExtendedIndices(unsigned section);
  Error readSymbolTable(unsigned section, CubinSymbolTable &table);
  Error checkSymbols(const CubinSymbolTable &table);
  Error checkRelocations(unsigned section);
  void readProgramHeaders();

  Expected<StringRef> stringTable(unsigned user, uint32_t section);
  StringRef bytes(const Elf_Shdr &shdr) const {
    return data.substr(shdr.sh_offset, shdr.sh_size);
  }
  /// "section 5 ('.symtab')".
  std::string describe(unsigned section) const {
    return formatText("section {0} ('{1}')",
                      {section, file.sectionName(section)});
  }

  CubinFile &file;
  StringRef data;
  unsigned symtab = 0, mercurySymtab = 0;
};

Error CubinFile::Reader::read() {
  if (Error e = readHeader())
    return e;
  if (Error e = readSectionTable())
    return e;
  if (Error e = readSectionNames())
    return e;
  if (Error e = checkSections())
    return e;
  if (symtab)
    if (Error e = readSymbolTable(symtab, file.native))
      return e;
  if (mercurySymtab)
    if (Error e = readSymbolTable(mercurySymtab, file.mercury))
      return e;
  for (unsigned i = 1; i < file.shdrs.size(); ++i)
    if (file.shdrs[i].sh_type == SHT_SYMTAB_SHNDX)
      if (Error e = readExtendedIndices(i))
        return e;
  if (Error e = checkSymbols(file.native))
    return e;
  if (Error e = checkSymbols(file.mercury))
    return e;
  for (unsigned i = 1; i < file.shdrs.size(); ++i)
    if (isRelocationSection(file.shdrs[i].sh_type))
      if (Error e = checkRelocations(i))
        return e;
  readProgramHeaders();
  return Error::success();
}

Error CubinFile::Reader::readHeader() {
  if (data.size() < sizeof(Elf_Ehdr))
    return malformed("file of {0} bytes is too small for an ELF header",
                     data.size());
  const Elf_Ehdr &header = file.header();
  if (!header.checkMagic())
    return malformed("not an ELF file");
  if (header.getFileClass() != ELFCLASS64)
    return malformed("ELF class {0} at offset 0x4 is not ELFCLASS64",
                     unsigned(header.getFileClass()));
  if (header.getDataEncoding() != ELFDATA2LSB)
    return malformed("ELF data encoding {0} at offset 0x5 is not little endian",
                     unsigned(header.getDataEncoding()));
  if (header.e_machine != EM_CUDA)
    return malformed("ELF machine {0} at offset 0x12 is not EM_CUDA",
                     unsigned(header.e_machine));
  return Error::success();
}

/// The number of sections stands in section 0 when it doesn't fit the header.
Error CubinFile::Reader::readSectionTable() {
  const Elf_Ehdr &header = file.header();
  uint64_t offset = header.e_shoff;
  if (offset == 0)
    return malformed("the file has no section table");
  if (header.e_shentsize != sizeof(Elf_Shdr))
    return malformed("section headers of {0} bytes (e_shentsize), expected {1}",
                     unsigned(header.e_shentsize), sizeof(Elf_Shdr));
  if (offset > data.size() || data.size() - offset < sizeof(Elf_Shdr))
    return malformed("section table at offset {0:x} is past the end of the "
                     "file ({1:x})",
                     offset, data.size());
  uint64_t count = header.e_shnum;
  if (count == 0)
    count = arrayAt<Elf_Shdr>(data, offset, 1)[0].sh_size;
  if (count == 0)
    return malformed("the section table is empty");
  if (count > (data.size() - offset) / sizeof(Elf_Shdr))
    return malformed("section table at offset {0:x} with {1} entries runs past "
                     "the end of the file ({2:x})",
                     offset, count, data.size());
  file.shdrs = arrayAt<Elf_Shdr>(data, offset, count);
  if (file.shdrs[0].sh_type != SHT_NULL)
    return malformed("section 0: type {0:x} is not SHT_NULL",
                     uint32_t(file.shdrs[0].sh_type));
  return Error::success();
}

Error CubinFile::Reader::readSectionNames() {
  uint32_t index = file.header().e_shstrndx;
  if (index == SHN_XINDEX)
    index = file.shdrs[0].sh_link;
  if (index == 0 || index >= file.shdrs.size())
    return malformed("section name table index {0} (e_shstrndx) is out of "
                     "range: the file has {1} sections",
                     index, file.shdrs.size());
  const Elf_Shdr &shdr = file.shdrs[index];
  if (shdr.sh_type != SHT_STRTAB)
    return malformed("section {0} is the section name table (e_shstrndx), but "
                     "its type {1:x} is not SHT_STRTAB",
                     index, uint32_t(shdr.sh_type));
  if (shdr.sh_offset > data.size() ||
      shdr.sh_size > data.size() - shdr.sh_offset)
    return malformed("section {0} (section names): offset {1:x} and size {2:x} "
                     "run past the end of the file ({3:x})",
                     index, uint64_t(shdr.sh_offset), uint64_t(shdr.sh_size),
                     data.size());
  StringRef names = bytes(shdr);
  if (names.empty() || names.back() != '\0')
    return malformed("section {0} (section names) does not end with NUL",
                     index);
  for (unsigned i = 0; i < file.shdrs.size(); ++i)
    if (file.shdrs[i].sh_name >= names.size())
      return malformed("section {0}: name offset {1:x} is past the section "
                       "name table ({2:x})",
                       i, uint32_t(file.shdrs[i].sh_name), names.size());
  if (namesAreTooLong(names, data.size(), file.shdrs.size(),
                      [&](size_t i) { return file.shdrs[i].sh_name; }))
    return malformed("section {0} (section names): too many names share their "
                     "bytes",
                     index);
  file.sectionNames = names;
  return Error::success();
}

/// Where each section lies, and which of them are tables.
Error CubinFile::Reader::checkSections() {
  // Only a section of the Mercury view may have the bytes of another, its
  // native twin, so that honest files stay below twice their size.
  uint64_t budget = 4 * uint64_t(data.size());
  for (unsigned i = 1; i < file.shdrs.size(); ++i) {
    const Elf_Shdr &shdr = file.shdrs[i];
    uint64_t offset = shdr.sh_offset, size = shdr.sh_size;
    if (shdr.sh_type != SHT_NULL && !isNoBits(shdr.sh_type, shdr.sh_flags)) {
      if (offset > data.size() || size > data.size() - offset)
        return malformed("{0}: offset {1:x} and size {2:x} run past the end of "
                         "the file ({3:x})",
                         describe(i), offset, size, data.size());
      if (size > budget)
        return malformed("{0}: sections up to here overlap: together they are "
                         "more than four times the file",
                         describe(i));
      budget -= size;
    }
    // ptxas takes alignments up to 2^30.
    uint64_t alignment = shdr.sh_addralign;
    if ((alignment & (alignment - 1)) || alignment > uint64_t(1) << 32)
      return malformed("{0}: alignment {1:x} is not a power of two up to 2^32",
                       describe(i), alignment);

    unsigned *table = shdr.sh_type == SHT_SYMTAB             ? &symtab
                      : shdr.sh_type == SHT_CUDA_MERC_SYMTAB ? &mercurySymtab
                                                             : nullptr;
    if (table && *table)
      return malformed("{0}: a second symbol table, besides {1}", describe(i),
                       describe(*table));
    if (table)
      *table = i;

    if ((shdr.sh_flags & SHF_INFO_LINK) && !isRelocationSection(shdr.sh_type) &&
        shdr.sh_info >= file.shdrs.size())
      return malformed("{0}: section index {1} (sh_info) is out of range",
                       describe(i), uint32_t(shdr.sh_info));
  }
  return Error::success();
}

/// The string table of section `user`.
Expected<StringRef> CubinFile::Reader::stringTable(unsigned user,
                                                   uint32_t section) {
  if (section == 0 || section >= file.shdrs.size())
    return malformed("{0}: string table index {1} (sh_link) is out of range",
                     describe(user), section);
  if (file.shdrs[section].sh_type != SHT_STRTAB)
    return malformed("{0}: its string table, {1}, has not the type SHT_STRTAB",
                     describe(user), describe(section));
  StringRef strings = bytes(file.shdrs[section]);
  if (!strings.empty() && strings.back() != '\0')
    return malformed("{0}: string table does not end with NUL",
                     describe(section));
  return strings;
}

Error CubinFile::Reader::readSymbolTable(unsigned section,
                                         CubinSymbolTable &table) {
  const Elf_Shdr &shdr = file.shdrs[section];
  if (shdr.sh_entsize != sizeof(Elf_Sym))
    return malformed("{0}: symbols of {1} bytes (sh_entsize), expected {2}",
                     describe(section), uint64_t(shdr.sh_entsize),
                     sizeof(Elf_Sym));
  if (shdr.sh_size % sizeof(Elf_Sym))
    return malformed("{0}: size {1:x} is not a multiple of {2}",
                     describe(section), uint64_t(shdr.sh_size),
                     sizeof(Elf_Sym));
  if (shdr.sh_size / sizeof(Elf_Sym) > UINT32_MAX)
    return malformed("{0}: too many symbols", describe(section));
  Expected<StringRef> strings = stringTable(section, shdr.sh_link);
  if (!strings)
    return strings.takeError();
  table.section = section;
  table.symbols =
      arrayAt<Elf_Sym>(data, shdr.sh_offset, shdr.sh_size / sizeof(Elf_Sym));
  table.strings = *strings;
  return Error::success();
}

/// Each of the two symbol tables may have one.
Error CubinFile::Reader::readExtendedIndices(unsigned section) {
  const Elf_Shdr &shdr = file.shdrs[section];
  uint32_t link = shdr.sh_link;
  CubinSymbolTable *table = link == 0                      ? nullptr
                            : link == file.native.section  ? &file.native
                            : link == file.mercury.section ? &file.mercury
                                                           : nullptr;
  if (!table)
    return malformed("{0}: section {1} (sh_link) is not a symbol table",
                     describe(section), link);
  size_t count = shdr.sh_size / sizeof(uint32_t);
  if (count < table->symbols.size())
    return malformed("{0}: {1} entries for {2} symbols", describe(section),
                     count, table->symbols.size());
  if (!table->extendedIndices.empty())
    return malformed("{0}: a second table of extended indices for {1}",
                     describe(section), describe(link));
  table->extendedIndices =
      arrayAt<support::ulittle32_t>(data, shdr.sh_offset, count);
  return Error::success();
}

Error CubinFile::Reader::checkSymbols(const CubinSymbolTable &table) {
  auto fail = [&](size_t symbol, const char *what, uint64_t value) {
    return malformed("{0}: symbol {1}: {2} {3:x} is out of range",
                     describe(table.section), symbol, what, value);
  };
  // An empty string table has one string, the empty one.
  size_t stringsSize = std::max<size_t>(table.strings.size(), 1);
  size_t sectionCount = file.shdrs.size();
  for (size_t i = 0; i < table.symbols.size(); ++i) {
    const Elf_Sym &sym = table.symbols[i];
    if (sym.st_name >= stringsSize)
      return fail(i, "name offset", sym.st_name);
    uint32_t index = sym.st_shndx;
    if (index == SHN_XINDEX) {
      if (table.extendedIndices.empty())
        return malformed("{0}: symbol {1}: its section index is SHN_XINDEX, "
                         "but there is no table of extended indices",
                         describe(table.section), i);
      index = table.extendedIndices[i];
      if (index >= sectionCount)
        return fail(i, "extended section index", index);
    } else if (index >= SHN_LORESERVE) {
      if (index != SHN_ABS && index != SHN_COMMON)
        return fail(i, "reserved section index", index);
    } else if (index >= sectionCount) {
      return fail(i, "section index", index);
    }
  }
  if (namesAreTooLong(table.strings, data.size(), table.symbols.size(),
                      [&](size_t i) { return table.symbols[i].st_name; }))
    return malformed("{0}: too many names share their bytes",
                     describe(table.section));
  return Error::success();
}

template <typename RelTy>
static size_t findBadSymbol(ArrayRef<RelTy> entries, size_t symbolCount) {
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].getSymbol(/*isMips64EL=*/false) >= symbolCount)
      return i;
  return entries.size();
}

Error CubinFile::Reader::checkRelocations(unsigned section) {
  const Elf_Shdr &shdr = file.shdrs[section];
  bool isRel = shdr.sh_type == SHT_REL;
  size_t entrySize = isRel ? sizeof(Elf_Rel) : sizeof(Elf_Rela);
  if (shdr.sh_entsize != entrySize)
    return malformed("{0}: relocations of {1} bytes (sh_entsize), expected {2}",
                     describe(section), uint64_t(shdr.sh_entsize), entrySize);
  if (shdr.sh_size % entrySize)
    return malformed("{0}: size {1:x} is not a multiple of {2}",
                     describe(section), uint64_t(shdr.sh_size), entrySize);
  bool isMercury = shdr.sh_type == SHT_CUDA_MERC_RELA ||
                   shdr.sh_type == SHT_CUDA_MERC_RESOLVED_RELA;
  const CubinSymbolTable &table = isMercury ? file.mercury : file.native;
  // Images of nvlink 12.1 name the section that had the table's number in an
  // input [cuda12-stale-links]. No link takes them.
  const bool isInput = file.header().e_type == ET_REL;
  if (table.section == 0 || (isInput && shdr.sh_link != table.section))
    return malformed("{0}: section {1} (sh_link) is not the symbol table",
                     describe(section), uint32_t(shdr.sh_link));
  if (shdr.sh_info == 0 || shdr.sh_info >= file.shdrs.size())
    return malformed("{0}: target section index {1} (sh_info) is out of range",
                     describe(section), uint32_t(shdr.sh_info));

  size_t count = shdr.sh_size / entrySize;
  size_t bad = isRel ? findBadSymbol(file.rels(section), table.symbols.size())
                     : findBadSymbol(file.relas(section), table.symbols.size());
  if (bad != count)
    return malformed("{0}: relocation {1} at offset {2:x}: symbol index is out "
                     "of range: there are {3} symbols",
                     describe(section), bad, bad * entrySize,
                     table.symbols.size());
  return Error::success();
}

/// Nothing in a link depends on an input's program headers, so that a damaged
/// table counts as none.
void CubinFile::Reader::readProgramHeaders() {
  const Elf_Ehdr &header = file.header();
  uint64_t offset = header.e_phoff;
  if (offset == 0 || offset > data.size() ||
      header.e_phentsize != sizeof(Elf_Phdr) ||
      header.e_phnum > (data.size() - offset) / sizeof(Elf_Phdr))
    return;
  file.phdrs = arrayAt<Elf_Phdr>(data, offset, header.e_phnum);
}

Expected<CubinFile> CubinFile::create(MemoryBufferRef buffer) {
  CubinFile file(buffer);
  if (Error e = Reader(file).read())
    return e;
  return file;
}

ArrayRef<uint8_t> CubinFile::contents(unsigned index) const {
  const Elf_Shdr &shdr = shdrs[index];
  // Section 0 may hold the number of sections in sh_size.
  if (shdr.sh_type == SHT_NULL || isNoBits(shdr.sh_type, shdr.sh_flags))
    return {};
  return arrayAt<uint8_t>(mb.getBuffer(), shdr.sh_offset, shdr.sh_size);
}

unsigned CubinFile::findSection(StringRef name) const {
  for (unsigned i = 1; i < shdrs.size(); ++i) {
    // Compares without measuring the section's name first: most names differ
    // in the fourth character.
    const char *at = sectionNames.data() + shdrs[i].sh_name;
    const char *wanted = name.begin();
    while (wanted != name.end() && *at == *wanted)
      ++at, ++wanted;
    if (wanted == name.end() && *at == '\0')
      return i;
  }
  return 0;
}

ArrayRef<Elf_Rel> CubinFile::rels(unsigned sectionIndex) const {
  const Elf_Shdr &shdr = shdrs[sectionIndex];
  return arrayAt<Elf_Rel>(mb.getBuffer(), shdr.sh_offset,
                          shdr.sh_size / sizeof(Elf_Rel));
}

ArrayRef<Elf_Rela> CubinFile::relas(unsigned sectionIndex) const {
  const Elf_Shdr &shdr = shdrs[sectionIndex];
  return arrayAt<Elf_Rela>(mb.getBuffer(), shdr.sh_offset,
                           shdr.sh_size / sizeof(Elf_Rela));
}

Expected<StringRef> CubinFile::string(uint32_t offset) const {
  if (offset >= native.strings.size())
    return malformed("string offset {0:x} is past the string table ({1:x})",
                     offset, native.strings.size());
  return StringRef(native.strings.data() + offset);
}

} // namespace lld::cuda
