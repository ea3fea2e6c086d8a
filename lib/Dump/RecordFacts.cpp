//===- RecordFacts.cpp - Facts of sections made of records ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns relocations, call graphs, prototypes, notes and Mercury entries of a
/// cubin into facts, one for each record. The table at the end
/// (recordReaderFor()) says which section has which records; cubin-dump,
/// cubin-diff and cubin-prune ask it for each section that they print, compare
/// or verify, and treat a section without a reader as plain bytes. On damaged
/// data a reader passes on what comes before the damage, and returns an error
/// that names the section and the offset.
///
//===----------------------------------------------------------------------===//

#include "RecordReaders.h"
#include "lld-cuda/Object/CallGraph.h"
#include "lld-cuda/Object/Mercury.h"
#include "lld-cuda/Object/Note.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using support::endian::read32le;

namespace lld::cuda {

Error sectionError(const CubinFile &file, unsigned section, Error error) {
  if (!error)
    return error;
  return createStringError("section %u ('%s'): %s", section,
                           file.sectionName(section).str().c_str(),
                           toString(std::move(error)).c_str());
}

Error readRelocations(const CubinFile &file, const Labels &labels,
                      unsigned section, FactVisitor visit) {
  auto makeFact = [&](const auto &r) {
    Fact fact(labels.sections[section]);
    fact.what("type", relocationName(r.r_info & 0xffffffff))
        .hex("offset", r.r_offset)
        .name("symbol", labels.symbol(file, section, r.r_info >> 32));
    return fact;
  };
  if (file.sections()[section].sh_type == elf::SHT_REL) {
    for (const Elf_Rel &r : file.rels(section))
      visit(makeFact(r));
    return Error::success();
  }
  for (const Elf_Rela &r : file.relas(section)) {
    Fact fact = makeFact(r);
    fact.signedHex("addend", r.r_addend);
    visit(std::move(fact));
  }
  return Error::success();
}

Error readCallGraph(const CubinFile &file, const Labels &labels,
                    unsigned section, FactVisitor visit) {
  return forEachCallGraphRecord(
      file, section, [&](const CallGraphRecord &record) {
        Fact fact(labels.sections[section]);
        std::string symbol = labels.symbol(file, section, record.symbol);
        switch (record.group) {
        case CallGraphGroup::Calls:
          fact.what("group", "calls")
              .name("caller", symbol)
              .name("callee", labels.symbol(file, section, record.other));
          break;
        case CallGraphGroup::AddressTaken:
          fact.what("group", "address-taken")
              .name("function", symbol)
              .text("prototype", record.prototype);
          break;
        case CallGraphGroup::Indirect:
          fact.what("group", "indirect")
              .name("caller", symbol)
              .text("prototype", record.prototype);
          break;
        case CallGraphGroup::Takes:
          fact.what("group", "takes")
              .name("function", symbol)
              .name("taken", labels.symbol(file, section, record.other));
          break;
        }
        visit(std::move(fact));
        return Error::success();
      });
}

Error readPrototypes(const CubinFile &file, const Labels &labels,
                     unsigned section, FactVisitor visit) {
  return forEachPrototype(
      file, section, [&](uint32_t symbol, StringRef prototype) {
        Fact fact(labels.sections[section]);
        fact.name("function", labels.symbol(file, section, symbol))
            .text("prototype", prototype);
        visit(std::move(fact));
        return Error::success();
      });
}

/// The facts of one note record: `record` is the whole of it, `desc` its
/// description.
static Error visitNote(const Labels &labels, unsigned section,
                       ArrayRef<uint8_t> record, StringRef name,
                       ArrayRef<uint8_t> desc, FactVisitor visit) {
  uint32_t type = read32le(record.data() + 8);
  Fact fact(labels.sections[section]);
  fact.what("type", noteTypeName(type));
  if (type == NT_CUDA_CUINFO) {
    Expected<CuInfoNote> note = readCuInfoNote(record);
    if (!note)
      return note.takeError();
    fact.decimal("version", note->version)
        .name("virtual_architecture", "compute_" + utostr(note->virtualArch))
        .decimal("toolkit", note->toolkit);
  } else if (type == NT_CUDA_TKINFO) {
    Expected<std::vector<TkInfoNote>> notes = readTkInfoNotes(record);
    if (!notes)
      return notes.takeError();
    for (const TkInfoNote &note : *notes)
      fact.decimal("version", note.version)
          .text("tool", note.tool)
          .text("tool_version", note.toolVersion)
          .text("build", note.build)
          .text("command", note.command)
          .text("file", note.file);
  } else {
    fact.text("name", name)
        .name("description", toHex(desc, /*LowerCase=*/true));
  }
  visit(std::move(fact));
  return Error::success();
}

Error readNotes(const CubinFile &file, const Labels &labels, unsigned section,
                FactVisitor visit) {
  ArrayRef<uint8_t> data = file.contents(section);
  auto fail = [&](size_t offset, const Twine &text) {
    return sectionError(
        file, section,
        createStringError("offset " + hexText(offset) + ": " + text));
  };
  size_t offset = 0;
  while (offset != data.size()) {
    ArrayRef<uint8_t> rest = data.drop_front(offset);
    if (rest.size() < 12)
      return fail(offset, "note header runs past the end of the section");
    uint64_t nameSize = read32le(rest.data());
    uint64_t descSize = read32le(rest.data() + 4);
    uint64_t descOffset = 12 + alignTo(nameSize, 4);
    if (descOffset + descSize > rest.size())
      return fail(offset, "note runs past the end of the section");
    size_t size =
        std::min<uint64_t>(descOffset + alignTo(descSize, 4), rest.size());
    StringRef name(reinterpret_cast<const char *>(rest.data()) + 12, nameSize);
    if (Error error =
            visitNote(labels, section, rest.take_front(size), name.rtrim('\0'),
                      rest.slice(descOffset, descSize), visit))
      return fail(offset, toString(std::move(error)));
    offset += size;
  }
  return Error::success();
}

static StringRef capmercEntryKind(const CapmercEntry &entry) {
  if (!entry.recordOffset)
    return "native"; // The instruction stands for itself.
  if (!entry.isRun)
    return entry.count ? "record" : "virtual";
  return entry.recordSize ? "run" : "padding";
}

Error readCapmerc(const CubinFile &file, const Labels &labels, unsigned section,
                  FactVisitor visit) {
  ArrayRef<uint8_t> data = file.contents(section);
  uint32_t textSection = data.size() >= 4 ? read32le(data.data()) : 0;
  if (textSection >= file.sections().size())
    return sectionError(file, section,
                        createStringError("offset 0x0: code section %u does "
                                          "not exist",
                                          textSection));
  Expected<CapmercText> text =
      readCapmercText(data, file.sections()[textSection].sh_size);
  if (!text)
    return handleErrors(
        text.takeError(),
        [&](const UnknownCapmercRecord &record) {
          Fact fact(labels.sections[section]);
          fact.what("kind", "unknown")
              .name("text", labels.sections[textSection])
              .hex("record_offset", record.offset)
              .hex("first_byte", record.firstByte);
          visit(std::move(fact));
        },
        [&](std::unique_ptr<ErrorInfoBase> e) {
          return sectionError(file, section, Error(std::move(e)));
        });
  Fact header(labels.sections[section]);
  header.what("kind", "header")
      .name("text", labels.sections[textSection])
      .decimal("entries", text->entries.size())
      .decimal("instructions", text->instructionCount);
  visit(std::move(header));
  for (const CapmercEntry &entry : text->entries) {
    Fact fact(labels.sections[section]);
    fact.what("kind", capmercEntryKind(entry))
        .decimal("instruction", entry.instruction)
        .decimal("count", entry.count);
    if (entry.recordOffset)
      fact.hex("record_offset", entry.recordOffset)
          .hex("record_size", entry.recordSize);
    visit(std::move(fact));
  }
  return Error::success();
}

static constexpr RecordReader SymbolReader{RecordGroup::Symbols, "symbol",
                                           readSymbols},
    RelocationReader{RecordGroup::Relocations, "relocation", readRelocations},
    InfoReader{RecordGroup::Info, "info", readInfo},
    CompatReader{RecordGroup::Compat, "compat", readCompat},
    CallGraphReader{RecordGroup::CallGraph, "callgraph", readCallGraph},
    PrototypeReader{RecordGroup::Prototypes, "prototype", readPrototypes},
    NoteReader{RecordGroup::Notes, "note", readNotes},
    CapmercReader{RecordGroup::Capmerc, "capmerc", readCapmerc};

const RecordReader *recordReaderFor(const CubinFile &file, unsigned section) {
  switch (file.sections()[section].sh_type) {
  case elf::SHT_SYMTAB:
  case elf::SHT_CUDA_MERC_SYMTAB:
    return &SymbolReader;
  case elf::SHT_REL:
  case elf::SHT_RELA:
  case elf::SHT_CUDA_RESOLVED_RELA:
  case elf::SHT_CUDA_MERC_RELA:
    return &RelocationReader;
  case elf::SHT_CUDA_INFO:
  case elf::SHT_CUDA_MERC_INFO:
    return &InfoReader;
  case elf::SHT_CUDA_COMPAT_INFO:
    return &CompatReader;
  case elf::SHT_CUDA_CALLGRAPH:
  case elf::SHT_CUDA_MERC_CALLGRAPH:
    return &CallGraphReader;
  case elf::SHT_CUDA_PROTOTYPE:
  case elf::SHT_CUDA_MERC_PROTOTYPE:
    return &PrototypeReader;
  case elf::SHT_NOTE:
    return &NoteReader;
  case elf::SHT_CUDA_CAPMERC:
    return &CapmercReader;
  }
  return nullptr;
}

} // namespace lld::cuda
