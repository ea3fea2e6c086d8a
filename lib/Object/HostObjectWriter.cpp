//===- HostObjectWriter.cpp - The host's part of a device link ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The machine code is host-stub.c's, compiled once for each host. What differs
/// from program to program are tables: how many objects there are, their names,
/// and where they leave what they bring.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/HostObjectWriter.h"
#include "ObjectError.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <vector>

using namespace llvm;

namespace lld::cuda {

namespace {

enum class StubSymbol : uint8_t {
  State,
  Wrapper, ///< Of the object that a function is for.
  Unregister,
  RegisterOne,
  AtExit,
  Register,
  RegisterEnd,
  UnregisterFatBinary,
  Label ///< The addend is a place in the same function.
};

struct StubRelocation {
  uint32_t offset, type;
  StubSymbol symbol;
  int32_t addend;
};

struct StubPiece {
  ArrayRef<uint8_t> code;
  ArrayRef<StubRelocation> relocations;
  ArrayRef<uint8_t> frame; ///< Instructions of its FDE.
};

enum { UnregisterPiece, RegisterOnePiece, RegisterObjectPiece, NumPieces };

struct HostStub {
  uint16_t machine;
  uint32_t flags;
  uint32_t absolute, relative; ///< Relocations of 64 and 32 bits.
  ArrayRef<uint8_t> cie;
  std::array<StubPiece, NumPieces> pieces;
};

#include "HostStubs.inc"

const HostStub *getStub(const Triple &host) {
  if (!host.isOSBinFormatELF())
    return nullptr;
  switch (host.getArch()) {
  case Triple::x86_64:
    return &x86_64Stub;
  case Triple::aarch64:
    return &aarch64Stub;
  case Triple::riscv64:
    return &riscv64Stub;
  default:
    return nullptr;
  }
}

using Bytes = SmallVector<char, 0>;

template <typename T> void append(Bytes &out, T value) {
  char bytes[sizeof(T)];
  support::endian::write<T, llvm::endianness::little>(bytes, value);
  out.append(std::begin(bytes), std::end(bytes));
}

struct Rela {
  uint64_t offset;
  uint32_t symbol, type;
  int64_t addend;
};

struct Section {
  StringRef name;
  uint32_t type;
  uint64_t flags, alignment;
  Bytes contents;
  uint64_t size = 0; ///< Without contents.
  std::vector<Rela> relas;
  uint32_t index = 0;
};

struct ElfSymbol {
  std::string name;
  uint8_t info, other;
  uint16_t section;
  uint64_t value, size;
};

constexpr uint64_t PointerSize = 8;
constexpr uint32_t WrapperMagic = 0x466243b1;
constexpr size_t WrapperSize = 24;

class Writer {
public:
  Writer(const HostStub &stub, StringRef fatbin, ArrayRef<std::string> names)
      : stub(stub), fatbin(fatbin), names(names) {}
  Bytes write();

private:
  uint32_t addLocal(StringRef name, uint8_t type, const Section &section,
                    uint64_t value, uint64_t size);
  uint32_t addGlobal(const Twine &name, uint8_t type, uint8_t visibility,
                     const Section *section, uint64_t value, uint64_t size);
  void numberSections();
  void addData();
  void addSymbols();
  void addCode();
  uint64_t addPiece(unsigned number, uint32_t wrapper);
  void addFrame(unsigned piece, uint64_t begin);
  void layOut(Bytes &out);

  const HostStub &stub;
  StringRef fatbin;
  ArrayRef<std::string> names;
  Section text{".text", ELF::SHT_PROGBITS, ELF::SHF_ALLOC | ELF::SHF_EXECINSTR,
               16};
  Section data{".data", ELF::SHT_PROGBITS, ELF::SHF_ALLOC | ELF::SHF_WRITE, 8};
  Section bss{".bss", ELF::SHT_NOBITS, ELF::SHF_ALLOC | ELF::SHF_WRITE, 8};
  Section image{".nv_fatbin", ELF::SHT_PROGBITS, ELF::SHF_ALLOC, 8};
  Section segment{".nvFatBinSegment", ELF::SHT_PROGBITS,
                  ELF::SHF_ALLOC | ELF::SHF_WRITE, 8};
  Section modules{"__nv_module_id", ELF::SHT_PROGBITS, ELF::SHF_ALLOC, 1};
  Section frames{".eh_frame", ELF::SHT_PROGBITS, ELF::SHF_ALLOC, 8};
  Section stack{".note.GNU-stack", ELF::SHT_PROGBITS, 0, 1};
  std::array<Section *, 8> sections = {&text,    &data,    &bss,    &image,
                                       &segment, &modules, &frames, &stack};
  std::vector<ElfSymbol> locals{{"", 0, 0, 0, 0, 0}}, globals;
  /// Of symbols; those of the stub, and of sections.
  uint32_t state = 0, imageSymbol = 0, segmentSymbol = 0, bssSymbol = 0,
           textSymbol = 0;
  std::array<uint64_t, NumPieces> placeOf{};
  std::array<uint32_t, size_t(StubSymbol::Label)> external{};
};

/// Globals come after all locals, which aren't counted yet.
constexpr uint32_t IsGlobal = 1u << 31;

uint32_t Writer::addLocal(StringRef name, uint8_t type, const Section &section,
                          uint64_t value, uint64_t size) {
  locals.push_back({name.str(), uint8_t(ELF::STB_LOCAL << 4 | type), 0,
                    uint16_t(section.index), value, size});
  return locals.size() - 1;
}

uint32_t Writer::addGlobal(const Twine &name, uint8_t type, uint8_t visibility,
                           const Section *section, uint64_t value,
                           uint64_t size) {
  globals.push_back({name.str(), uint8_t(ELF::STB_GLOBAL << 4 | type),
                     visibility, uint16_t(section ? section->index : 0), value,
                     size});
  return IsGlobal | (globals.size() - 1);
}

void Writer::numberSections() {
  uint32_t index = 0;
  for (Section *s : sections)
    s->index = ++index;
}

/// What the code counts in, and the lists that the runtime gets.
void Writer::addData() {
  constexpr uint32_t LinkedVersion = 2;
  const uint64_t callbacks = (names.size() + 1) * PointerSize;
  bss.size = callbacks + names.size() * PointerSize;
  append<uint64_t>(data.contents, 0); // The handle.
  append<uint64_t>(data.contents, 0); // How many have registered.
  append<uint64_t>(data.contents, names.size());
  constexpr uint64_t Pointers = 24;
  data.relas = {{Pointers, segmentSymbol, stub.absolute, 0},
                {Pointers + PointerSize, bssSymbol, stub.absolute, 0},
                {Pointers + 2 * PointerSize, bssSymbol, stub.absolute,
                 int64_t(callbacks)}};
  data.contents.resize(Pointers + 3 * PointerSize);
  append(segment.contents, WrapperMagic);
  append(segment.contents, LinkedVersion);
  segment.relas = {{8, imageSymbol, stub.absolute, 0},
                   {16, bssSymbol, stub.absolute, 0}};
  segment.contents.resize(WrapperSize);
  image.contents.append(fatbin.begin(), fatbin.end());
  for (const std::string &name : names) {
    const std::string text = "def " + name;
    addLocal("def_module_id_str" + name, ELF::STT_OBJECT, modules,
             modules.contents.size(), text.size() + 1);
    modules.contents.append(text.begin(), text.end());
    modules.contents.push_back('\0');
  }
}

void Writer::addSymbols() {
  auto sectionSymbol = [&](const Section &s) {
    return addLocal("", ELF::STT_SECTION, s, 0, 0);
  };
  textSymbol = sectionSymbol(text);
  bssSymbol = sectionSymbol(bss);
  imageSymbol = sectionSymbol(image);
  segmentSymbol = sectionSymbol(segment);
  state = addLocal("__cudaLinkedBinaryState", ELF::STT_OBJECT, data, 0, 48);
  auto undefined = [&](StubSymbol symbol, StringRef name) {
    external[size_t(symbol)] =
        addGlobal(name, ELF::STT_NOTYPE, ELF::STV_DEFAULT, nullptr, 0, 0);
  };
  undefined(StubSymbol::AtExit, "atexit");
  undefined(StubSymbol::Register, "__cudaRegisterFatBinary");
  undefined(StubSymbol::RegisterEnd, "__cudaRegisterFatBinaryEnd");
  undefined(StubSymbol::UnregisterFatBinary, "__cudaUnregisterFatBinary");
}

/// Length, distance from here to the CIE, begin and size of the function.
void Writer::addFrame(unsigned piece, uint64_t begin) {
  if (frames.contents.empty())
    frames.contents.append(stub.cie.begin(), stub.cie.end());
  const StubPiece &p = stub.pieces[piece];
  const uint64_t at = frames.contents.size();
  constexpr uint64_t FixedSize = 13, LengthSize = 4;
  const uint64_t length =
      alignTo(FixedSize + p.frame.size() + LengthSize, 8) - LengthSize;
  append<uint32_t>(frames.contents, length);
  append<uint32_t>(frames.contents, at + LengthSize);
  frames.relas.push_back(
      {frames.contents.size(), textSymbol, stub.relative, int64_t(begin)});
  append<uint32_t>(frames.contents, 0);
  append<uint32_t>(frames.contents, p.code.size());
  append<uint8_t>(frames.contents, 0);
  frames.contents.append(p.frame.begin(), p.frame.end());
  frames.contents.resize(at + LengthSize + length);
}

uint64_t Writer::addPiece(unsigned number, uint32_t wrapper) {
  constexpr uint64_t CodeAlignment = 4;
  const StubPiece &piece = stub.pieces[number];
  text.contents.resize(alignTo(text.contents.size(), CodeAlignment));
  const uint64_t begin = text.contents.size();
  placeOf[number] = begin;
  text.contents.append(piece.code.begin(), piece.code.end());
  for (const StubRelocation &r : piece.relocations) {
    Rela rela = {begin + r.offset, 0, r.type, r.addend};
    switch (r.symbol) {
    case StubSymbol::State:
      rela.symbol = state;
      break;
    case StubSymbol::Wrapper:
      rela.symbol = wrapper;
      break;
    case StubSymbol::Unregister:
      rela.symbol = textSymbol;
      rela.addend += placeOf[UnregisterPiece];
      break;
    case StubSymbol::RegisterOne:
      rela.symbol = textSymbol;
      rela.addend += placeOf[RegisterOnePiece];
      break;
    case StubSymbol::Label:
      rela.symbol = addLocal("", ELF::STT_NOTYPE, text, begin + r.addend, 0);
      rela.addend = 0;
      break;
    default:
      rela.symbol = external[size_t(r.symbol)];
    }
    text.relas.push_back(rela);
  }
  addFrame(number, begin);
  return begin;
}

void Writer::addCode() {
  addPiece(UnregisterPiece, 0);
  addPiece(RegisterOnePiece, 0);
  addLocal("__cudaUnregisterLinkedBinary", ELF::STT_FUNC, text,
           placeOf[UnregisterPiece], stub.pieces[UnregisterPiece].code.size());
  addLocal("__cudaRegisterLinkedBinary", ELF::STT_FUNC, text,
           placeOf[RegisterOnePiece],
           stub.pieces[RegisterOnePiece].code.size());
  for (const std::string &name : names) {
    const uint32_t wrapper = addGlobal("__fatbinwrap" + name, ELF::STT_NOTYPE,
                                       ELF::STV_DEFAULT, nullptr, 0, 0);
    const uint64_t begin = addPiece(RegisterObjectPiece, wrapper);
    // Another library with the same object has its own.
    addGlobal("__cudaRegisterLinkedBinary" + name, ELF::STT_FUNC,
              ELF::STV_HIDDEN, &text, begin,
              stub.pieces[RegisterObjectPiece].code.size());
  }
}

struct Header {
  uint32_t name, type;
  uint64_t flags, offset, size;
  uint32_t link, info;
  uint64_t alignment, entrySize;
};

/// The tables of names and headers, while sections are placed.
class FileLayout {
public:
  explicit FileLayout(Bytes &out) : out(out) { out.resize(ElfHeaderSize); }
  static constexpr size_t ElfHeaderSize = 64, SectionHeaderSize = 64;

  void place(StringRef name, Header header, StringRef contents) {
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
    const Header header = {0, ELF::SHT_STRTAB, 0, 0, 0, 0, 0, 1, 0};
    std::string last = names;
    const uint32_t name = addName(last, ".shstrtab");
    place("", header, last);
    headers.back().name = name;
  }
  void writeHeaders(const HostStub &stub);

  static uint32_t addName(std::string &table, StringRef name) {
    if (name.empty())
      return 0;
    const uint32_t at = table.size();
    table += name;
    table.push_back('\0');
    return at;
  }

private:
  Bytes &out;
  std::string names = std::string(1, '\0');
  std::vector<Header> headers{1};
};

void FileLayout::writeHeaders(const HostStub &stub) {
  out.resize(alignTo(out.size(), PointerSize));
  const uint64_t table = out.size();
  for (const Header &h : headers) {
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

void Writer::layOut(Bytes &out) {
  constexpr size_t RelaSize = 24, SymbolSize = 24;
  FileLayout file(out);
  auto symbolIndex = [&](uint32_t symbol) -> uint64_t {
    return symbol & IsGlobal ? locals.size() + (symbol & ~IsGlobal) : symbol;
  };
  for (const Section *s : sections)
    file.place(s->name,
               {0, s->type, s->flags, 0, s->size, 0, 0, s->alignment, 0},
               StringRef(s->contents.data(), s->contents.size()));
  const uint32_t symtab =
      sections.size() + 1 +
      count_if(sections, [](const Section *s) { return !s->relas.empty(); });
  for (const Section *s : sections) {
    if (s->relas.empty())
      continue;
    Bytes entries;
    for (const Rela &r : s->relas) {
      append(entries, r.offset);
      append(entries, symbolIndex(r.symbol) << 32 | r.type);
      append(entries, r.addend);
    }
    file.place((".rela" + s->name).str(),
               {0, ELF::SHT_RELA, ELF::SHF_INFO_LINK, 0, 0, symtab, s->index, 8,
                RelaSize},
               StringRef(entries.data(), entries.size()));
  }
  Bytes symbols;
  std::string strtab(1, '\0');
  for (const std::vector<ElfSymbol> *list : {&locals, &globals})
    for (const ElfSymbol &s : *list) {
      append<uint32_t>(symbols, FileLayout::addName(strtab, s.name));
      append(symbols, s.info);
      append(symbols, s.other);
      append(symbols, s.section);
      append(symbols, s.value);
      append(symbols, s.size);
    }
  file.place(".symtab",
             {0, ELF::SHT_SYMTAB, 0, 0, 0, symtab + 1, uint32_t(locals.size()),
              8, SymbolSize},
             StringRef(symbols.data(), symbols.size()));
  file.place(".strtab", {0, ELF::SHT_STRTAB, 0, 0, 0, 0, 0, 1, 0}, strtab);
  file.placeNames();
  file.writeHeaders(stub);
}

Bytes Writer::write() {
  numberSections();
  addSymbols();
  addData();
  addCode();
  Bytes out;
  layOut(out);
  return out;
}

} // namespace

Expected<SmallVector<char, 0>>
writeHostObject(const Triple &host, StringRef fatbin,
                ArrayRef<std::string> identifiers) {
  const HostStub *stub = getStub(host);
  if (!stub)
    return malformed("no object can be written for {0}", host.str());
  StringSet<> seen;
  for (const std::string &name : identifiers)
    if (!seen.insert(name).second)
      return malformed("{0} takes part twice", name);
  return Writer(*stub, fatbin, identifiers).write();
}

Expected<SmallVector<char, 0>> writeLayerObject(const Triple &host,
                                                StringRef fatbin,
                                                ArrayRef<std::string> moduleIds,
                                                ArrayRef<std::string> lists) {
  const HostStub *stub = getStub(host);
  if (!stub)
    return malformed("no object can be written for {0}", host.str());
  Bytes out;
  FileLayout file(out);
  auto place = [&](StringRef name, StringRef contents, uint64_t flags) {
    constexpr uint64_t Alignment = 8;
    file.place(name, {0, ELF::SHT_PROGBITS, flags, 0, 0, 0, 0, Alignment, 0},
               contents);
  };
  // Device linkers look for a wrapper, and not at what is in it.
  Bytes wrapper;
  append<uint32_t>(wrapper, WrapperMagic);
  append<uint32_t>(wrapper, 1);
  wrapper.resize(WrapperSize);
  place(".nvFatBinSegment", StringRef(wrapper.data(), wrapper.size()),
        ELF::SHF_EXCLUDE);
  place("__nv_relfatbin", fatbin, ELF::SHF_EXCLUDE);
  std::string ids;
  for (const std::string &id : moduleIds)
    ids.append(id).push_back('\0');
  if (!ids.empty())
    place("__nv_module_id", ids, ELF::SHF_EXCLUDE);
  for (auto [name, list] : zip(HostListSections, lists))
    place(name, list.empty() ? StringRef("\0", 1) : StringRef(list),
          ELF::SHF_EXCLUDE);
  place(LayerSection, StringRef("\1", 1), ELF::SHF_EXCLUDE);
  place(".note.GNU-stack", "", 0);
  file.placeNames();
  file.writeHeaders(*stub);
  return out;
}

} // namespace lld::cuda
