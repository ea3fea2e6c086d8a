//===- HostObjectElf.cpp - Host objects for ELF systems -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// HostObjectWriter.cpp collects the parts of an object that nvcc's device link
/// would have compiled with the host's compiler; writeElfObject() makes a
/// relocatable ELF file of them, and writeElfLayer() makes one that holds
/// device code for a later device link. ELF wants local symbols in front of
/// global ones, so orderSymbols() numbers them anew before any relocation
/// refers to them. Defined global symbols are hidden, or two shared libraries
/// with such an object would call each other's functions.
///
//===----------------------------------------------------------------------===//

#include "HostObjectParts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lld::cuda {

namespace {

constexpr size_t ElfHeaderSize = 64, SectionHeaderSize = 64, RelaSize = 24,
                 SymbolSize = 24;

struct ElfSectionKind {
  StringLiteral name;
  uint32_t type;
  uint64_t flags, alignment;
};

/// The sections of HostSection, in its order, then those that only ELF has.
constexpr ElfSectionKind ElfSectionKinds[] = {
    {".text", ELF::SHT_PROGBITS, ELF::SHF_ALLOC | ELF::SHF_EXECINSTR, 16},
    {".data", ELF::SHT_PROGBITS, ELF::SHF_ALLOC | ELF::SHF_WRITE, 8},
    {".bss", ELF::SHT_NOBITS, ELF::SHF_ALLOC | ELF::SHF_WRITE, 8},
    {".nv_fatbin", ELF::SHT_PROGBITS, ELF::SHF_ALLOC, 8},
    {".nvFatBinSegment", ELF::SHT_PROGBITS, ELF::SHF_ALLOC | ELF::SHF_WRITE, 8},
    {"__nv_module_id", ELF::SHT_PROGBITS, ELF::SHF_ALLOC, 1},
    {".eh_frame", ELF::SHT_PROGBITS, ELF::SHF_ALLOC, 8},
    {".note.GNU-stack", ELF::SHT_PROGBITS, 0, 1},
};
constexpr size_t FrameSection = NumHostSections;

/// Returns the index of a HostSection in the file.
constexpr uint32_t sectionIndex(size_t section) { return section + 1; }

struct ElfSectionFields {
  uint32_t name, type;
  uint64_t flags, offset, size;
  uint32_t link, info;
  uint64_t alignment, entrySize;
};

uint32_t addName(std::string &table, StringRef name) {
  if (name.empty())
    return 0;
  const uint32_t at = table.size();
  table += name;
  table.push_back('\0');
  return at;
}

/// The tables of names and headers, while sections are placed.
class FileLayout {
public:
  explicit FileLayout(Bytes &out) : out(out) { out.resize(ElfHeaderSize); }

  void place(StringRef name, ElfSectionFields header, StringRef contents) {
    header.name = addName(names, name);
    out.resize(alignTo(out.size(), header.alignment));
    header.offset = out.size();
    if (header.type != ELF::SHT_NOBITS) {
      header.size = contents.size();
      out.append(contents.begin(), contents.end());
    }
    headers.push_back(header);
  }
  void placeNames() {
    const ElfSectionFields header = {0, ELF::SHT_STRTAB, 0, 0, 0, 0, 0, 1, 0};
    std::string last = names;
    const uint32_t name = addName(last, ".shstrtab");
    place("", header, last);
    headers.back().name = name;
  }
  void writeHeaders(const HostStub &stub);

private:
  Bytes &out;
  std::string names = std::string(1, '\0');
  std::vector<ElfSectionFields> headers{1};
};

void FileLayout::writeHeaders(const HostStub &stub) {
  out.resize(alignTo(out.size(), 8));
  const uint64_t table = out.size();
  for (const ElfSectionFields &h : headers) {
    append(out, h.name);
    append(out, h.type);
    append(out, h.flags);
    append<uint64_t>(out, 0);
    append(out, h.offset);
    append(out, h.size);
    append(out, h.link);
    append(out, h.info);
    append(out, h.alignment);
    append(out, h.entrySize);
  }
  Bytes head;
  const char ident[16] = {
      '\x7f',         'E', 'L', 'F', ELF::ELFCLASS64, ELF::ELFDATA2LSB,
      ELF::EV_CURRENT};
  head.append(std::begin(ident), std::end(ident));
  append<uint16_t>(head, ELF::ET_REL);
  append(head, stub.machine);
  append<uint32_t>(head, ELF::EV_CURRENT);
  append<uint64_t>(head, 0);
  append<uint64_t>(head, 0);
  append(head, table);
  append(head, stub.flags);
  append<uint16_t>(head, ElfHeaderSize);
  append<uint16_t>(head, 0);
  append<uint16_t>(head, 0);
  append<uint16_t>(head, SectionHeaderSize);
  append<uint16_t>(head, headers.size());
  append<uint16_t>(head, headers.size() - 1);
  copy(head, out.begin());
}

class Writer {
public:
  explicit Writer(const HostObjectParts &parts) : parts(parts) {}
  Bytes write();

private:
  void orderSymbols();
  void addFrame(const HostFrame &frame);
  void placeSections(FileLayout &file);
  void placeSymbols(FileLayout &file, uint32_t symtab);

  const HostObjectParts &parts;
  /// Local ones first, as ELF wants it, and where each has come to.
  std::vector<const HostSymbol *> symbols;
  std::vector<uint32_t> indexOf;
  size_t numLocals = 1;
  Bytes frames;
  std::vector<HostRelocation> frameRelocations;
};

void Writer::orderSymbols() {
  indexOf.resize(parts.symbols.size());
  for (bool isLocal : {true, false})
    for (auto [i, symbol] : enumerate(parts.symbols)) {
      if (symbol.isLocal != isLocal)
        continue;
      indexOf[i] = symbols.size() + 1;
      symbols.push_back(&symbol);
      numLocals += isLocal;
    }
}

/// Length, distance from here to the CIE, begin and size of the function.
void Writer::addFrame(const HostFrame &frame) {
  if (frames.empty())
    frames.append(parts.stub.cie.begin(), parts.stub.cie.end());
  const uint64_t at = frames.size();
  constexpr uint64_t FixedSize = 13, LengthSize = 4;
  const uint64_t length =
      alignTo(FixedSize + frame.frame.size() + LengthSize, 8) - LengthSize;
  append<uint32_t>(frames, length);
  append<uint32_t>(frames, at + LengthSize);
  frameRelocations.push_back(
      {frames.size(), frame.function, parts.stub.frame, 0});
  append<uint32_t>(frames, 0);
  append<uint32_t>(frames, parts.symbols[frame.function].size);
  append<uint8_t>(frames, 0);
  frames.append(frame.frame.begin(), frame.frame.end());
  frames.resize(at + LengthSize + length);
}

void Writer::placeSections(FileLayout &file) {
  for (auto [i, kind] : enumerate(ElfSectionKinds)) {
    StringRef contents;
    if (i < NumHostSections)
      contents = parts.getContents(HostSection(i));
    else if (i == FrameSection)
      contents = StringRef(frames.data(), frames.size());
    file.place(
        kind.name,
        {0, kind.type, kind.flags, 0, parts.bssSize, 0, 0, kind.alignment, 0},
        contents);
  }
  SmallVector<const std::vector<HostRelocation> *> relocations;
  for (const std::vector<HostRelocation> &list : parts.relocations)
    relocations.push_back(&list);
  relocations.push_back(&frameRelocations);
  const uint32_t symtab =
      std::size(ElfSectionKinds) + 1 +
      count_if(relocations, [](const auto *list) { return !list->empty(); });
  for (auto [i, list] : enumerate(relocations)) {
    if (list->empty())
      continue;
    Bytes entries;
    for (const HostRelocation &r : *list) {
      append(entries, r.offset);
      append(entries, uint64_t(indexOf[r.symbol]) << 32 | r.type);
      append(entries, r.addend);
    }
    file.place((".rela" + ElfSectionKinds[i].name).str(),
               {0, ELF::SHT_RELA, ELF::SHF_INFO_LINK, 0, 0, symtab,
                sectionIndex(i), 8, RelaSize},
               StringRef(entries.data(), entries.size()));
  }
  placeSymbols(file, symtab);
}

void Writer::placeSymbols(FileLayout &file, uint32_t symtab) {
  Bytes table;
  table.resize(SymbolSize); // The first one is none.
  std::string names(1, '\0');
  for (const HostSymbol *s : symbols) {
    constexpr uint8_t Types[] = {ELF::STT_NOTYPE, ELF::STT_OBJECT,
                                 ELF::STT_FUNC};
    const uint8_t binding = s->isLocal ? ELF::STB_LOCAL : ELF::STB_GLOBAL;
    // Another library with the same object has its own functions.
    const bool isHidden = !s->isLocal && s->section;
    append<uint32_t>(table, addName(names, s->name));
    append<uint8_t>(table, binding << 4 | Types[s->kind]);
    append<uint8_t>(table, isHidden ? ELF::STV_HIDDEN : ELF::STV_DEFAULT);
    append<uint16_t>(table, s->section ? sectionIndex(size_t(*s->section)) : 0);
    append(table, s->value);
    append(table, s->size);
  }
  file.place(".symtab",
             {0, ELF::SHT_SYMTAB, 0, 0, 0, symtab + 1, uint32_t(numLocals), 8,
              SymbolSize},
             StringRef(table.data(), table.size()));
  file.place(".strtab", {0, ELF::SHT_STRTAB, 0, 0, 0, 0, 0, 1, 0}, names);
}

Bytes Writer::write() {
  orderSymbols();
  for (const HostFrame &frame : parts.frames)
    addFrame(frame);
  // The image is nearly all of it; what else there is, is a guess.
  constexpr size_t Rest = 8 << 10;
  size_t size = Rest;
  for (size_t i = 0; i != NumHostSections; ++i)
    size += parts.getContents(HostSection(i)).size();
  Bytes out;
  out.reserve(size);
  FileLayout file(out);
  placeSections(file);
  file.placeNames();
  file.writeHeaders(parts.stub);
  return out;
}

} // namespace

Bytes writeElfObject(const HostObjectParts &parts) {
  return Writer(parts).write();
}

Bytes writeElfLayer(const HostStub &stub, ArrayRef<LayerPart> parts) {
  Bytes out;
  FileLayout file(out);
  for (const LayerPart &part : parts)
    file.place(part.name,
               {0, ELF::SHT_PROGBITS, ELF::SHF_EXCLUDE, 0, 0, 0, 0, 8, 0},
               part.contents);
  file.place(".note.GNU-stack", {0, ELF::SHT_PROGBITS, 0, 0, 0, 0, 0, 1, 0},
             "");
  file.placeNames();
  file.writeHeaders(stub);
  return out;
}

} // namespace lld::cuda
