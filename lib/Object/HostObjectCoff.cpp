//===- HostObjectCoff.cpp - Writes host objects for Windows ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes the host object with which a device link ends, as a COFF file.
/// HostObjectWriter.cpp collects its parts (the fatbin, machine code that
/// registers it, tables) and calls writeCoffObject() if the host is Windows, or
/// writeCoffLayer() for an object that only holds device code for a later
/// device link. Sections have the names and access that nvcc's objects give
/// them, because the host's linker joins sections that agree in both
/// [host-object-coff]. A COFF symbol can't be hidden and needn't be: nothing
/// outside a DLL sees what it doesn't export.
///
//===----------------------------------------------------------------------===//

#include "HostObjectParts.h"
#include "ObjectError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lld::cuda {

namespace {

constexpr size_t SectionAlignment = 4;
/// Each section has a symbol with one auxiliary record.
constexpr uint32_t RecordsOfSection = 2;

struct HostSectionKind {
  StringLiteral name;
  uint32_t characteristics;
};

constexpr uint32_t ReadOnly = COFF::IMAGE_SCN_CNT_INITIALIZED_DATA |
                              COFF::IMAGE_SCN_MEM_READ,
                   ReadWrite = ReadOnly | COFF::IMAGE_SCN_MEM_WRITE;

/// The sections of HostSection, in its order, then those that only COFF has.
constexpr HostSectionKind Kinds[] = {
    {".text", COFF::IMAGE_SCN_CNT_CODE | COFF::IMAGE_SCN_MEM_EXECUTE |
                  COFF::IMAGE_SCN_MEM_READ | COFF::IMAGE_SCN_ALIGN_16BYTES},
    {".data", ReadWrite | COFF::IMAGE_SCN_ALIGN_8BYTES},
    {".bss", COFF::IMAGE_SCN_CNT_UNINITIALIZED_DATA | COFF::IMAGE_SCN_MEM_READ |
                 COFF::IMAGE_SCN_MEM_WRITE | COFF::IMAGE_SCN_ALIGN_8BYTES},
    {".nv_fatbin", ReadOnly | COFF::IMAGE_SCN_ALIGN_8BYTES},
    {".nvFatBinSegment", ReadOnly | COFF::IMAGE_SCN_ALIGN_8BYTES},
    {"__nv_module_id", ReadWrite | COFF::IMAGE_SCN_ALIGN_1BYTES},
    {".xdata", ReadOnly | COFF::IMAGE_SCN_ALIGN_4BYTES},
    {".pdata", ReadOnly | COFF::IMAGE_SCN_ALIGN_4BYTES},
};
constexpr size_t NumSections = std::size(Kinds), XdataSection = NumHostSections,
                 PdataSection = NumHostSections + 1;
/// The symbols of HostObjectParts follow those of sections.
constexpr uint32_t FirstSymbol = NumSections * RecordsOfSection;

struct Section {
  StringRef name;
  uint32_t characteristics = 0;
  StringRef contents = {};
  ArrayRef<HostRelocation> relocations = {};
  uint32_t firstSymbol = 0; ///< What their indices count from.
  uint64_t bssSize = 0;
  /// In the file. More relocations than 16 bits count begin with one that
  /// holds their number.
  uint64_t contentsAt = 0, relocationsAt = 0, numRelocations = 0;

  uint64_t size() const { return bssSize + contents.size(); }
  bool hasManyRelocations() const { return relocations.size() >= 0xffff; }
};

/// Sections and symbols in a file.
class FileWriter {
public:
  FileWriter(uint16_t machine, MutableArrayRef<Section> sections,
             ArrayRef<HostSymbol> symbols)
      : machine(machine), sections(sections), symbols(symbols) {}
  Expected<Bytes> write();

private:
  /// Objects without symbols have none of sections, either.
  uint32_t numRecords() const {
    return symbols.empty()
               ? 0
               : sections.size() * RecordsOfSection + symbols.size();
  }
  void addName(Bytes &out, StringRef name, bool isSection);
  uint64_t plan();
  void writeHeaders(Bytes &out);
  void writeSection(Bytes &out, const Section &section);
  void addSymbol(Bytes &out, const HostSymbol &symbol, uint16_t section,
                 uint8_t numAuxiliary);
  void writeSymbols(Bytes &out);

  uint16_t machine;
  MutableArrayRef<Section> sections;
  ArrayRef<HostSymbol> symbols;
  uint64_t symbolsAt = 0;
  std::string names; ///< Of more than 8 characters.
};

/// Field of 8 bytes: the name, or where it stands among those that are longer.
void FileWriter::addName(Bytes &out, StringRef name, bool isSection) {
  constexpr size_t FieldSize = COFF::NameSize, SizeOfSize = 4;
  const size_t end = out.size() + FieldSize;
  if (name.size() <= FieldSize) {
    out.append(name.begin(), name.end());
  } else {
    const uint32_t at = SizeOfSize + names.size();
    names += name;
    names.push_back('\0');
    if (isSection) {
      const std::string decimal = "/" + utostr(at);
      out.append(decimal.begin(), decimal.end());
    } else {
      append<uint32_t>(out, 0);
      append(out, at);
    }
  }
  out.resize(end);
}

/// Places everything and returns the size of the file without the names.
uint64_t FileWriter::plan() {
  uint64_t at = COFF::Header16Size + sections.size() * COFF::SectionSize;
  for (Section &section : sections) {
    section.numRelocations =
        section.relocations.size() + section.hasManyRelocations();
    at = alignTo(at, SectionAlignment);
    section.contentsAt = at;
    section.relocationsAt = at += section.contents.size();
    at += section.numRelocations * COFF::RelocationSize;
  }
  symbolsAt = alignTo(at, SectionAlignment);
  return symbolsAt + uint64_t(numRecords()) * COFF::Symbol16Size;
}

void FileWriter::writeHeaders(Bytes &out) {
  append(out, machine);
  append<uint16_t>(out, sections.size());
  append<uint32_t>(out, 0); // No time: the same link, the same bytes.
  append<uint32_t>(out, symbolsAt);
  append(out, numRecords());
  append<uint16_t>(out, 0);
  append<uint16_t>(out, 0);
  for (const Section &section : sections) {
    const bool isMany = section.hasManyRelocations();
    addName(out, section.name, /*isSection=*/true);
    append<uint32_t>(out, 0);
    append<uint32_t>(out, 0);
    append<uint32_t>(out, section.size());
    append<uint32_t>(out, section.contents.empty() ? 0 : section.contentsAt);
    append<uint32_t>(out, section.numRelocations ? section.relocationsAt : 0);
    append<uint32_t>(out, 0);
    append<uint16_t>(out, isMany ? 0xffff : section.numRelocations);
    append<uint16_t>(out, 0);
    append<uint32_t>(
        out, section.characteristics |
                 (isMany ? uint32_t(COFF::IMAGE_SCN_LNK_NRELOC_OVFL) : 0));
  }
}

void FileWriter::writeSection(Bytes &out, const Section &section) {
  out.resize(section.contentsAt);
  out.append(section.contents.begin(), section.contents.end());
  if (section.hasManyRelocations()) {
    append<uint32_t>(out, section.numRelocations);
    append<uint32_t>(out, 0);
    append<uint16_t>(out, 0);
  }
  for (const HostRelocation &r : section.relocations) {
    append<uint32_t>(out, r.offset);
    append<uint32_t>(out, section.firstSymbol + r.symbol);
    append<uint16_t>(out, r.type);
  }
}

void FileWriter::addSymbol(Bytes &out, const HostSymbol &symbol,
                           uint16_t section, uint8_t numAuxiliary) {
  constexpr uint16_t Function = COFF::IMAGE_SYM_DTYPE_FUNCTION
                                << COFF::SCT_COMPLEX_TYPE_SHIFT;
  addName(out, symbol.name, /*isSection=*/false);
  append<uint32_t>(out, symbol.value);
  append(out, section);
  append<uint16_t>(out, symbol.kind == HostSymbol::Function ? Function : 0);
  append<uint8_t>(out, symbol.isLocal ? COFF::IMAGE_SYM_CLASS_STATIC
                                      : COFF::IMAGE_SYM_CLASS_EXTERNAL);
  append(out, numAuxiliary);
}

void FileWriter::writeSymbols(Bytes &out) {
  out.resize(symbolsAt);
  if (numRecords())
    for (auto [i, section] : enumerate(sections)) {
      addSymbol(out,
                {section.name.str(), HostSymbol::Label, /*isLocal=*/true,
                 std::nullopt, 0, 0},
                i + 1, RecordsOfSection - 1);
      const size_t end = out.size() + COFF::Symbol16Size;
      append<uint32_t>(out, section.size());
      append<uint16_t>(
          out, section.hasManyRelocations() ? 0xffff : section.numRelocations);
      append<uint16_t>(out, 0);
      append<uint32_t>(out, 0);
      append<uint16_t>(out, i + 1);
      out.resize(end);
    }
  for (const HostSymbol &s : symbols)
    addSymbol(out, s, s.section ? uint16_t(*s.section) + 1 : 0, 0);
  append<uint32_t>(out, names.size() + sizeof(uint32_t));
  out.append(names.begin(), names.end());
}

Expected<Bytes> FileWriter::write() {
  uint64_t size = plan();
  for (const HostSymbol &s : symbols)
    size += s.name.size() + 1;
  if (!isUInt<32>(size))
    return malformed("an object for Windows holds less than 4 GiB; this one "
                     "would have {0} bytes",
                     size);
  Bytes out;
  out.reserve(size);
  writeHeaders(out);
  for (const Section &section : sections)
    writeSection(out, section);
  writeSymbols(out);
  return out;
}

/// The records of functions in .xdata and .pdata.
struct Unwinding {
  explicit Unwinding(const HostObjectParts &parts);

  Bytes xdata, pdata;
  std::vector<HostRelocation> relocations; ///< Of pdata.
};

/// x86-64: begin, end, record in .xdata; ARM64's record knows the size.
/// Functions without one keep what their caller has.
Unwinding::Unwinding(const HostObjectParts &parts) {
  auto add = [&](uint32_t symbol, uint32_t addend) {
    relocations.push_back({pdata.size(), symbol, parts.stub.frame, 0});
    append(pdata, addend);
  };
  for (const HostFrame &frame : parts.frames) {
    if (frame.frame.empty())
      continue;
    const uint32_t function = FirstSymbol + frame.function;
    add(function, 0);
    if (parts.stub.machine == COFF::IMAGE_FILE_MACHINE_AMD64)
      add(function, parts.symbols[frame.function].size);
    add(XdataSection * RecordsOfSection, xdata.size());
    xdata.append(frame.frame.begin(), frame.frame.end());
  }
}

} // namespace

Expected<Bytes> writeCoffObject(const HostObjectParts &parts) {
  const Unwinding unwinding(parts);
  std::array<Section, NumSections> sections;
  for (auto [i, section] : enumerate(sections)) {
    section.name = Kinds[i].name;
    section.characteristics = Kinds[i].characteristics;
    if (i < NumHostSections) {
      section.contents = parts.getContents(HostSection(i));
      section.relocations = parts.relocations[i];
      section.firstSymbol = FirstSymbol;
    }
  }
  sections[size_t(HostSection::Bss)].bssSize = parts.bssSize;
  sections[XdataSection].contents =
      StringRef(unwinding.xdata.data(), unwinding.xdata.size());
  sections[PdataSection].contents =
      StringRef(unwinding.pdata.data(), unwinding.pdata.size());
  sections[PdataSection].relocations = unwinding.relocations;
  return FileWriter(parts.stub.machine, sections, parts.symbols).write();
}

Expected<Bytes> writeCoffLayer(const HostStub &stub,
                               ArrayRef<LayerPart> parts) {
  std::vector<Section> sections;
  for (const LayerPart &part : parts)
    sections.push_back(
        {part.name, COFF::IMAGE_SCN_LNK_REMOVE | COFF::IMAGE_SCN_ALIGN_8BYTES,
         part.contents});
  return FileWriter(stub.machine, sections, {}).write();
}

} // namespace lld::cuda
