//===- YamlWriter.cpp - A cubin as input of yaml2obj ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes a cubin as YAML, of which LLVM's yaml2obj makes the same file again.
/// cubin-dump's main() calls writeYaml() for --yaml, for each cubin in its
/// inputs; the linker's tests have cubins in this form. yaml2obj writes the
/// chunks of its input one after the other, so the chunks are listed in the
/// order of their file offsets; a SectionHeaderTable chunk gives the order of
/// the section headers, which is another one in cubins with a Mercury view.
/// Bytes between the sections that are not zero, and the program headers behind
/// the section headers, become Fill chunks. A section that shares bytes with an
/// earlier one (the twins of the Mercury view do) or has none gets its place
/// through ShOffset and ShSize.
///
/// What yaml2obj does not know is written in a form that it does:
///  - string tables: as contents; names refer to them by ShName and StName, so
///    the names in the YAML are only labels and may have a suffix " (index)";
///  - notes: as SHT_PROGBITS with ShType, because a note's sh_info is lost;
///  - a symbol table whose null symbol is not zero: as contents;
///  - sections of CUDA types: as contents with numeric Type and Info.
/// Zeros at the end of such contents aren't written; Size has them. A comment
/// at the top says how much of the file is numbers, and why.
///
//===----------------------------------------------------------------------===//

#include "YamlWriter.h"
#include "lld-cuda/Dump/Names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include <array>
#include <cstring>
#include <iterator>
#include <numeric>

using namespace llvm;

namespace lld::cuda {
namespace {

/// A stretch of the file.
struct Piece {
  enum Kind : uint8_t { SectionHeaders, Section, ProgramHeaders } kind;
  unsigned section; ///< Kind Section.
  uint64_t offset, size;
  uint64_t end() const { return offset + size; }
};

/// Why bytes of a file are hexadecimal numbers in the YAML.
enum RawKind : unsigned {
  RawStrings,
  RawNotes,
  RawTables,
  RawData,
  RawBetween,
  NumRawKinds
};

class YamlWriter {
public:
  YamlWriter(const CubinFile &file, raw_ostream &os) : file(file), os(os) {}

  Error run();

  /// Comments: how to set what yaml2obj can't, and what is only numbers in the
  /// YAML that run() has written.
  void writeComments(raw_ostream &to) const;

private:
  const Elf_Shdr &section(unsigned i) const { return file.sections()[i]; }
  StringRef data() const { return file.buffer().getBuffer(); }
  Error check() const;
  void makeLabels();
  bool symbolsAreBytes() const;
  std::vector<Piece> pieces() const;

  void writeFileHeader();
  void writeFill(uint64_t begin, uint64_t end);
  void writeSection(const Piece &piece, uint64_t cursor);
  void writeContents(const Piece &piece);
  RawKind rawKind(unsigned i) const;
  bool isCode(unsigned i) const;
  uint64_t bytesOutsideCode() const;
  void writeSectionHeaderTable(uint64_t offset);
  void writeRelocations(unsigned i);
  template <class Rel> void writeRelocation(const Rel &r);
  void writeProgramHeaderComments();
  void writeSymbols();

  raw_ostream &key(StringRef name) { return os << "    " << name << ": "; }
  void number(StringRef name, uint64_t value) {
    key(name) << format_hex(value, 1) << '\n';
  }

  const CubinFile &file;
  raw_ostream &os;
  std::vector<std::string> sectionLabels, symbolLabels;
  std::array<uint64_t, NumRawKinds> raw = {}; ///< Bytes, those of code apart.
};

/// A YAML scalar in double quotes.
std::string quoted(StringRef s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + '"';
}

/// Distinct labels that yaml2obj can look up. Other ones than names that are
/// plain and unique get a suffix " (index)", which yaml2obj takes off. All
/// digits would be taken for an index.
std::vector<std::string> lookupLabels(std::vector<StringRef> names) {
  auto isPlain = [](StringRef s) {
    return !s.empty() && !s.ends_with(")") && all_of(s, isPrint) &&
           !all_of(s, isDigit);
  };
  StringMap<unsigned> count;
  for (StringRef name : names)
    ++count[name];
  std::vector<std::string> labels;
  for (size_t i = 0; i != names.size(); ++i) {
    bool unique = isPlain(names[i]) && count.lookup(names[i]) == 1;
    // Unprintable names don't survive quoting; the suffix alone is a label.
    StringRef base = all_of(names[i], isPrint) ? names[i] : "unprintable";
    labels.push_back(unique ? base.str()
                            : (base + " (" + Twine(i) + ")").str());
  }
  return labels;
}

/// Whether the symbol table is written as contents: yaml2obj makes a null
/// symbol of zeros, but nvlink leaves a value in it now and then.
bool YamlWriter::symbolsAreBytes() const {
  ArrayRef<Elf_Sym> symbols = file.symtab().symbols;
  static constexpr char zeros[sizeof(Elf_Sym)] = {};
  return !symbols.empty() &&
         std::memcmp(&symbols[0], zeros, sizeof(zeros)) != 0;
}

void YamlWriter::makeLabels() {
  std::vector<StringRef> names;
  for (unsigned i = 0; i != file.sections().size(); ++i)
    names.push_back(file.sectionName(i));
  sectionLabels = lookupLabels(std::move(names));
  names.clear();
  for (const Elf_Sym &sym : file.symtab().symbols)
    names.push_back(file.symtab().name(sym));
  symbolLabels = lookupLabels(std::move(names));
  if (symbolsAreBytes())
    for (size_t i = 0; i != symbolLabels.size(); ++i)
      symbolLabels[i] = utostr(i);
}

/// Fails if the file has something that yaml2obj sets by itself, or refuses.
Error YamlWriter::check() const {
  const Elf_Ehdr &h = file.header();
  auto fail = [](const Twine &what) {
    return createStringError("yaml2obj cannot make this file: " + what);
  };
  if (h.e_ident[elf::EI_VERSION] != elf::EV_CURRENT)
    return fail("EI_VERSION is not 1");
  if (h.e_ehsize != sizeof(Elf_Ehdr))
    return fail("e_ehsize is not " + Twine(sizeof(Elf_Ehdr)));
  for (unsigned i = elf::EI_PAD; i != elf::EI_NIDENT; ++i)
    if (h.e_ident[i])
      return fail("e_ident[" + Twine(i) + "] is not 0");
  if (file.sections().size() < 2)
    return fail("no sections");
  const Elf_Shdr &null = section(0);
  if (null.sh_size || null.sh_link || null.sh_info || null.sh_flags ||
      null.sh_addr || null.sh_offset || null.sh_addralign || null.sh_entsize)
    return fail("the null section's header is not zero");
  for (unsigned i = 1; i != file.sections().size(); ++i)
    if (section(i).sh_link >= file.sections().size())
      return fail("section " + Twine(i) + " ('" + file.sectionName(i) +
                  "') has an sh_link that names no section");
  // yaml2obj adds tables of these names to a file that has none.
  if (!file.findSection(".strtab"))
    return fail("no section is named .strtab");
  unsigned symtab = file.symtab().section;
  if (symtab && file.sectionName(symtab) != ".symtab")
    return fail("the symbol table is not named .symtab");
  return Error::success();
}

/// The file's pieces by offset, the section headers before what overlaps them.
std::vector<Piece> YamlWriter::pieces() const {
  const Elf_Ehdr &h = file.header();
  std::vector<Piece> out;
  out.push_back({Piece::SectionHeaders, 0, h.e_shoff,
                 file.sections().size() * sizeof(Elf_Shdr)});
  if (!file.programHeaders().empty())
    out.push_back({Piece::ProgramHeaders, 0, h.e_phoff,
                   file.programHeaders().size() * sizeof(Elf_Phdr)});
  for (unsigned i = 1; i != file.sections().size(); ++i)
    out.push_back(
        {Piece::Section, i, section(i).sh_offset, file.contents(i).size()});
  stable_sort(
      out, [](const Piece &a, const Piece &b) { return a.offset < b.offset; });
  return out;
}

Error YamlWriter::run() {
  if (Error error = check())
    return error;
  std::vector<Piece> all = pieces();
  uint64_t cursor = sizeof(Elf_Ehdr);
  for (const Piece &piece : all) {
    if (piece.kind == Piece::SectionHeaders && piece.offset < cursor)
      return createStringError("yaml2obj cannot make this file: the section "
                               "headers overlap what is before them");
    cursor = std::max(cursor, piece.end());
  }

  makeLabels();
  writeFileHeader();
  os << "Sections:\n";
  cursor = sizeof(Elf_Ehdr);
  for (const Piece &piece : all) {
    uint64_t begin = std::max(cursor, piece.offset);
    if (piece.size && piece.end() > cursor) {
      writeFill(cursor, begin);
      cursor = begin;
    }
    switch (piece.kind) {
    case Piece::SectionHeaders:
      writeSectionHeaderTable(piece.offset);
      break;
    case Piece::ProgramHeaders:
      writeProgramHeaderComments();
      writeFill(cursor, piece.end());
      break;
    case Piece::Section:
      writeSection(piece, cursor);
      if (piece.offset < cursor)
        writeFill(cursor, piece.end());
      break;
    }
    cursor = std::max(cursor, piece.end());
  }
  writeFill(cursor, data().size());
  writeSymbols();
  os << "...\n";
  return Error::success();
}

/// The shell command that sets a word of the header, as a comment.
static void writeCommand(raw_ostream &os, uint32_t value, unsigned offset) {
  os << "#   printf '";
  for (unsigned i = 0; i != 4; ++i)
    os << format("\\%03o", value >> 8 * i & 0xff);
  os << "' | dd of=FILE bs=1 seek=" << offset << " conv=notrunc\n";
}

void YamlWriter::writeComments(raw_ostream &to) const {
  static constexpr const char *reasons[] = {
      "string tables, which yaml2obj would sort",
      "notes, whose sh_info yaml2obj would lose",
      "tables that only CUDA has; cubin-dump prints them",
      "data, debug information and the like",
      "program headers, and bytes between sections",
  };
  static_assert(std::size(reasons) == NumRawKinds);
  const Elf_Ehdr &h = file.header();
  to << "# yaml2obj cannot set e_flags of EM_CUDA files; set it afterwards:\n";
  writeCommand(to, h.e_flags, offsetof(Elf_Ehdr, e_flags));
  if (h.e_version != elf::EV_CURRENT) {
    to << "# nor e_version:\n";
    writeCommand(to, h.e_version, offsetof(Elf_Ehdr, e_version));
  }
  uint64_t numbers = std::accumulate(raw.begin(), raw.end(), uint64_t(0));
  to << "# Code is hexadecimal numbers, and so are " << numbers
     << " of the other " << bytesOutsideCode() << " bytes:\n";
  for (unsigned kind = 0; kind != NumRawKinds; ++kind)
    if (raw[kind])
      to << "#   " << raw[kind] << ": " << reasons[kind] << '\n';
}

void YamlWriter::writeFileHeader() {
  const Elf_Ehdr &h = file.header();
  os << "--- !ELF\nFileHeader:\n"
     << "  Class: ELFCLASS64\n  Data: ELFDATA2LSB\n  OSABI: "
     << format_hex(h.e_ident[elf::EI_OSABI], 1)
     << "\n  ABIVersion: " << unsigned(h.e_ident[elf::EI_ABIVERSION])
     << "\n  Type: " << format_hex(h.e_type, 1) << "\n  Machine: EM_CUDA\n";
  if (h.e_entry)
    os << "  Entry: " << format_hex(h.e_entry, 1) << '\n';
  os << "  EPhOff: " << format_hex(h.e_phoff, 1)
     << "\n  EPhEntSize: " << h.e_phentsize << "\n  EPhNum: " << h.e_phnum
     << "\n  EShEntSize: " << h.e_shentsize << "\n  EShNum: " << h.e_shnum
     << "\n  EShStrNdx: " << h.e_shstrndx << '\n';
  // Otherwise yaml2obj adds a table of its own.
  uint32_t names = h.e_shstrndx;
  if (names < file.sections().size() && sectionLabels[names] != ".shstrtab")
    os << "  SectionHeaderStringTable: " << quoted(sectionLabels[names])
       << '\n';
}

/// Bytes that belong to no section; zeros need no mention but at the end.
void YamlWriter::writeFill(uint64_t begin, uint64_t end) {
  if (begin >= end)
    return;
  StringRef bytes = data().slice(begin, end);
  bool atEnd = end == data().size();
  if (!atEnd && bytes.find_first_not_of('\0') == StringRef::npos)
    return;
  os << "  - Type: Fill\n";
  number("Offset", begin);
  number("Size", bytes.size());
  key("Pattern") << quoted(toHex(bytes, /*LowerCase=*/true)) << '\n';
  raw[RawBetween] += bytes.size();
}

void YamlWriter::writeProgramHeaderComments() {
  os << "  # Program headers\n";
  for (const Elf_Phdr &p : file.programHeaders())
    os << "  #   " << segmentTypeName(p.p_type) << ' '
       << join(segmentFlagNames(p.p_flags), "|") << " offset "
       << format_hex(p.p_offset, 1) << " filesz " << format_hex(p.p_filesz, 1)
       << " memsz " << format_hex(p.p_memsz, 1) << '\n';
}

void YamlWriter::writeSectionHeaderTable(uint64_t offset) {
  os << "  - Type: SectionHeaderTable\n";
  number("Offset", offset);
  os << "    Sections:\n";
  for (unsigned i = 1; i != file.sections().size(); ++i)
    os << "      - Name: " << quoted(sectionLabels[i]) << '\n';
}

/// The types that yaml2obj writes in a form of its own; all others are bytes.
static std::string yamlType(const Elf_Shdr &s) {
  switch (s.sh_type) {
  case elf::SHT_SYMTAB:
    return "SHT_SYMTAB";
  case elf::SHT_STRTAB:
    return "SHT_STRTAB";
  case elf::SHT_RELA:
    return "SHT_RELA";
  case elf::SHT_REL:
    return "SHT_REL";
  }
  return s.sh_type >= elf::SHT_LOOS ? hexText(s.sh_type) : "SHT_PROGBITS";
}

void YamlWriter::writeSection(const Piece &piece, uint64_t cursor) {
  unsigned i = piece.section;
  const Elf_Shdr &s = section(i);
  std::string type = yamlType(s);
  os << "  - Name: " << quoted(sectionLabels[i]) << '\n';
  key("Type") << type << '\n';
  if (type == "SHT_PROGBITS" && s.sh_type != elf::SHT_PROGBITS)
    number("ShType", s.sh_type);
  number("ShFlags", s.sh_flags);
  number("ShName", s.sh_name);
  if (s.sh_addr)
    number("Address", s.sh_addr);
  number("AddressAlign", s.sh_addralign);
  // Always given, or yaml2obj would align what is not there.
  number("Offset", cursor);
  // yaml2obj has defaults for these.
  if (s.sh_entsize || type == "SHT_SYMTAB" || type == "SHT_RELA" ||
      type == "SHT_REL" || file.sectionName(i) == ".debug_str")
    number("EntSize", s.sh_entsize);
  if (s.sh_link)
    key("Link") << quoted(sectionLabels[s.sh_link]) << '\n';
  else if (type != "SHT_PROGBITS" && type != "SHT_STRTAB")
    key("Link") << "0\n";
  if (s.sh_info || type == "SHT_SYMTAB")
    key("Info") << s.sh_info << '\n';
  if (s.sh_offset != cursor)
    number("ShOffset", s.sh_offset);
  if (piece.offset == cursor && piece.size) {
    writeContents(piece);
    return;
  }
  if (s.sh_type == elf::SHT_SYMTAB)
    return; // yaml2obj would add the symbols in any case.
  if (s.sh_size || s.sh_type == elf::SHT_STRTAB) {
    if (s.sh_type == elf::SHT_STRTAB)
      key("Content") << "\"\"\n"; // Else it is made of the labels.
    number("ShSize", s.sh_size);
  }
}

void YamlWriter::writeContents(const Piece &piece) {
  unsigned i = piece.section;
  switch (section(i).sh_type) {
  case elf::SHT_SYMTAB:
    if (!symbolsAreBytes())
      return; // Written by writeSymbols().
    break;
  case elf::SHT_REL:
  case elf::SHT_RELA:
    return writeRelocations(i);
  }
  ArrayRef<uint8_t> contents = file.contents(i), written = contents;
  // A few zeros are easier to read where they are.
  while (!written.empty() && written.back() == 0)
    written = written.drop_back();
  if (contents.size() - written.size() < 16)
    written = contents;
  if (!written.empty())
    key("Content") << quoted(toHex(written, /*LowerCase=*/true)) << '\n';
  if (written.size() != contents.size())
    number("Size", contents.size());
  if (!isCode(i))
    raw[rawKind(i)] += written.size();
}

bool YamlWriter::isCode(unsigned i) const {
  return section(i).sh_flags & elf::SHF_EXECINSTR ||
         section(i).sh_type == elf::SHT_CUDA_CAPMERC;
}

RawKind YamlWriter::rawKind(unsigned i) const {
  const Elf_Shdr &s = section(i);
  if (s.sh_type == elf::SHT_STRTAB)
    return RawStrings;
  if (s.sh_type == elf::SHT_NOTE)
    return RawNotes;
  // A symbol table is numbers if its null symbol isn't zero.
  bool isTable = s.sh_type == elf::SHT_SYMTAB || s.sh_type >= elf::SHT_LOPROC;
  return isTable && !(s.sh_flags & elf::SHF_ALLOC) ? RawTables : RawData;
}

uint64_t YamlWriter::bytesOutsideCode() const {
  uint64_t size = data().size();
  for (unsigned i = 1; i != file.sections().size(); ++i)
    if (isCode(i))
      size -= file.contents(i).size();
  return size;
}

template <class Rel> void YamlWriter::writeRelocation(const Rel &r) {
  uint64_t info = r.r_info;
  os << "      - Offset: " << format_hex(r.r_offset, 1) << '\n';
  // Index 0 has no label.
  if (uint32_t symbol = info >> 32)
    os << "        Symbol: " << quoted(symbolLabels[symbol]) << '\n';
  os << "        Type: " << format_hex(info & 0xffffffff, 1) << " # "
     << relocationName(info & 0xffffffff) << '\n';
}

void YamlWriter::writeRelocations(unsigned i) {
  os << "    Relocations:\n";
  if (section(i).sh_type == elf::SHT_REL) {
    for (const Elf_Rel &r : file.rels(i))
      writeRelocation(r);
    return;
  }
  for (const Elf_Rela &r : file.relas(i)) {
    writeRelocation(r);
    if (r.r_addend)
      os << "        Addend: " << int64_t(r.r_addend) << '\n';
  }
}

void YamlWriter::writeSymbols() {
  const CubinSymbolTable &table = file.symtab();
  if (!table.section || symbolsAreBytes())
    return;
  os << "Symbols:" << (table.symbols.size() < 2 ? " []" : "") << '\n';
  for (unsigned i = 1; i < table.symbols.size(); ++i) {
    const Elf_Sym &sym = table.symbols[i];
    os << "  - Name: " << quoted(symbolLabels[i]) << '\n';
    number("StName", sym.st_name);
    number("Type", sym.getType());
    number("Binding", sym.getBinding());
    if (sym.st_other)
      key("Other") << "[ " << format_hex(sym.st_other, 1) << " ]\n";
    uint32_t index = sym.st_shndx;
    if (index && index < file.sections().size() && index < elf::SHN_LORESERVE)
      key("Section") << quoted(sectionLabels[index]) << '\n';
    else if (index)
      number("Index", index);
    if (sym.st_value)
      number("Value", sym.st_value);
    if (sym.st_size)
      number("Size", sym.st_size);
  }
}

} // namespace

Error writeYaml(const CubinFile &file, raw_ostream &os) {
  std::string text;
  raw_string_ostream body(text);
  YamlWriter writer(file, body);
  if (Error error = writer.run())
    return error;
  writer.writeComments(os);
  os << text;
  return Error::success();
}

} // namespace lld::cuda
