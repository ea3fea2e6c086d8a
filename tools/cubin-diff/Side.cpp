//===- Side.cpp - One of two cubins that are compared ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads one of the two cubins that cubin-diff compares. Compare.cpp creates
/// a Side for each file when their bytes differ, before it compares anything
/// else: create() checks the file more strictly than a link does, so that every
/// record can be compared, and gives sections and symbols labels by which those
/// of two files are paired.
///
//===----------------------------------------------------------------------===//

#include "Side.h"
#include "StableNames.h"
#include "lld-cuda/BinaryFormat/NvInfo.h"
#include "lld-cuda/Dump/Facts.h"
#include "lld-cuda/Object/NvInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace lld::cuda {

bool isUnspecified(const Elf_Shdr &section) {
  return section.sh_type == elf::SHT_CUDA_RESERVED_SHARED &&
         section.sh_flags & elf::SHF_CUDA_MERCURY;
}

ArrayRef<uint8_t> Side::meaningfulBytes(unsigned i) const {
  ArrayRef<uint8_t> bytes = file.contents(i);
  if (isUnspecified(section(i)))
    return {};
  if (section(i).sh_type == elf::SHT_CUDA_CAPMERC && bytes.size() >= 4)
    return bytes.drop_front(4);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static Error checkHeader(const CubinFile &file) {
  const Elf_Ehdr &h = file.header();
  auto fail = [](StringRef field, uint64_t value) {
    return createStringError("ELF header: unexpected " + field + " " +
                             hexText(value));
  };
  uint8_t osAbi = h.e_ident[elf::EI_OSABI];
  if (osAbi != elf::ELFOSABI_CUDA_12 && osAbi != elf::ELFOSABI_CUDA_13)
    return fail("EI_OSABI", osAbi);
  if (h.e_ident[elf::EI_VERSION] != elf::EV_CURRENT)
    return fail("EI_VERSION", h.e_ident[elf::EI_VERSION]);
  for (unsigned i = elf::EI_PAD; i != elf::EI_NIDENT; ++i)
    if (h.e_ident[i])
      return fail("e_ident padding", h.e_ident[i]);
  if (h.e_type != elf::ET_REL && h.e_type != elf::ET_EXEC)
    return fail("e_type", h.e_type);
  if (h.e_ehsize != sizeof(Elf_Ehdr))
    return fail("e_ehsize", h.e_ehsize);
  if (h.e_phnum && file.programHeaders().empty())
    return createStringError("ELF header: no table of %u program headers at "
                             "offset 0x%" PRIx64,
                             unsigned(h.e_phnum), uint64_t(h.e_phoff));
  if (file.sections()[0].sh_type != elf::SHT_NULL)
    return createStringError("section 0 is not of type NULL");
  return Error::success();
}

static Error checkSegments(const CubinFile &file) {
  uint64_t size = file.buffer().getBufferSize();
  for (unsigned i = 0; i != file.programHeaders().size(); ++i) {
    const Elf_Phdr &p = file.programHeaders()[i];
    auto fail = [&](StringRef what) {
      return createStringError("program header " + Twine(i) + ": " + what);
    };
    if (p.p_offset > size || p.p_filesz > size - p.p_offset)
      return fail("runs past the end of the file");
    if (p.p_filesz > p.p_memsz && p.p_type != elf::PT_NULL)
      return fail("file size exceeds memory size");
    if (p.p_align & (p.p_align - 1))
      return fail("alignment is not a power of two");
  }
  return Error::success();
}

static Error checkSection(const CubinFile &file, unsigned i) {
  const Elf_Shdr &s = file.sections()[i];
  ArrayRef<uint8_t> bytes = file.contents(i);
  auto fail = [&](const Twine &what) {
    return sectionError(file, i, createStringError(what));
  };
  if (s.sh_link >= file.sections().size())
    return fail("sh_link " + Twine(s.sh_link) + " is out of range");
  if (!elf::isNoBits(s.sh_type, s.sh_flags) && s.sh_addralign > 1 &&
      s.sh_offset % s.sh_addralign)
    return fail("offset " + hexText(s.sh_offset) + " is not aligned to " +
                hexText(s.sh_addralign));
  if (s.sh_type == elf::SHT_STRTAB && !bytes.empty() && bytes.back())
    return fail("string table does not end with NUL");
  // sh_info of code: the symbol, below sm_90 with the register count.
  if (s.sh_flags & elf::SHF_EXECINSTR &&
      (s.sh_info & 0xffffff) >= symbolTableFor(file, i).symbols.size())
    return fail("sh_info " + hexText(s.sh_info) + " names no symbol");
  return Error::success();
}

/// The symbol indices in the payload of a record.
static Error checkInfoRecord(const CubinFile &file, unsigned section,
                             size_t offset, const NvInfoRecord &record) {
  auto fail = [&](const Twine &what) {
    return sectionError(
        file, section,
        createStringError("record at offset " + hexText(offset) + ": " + what));
  };
  if (record.format < elf::EIFMT_NVAL || record.format > elf::EIFMT_SVAL)
    return fail("unknown format " + Twine(unsigned(record.format)));
  const elf::NvInfoAttribute *attribute = elf::getNvInfoAttribute(record.code);
  if (!record.hasPayload() || !attribute)
    return Error::success();
  unsigned words = 0;
  if (attribute->symbols == elf::NvInfoSymbols::All) {
    if (record.payload.size() % 4)
      return fail("payload is not a whole number of words");
    words = record.wordCount();
  } else if (attribute->symbols == elf::NvInfoSymbols::First) {
    words = std::min(record.wordCount(), 1u);
  }
  for (unsigned i = 0; i != words; ++i)
    if (record.word(i) >= symbolTableFor(file, section).symbols.size())
      return fail("no symbol " + Twine(record.word(i)));
  return Error::success();
}

static Error checkRecords(const Side &side, unsigned i) {
  const RecordReader *reader = recordReaderFor(side.file, i);
  if (!reader || reader->group == RecordGroup::Symbols ||
      reader->group == RecordGroup::Relocations)
    return Error::success();
  if (reader->group == RecordGroup::Info) {
    Error error = forEachNvInfoRecord(
        side.file.contents(i), [&](size_t offset, const NvInfoRecord &record) {
          return checkInfoRecord(side.file, i, offset, record);
        });
    return sectionError(side.file, i, std::move(error));
  }
  if (reader->group == RecordGroup::Capmerc) {
    // Only its first word is read here; its records have no meaning of their
    // own.
    ArrayRef<uint8_t> bytes = side.file.contents(i);
    if (bytes.size() < 4 ||
        support::endian::read32le(bytes.data()) >= side.sectionCount())
      return sectionError(side.file, i,
                          createStringError("offset 0x0: no code section"));
    return Error::success();
  }
  return reader->read(side.file, side.labels, i, [](Fact &&) {});
}

//===----------------------------------------------------------------------===//
// Labels
//===----------------------------------------------------------------------===//

/// Sections of one name (local functions of several objects) are told apart by
/// their contents.
static std::vector<std::string> sectionLabels(const Side &side) {
  StringMap<unsigned> count;
  for (const std::string &name : side.sectionNames)
    ++count[name];
  std::vector<std::string> labels;
  for (unsigned i = 0; i != side.sectionCount(); ++i) {
    const std::string &name = side.sectionNames[i];
    std::string label = name;
    if (count.lookup(name) > 1)
      label += "#" + utohexstr(uint32_t(xxh3_64bits(side.meaningfulBytes(i))),
                               /*LowerCase=*/true, 8);
    labels.push_back(std::move(label));
  }
  return labels;
}

/// Names of references to symbols, which tell local symbols apart.
static std::vector<std::string> symbolLabels(const Side &side,
                                             const CubinSymbolTable &table) {
  std::vector<std::string> labels;
  for (unsigned i = 0; i != table.symbols.size(); ++i) {
    const Elf_Sym &sym = table.symbols[i];
    std::string name = withoutHashes(table.name(sym));
    if (sym.getBinding() == elf::STB_LOCAL) {
      std::string where = side.labels.sectionOfSymbol(side.file, table, i);
      if (sym.getType() == elf::STT_SECTION)
        name = "section:" + where;
      else
        name += "@" + where + "+" + hexText(sym.st_value);
    }
    labels.push_back(std::move(name));
  }
  return labels;
}

Expected<Side> Side::create(MemoryBufferRef buffer) {
  Expected<CubinFile> file = CubinFile::create(buffer);
  if (!file)
    return file.takeError();
  if (Error error = checkHeader(*file))
    return error;
  if (Error error = checkSegments(*file))
    return error;
  for (unsigned i = 1; i < file->sections().size(); ++i)
    if (Error error = checkSection(*file, i))
      return error;
  Side side{*file, {}, {}};
  for (unsigned i = 0; i != side.sectionCount(); ++i)
    side.sectionNames.push_back(withoutHashes(file->sectionName(i)));
  side.labels.sections = sectionLabels(side);
  side.labels.symbols = symbolLabels(side, side.file.symtab());
  side.labels.mercurySymbols = symbolLabels(side, side.file.mercurySymtab());
  for (unsigned i = 1; i < side.sectionCount(); ++i)
    if (Error error = checkRecords(side, i))
      return error;
  return side;
}

} // namespace lld::cuda
