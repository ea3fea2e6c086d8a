//===- Note.cpp - Reads and writes notes of cubins ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads and writes .note.nv.cuinfo, which says for what a cubin was compiled,
/// and .note.nv.tkinfo, which says by which tools. The linker reads both in
/// each object, since the rules of a link depend on the toolkit of its inputs
/// (UnpackCubins.cpp, SettleRules.cpp), and writes the image's
/// (Output/Notes.cpp). cubin-check, cubin-diff and cubin-dump read them, too. A
/// note is u32 size of the name, u32 size of the description, u32 type, the
/// name, the description; both padded to four bytes. The name is always "NVIDIA
/// Corp" [note-contents].
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/Note.h"
#include "ObjectError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::support;

namespace lld::cuda {

// With the NUL that belongs to the name; twelve bytes, so it needs no padding.
constexpr StringLiteral NoteName = StringLiteral::withInnerNUL("NVIDIA Corp\0");
constexpr size_t NoteHeaderSize = 12;
constexpr size_t CuInfoSize = 8;
/// Version and five offsets, before the strings.
constexpr size_t TkInfoHeaderSize = 24;
constexpr unsigned TkInfoVersion = 2;
/// The first toolkit that had the note gave it the toolkit's version, and so
/// did the last one before 13.0.
constexpr unsigned FirstTkInfoToolkit = 128, LastTkInfoToolkit = 129;

/// Takes the note at the front of `rest`, which begins at `offset` of the
/// section, and gives its description.
static Expected<StringRef> takeNote(StringRef &rest, size_t offset,
                                    uint32_t type) {
  if (rest.size() < NoteHeaderSize)
    return malformed("note at offset {0:x} is cut off: {1} bytes left", offset,
                     rest.size());
  uint32_t nameSize = endian::read32le(rest.data());
  uint32_t descSize = endian::read32le(rest.data() + 4);
  uint32_t actualType = endian::read32le(rest.data() + 8);
  rest = rest.drop_front(NoteHeaderSize);
  if (alignTo(uint64_t(nameSize), NoteAlignment) > rest.size())
    return malformed("note at offset {0:x}: name of {1} bytes is cut off",
                     offset, nameSize);
  StringRef name = rest.take_front(nameSize);
  if (name != NoteName)
    return malformed("note at offset {0:x}: its name is not 'NVIDIA Corp'",
                     offset);
  if (actualType != type)
    return malformed("note at offset {0:x}: type {1}, expected {2}", offset,
                     actualType, type);
  rest = rest.drop_front(alignTo(nameSize, NoteAlignment));
  if (descSize > rest.size())
    return malformed("note at offset {0:x}: description of {1} bytes is cut "
                     "off: {2} left",
                     offset, descSize, rest.size());
  StringRef description = rest.take_front(descSize);
  // The last note of a section may lack its padding.
  rest = rest.drop_front(std::min<uint64_t>(
      rest.size(), alignTo(uint64_t(descSize), NoteAlignment)));
  return description;
}

static void write32(uint32_t value, SmallVectorImpl<char> &out) {
  char bytes[4];
  endian::write32le(bytes, value);
  out.append(std::begin(bytes), std::end(bytes));
}

static void write16(uint16_t value, SmallVectorImpl<char> &out) {
  char bytes[2];
  endian::write16le(bytes, value);
  out.append(std::begin(bytes), std::end(bytes));
}

static void writeNoteHeader(uint32_t descSize, uint32_t type,
                            SmallVectorImpl<char> &out) {
  write32(NoteName.size(), out);
  write32(descSize, out);
  write32(type, out);
  out.append(NoteName.begin(), NoteName.end());
}

Expected<CuInfoNote> readCuInfoNote(ArrayRef<uint8_t> section) {
  StringRef rest = toStringRef(section);
  Expected<StringRef> description = takeNote(rest, 0, NT_CUDA_CUINFO);
  if (!description)
    return description.takeError();
  if (description->size() < CuInfoSize)
    return malformed("note at offset 0x0: description of {0} bytes, expected "
                     "{1}",
                     description->size(), CuInfoSize);
  CuInfoNote note;
  note.version = endian::read16le(description->data());
  note.virtualArch = endian::read16le(description->data() + 2);
  note.toolkit = note.version < CuInfoNote::FirstWithToolkit
                     ? 0
                     : endian::read16le(description->data() + 4);
  return note;
}

/// nvlink looks neither at the section's flag nor at the type of the note in
/// it. Here one of them has to be right, so that another note isn't taken for
/// it.
static bool isCuInfo(const CubinFile &file, uint32_t index) {
  if (index >= file.sections().size() ||
      file.sections()[index].sh_type != elf::SHT_NOTE)
    return false;
  if (file.sections()[index].sh_flags & elf::SHF_CUDA_CUINFO)
    return true;
  Expected<CuInfoNote> note = readCuInfoNote(file.contents(index));
  if (note)
    return true;
  consumeError(note.takeError());
  return false;
}

/// e_flags says where it is; 0xff leaves that to the name (observed: a name of
/// its own with the right index is taken, and the right name with a wrong index
/// isn't).
static unsigned findCuInfo(const CubinFile &file) {
  constexpr uint32_t ByName = 0xff;
  const uint32_t index =
      elf::EF_CUDA_13_CUINFO.get(uint32_t(file.header().e_flags));
  if (index == ByName)
    return file.findSection(".note.nv.cuinfo");
  return isCuInfo(file, index) ? index : 0;
}

Expected<CompiledFor> readCompiledFor(const CubinFile &file) {
  CompiledFor result;
  if (file.hasOldHeader()) {
    const Elf_Ehdr &header = file.header();
    result.toolkit = header.e_version;
    result.virtualArch = elf::EF_CUDA_12_VIRTUAL.get(uint32_t(header.e_flags));
    return result;
  }
  const unsigned section = findCuInfo(file);
  if (!section)
    return result;
  Expected<CuInfoNote> note = readCuInfoNote(file.contents(section));
  if (!note)
    return note.takeError();
  result.toolkit = note->toolkit;
  result.virtualArch = note->virtualArch;
  // In cubins of CUDA 12, the tools' note begins with the toolkit's version
  // [mercury12-file].
  if (note->version < CuInfoNote::FirstWithToolkit)
    if (unsigned tools = file.findSection(".note.nv.tkinfo")) {
      Expected<std::vector<TkInfoNote>> notes =
          readTkInfoNotes(file.contents(tools));
      if (!notes)
        return notes.takeError();
      if (!notes->empty())
        result.toolkit = notes->front().version;
    }
  return result;
}

void writeCuInfoNote(const CuInfoNote &note, SmallVectorImpl<char> &out) {
  if (note.version == CuInfoNote::OfCuda12) {
    writeNoteHeader(CuInfoSize + sizeof(uint32_t), NT_CUDA_CUINFO, out);
    write16(note.version, out);
    write16(note.virtualArch, out);
    write32(1, out);
    write32(1, out);
    return;
  }
  writeNoteHeader(CuInfoSize, NT_CUDA_CUINFO, out);
  write16(note.version, out);
  write16(note.virtualArch, out);
  write16(note.toolkit, out);
  write16(0, out);
}

static Error readTkInfo(StringRef description, size_t offset,
                        TkInfoNote &note) {
  if (description.size() < TkInfoHeaderSize)
    return malformed("note at offset {0:x}: description of {1} bytes, expected "
                     "at least {2}",
                     offset, description.size(), TkInfoHeaderSize);
  note.version = endian::read32le(description.data());
  if (note.version != TkInfoVersion &&
      (note.version < FirstTkInfoToolkit || note.version > LastTkInfoToolkit))
    return malformed("note at offset {0:x}: unknown version {1}", offset,
                     note.version);
  StringRef strings = description.drop_front(TkInfoHeaderSize);
  StringRef *fields[] = {&note.file, &note.tool, &note.toolVersion, &note.build,
                         &note.command};
  for (unsigned i = 0; i < std::size(fields); ++i) {
    uint32_t start = endian::read32le(description.data() + 4 + 4 * i);
    size_t end = strings.find('\0', start);
    if (start >= strings.size() || end == StringRef::npos)
      return malformed("note at offset {0:x}: string {1} at {2:x} runs past "
                       "the strings ({3:x})",
                       offset, i, start, strings.size());
    *fields[i] = strings.slice(start, end);
  }
  return Error::success();
}

Expected<std::vector<TkInfoNote>> readTkInfoNotes(ArrayRef<uint8_t> section) {
  std::vector<TkInfoNote> notes;
  StringRef rest = toStringRef(section);
  while (!rest.empty()) {
    size_t offset = section.size() - rest.size();
    Expected<StringRef> description = takeNote(rest, offset, NT_CUDA_TKINFO);
    if (!description)
      return description.takeError();
    TkInfoNote note;
    if (Error e = readTkInfo(*description, offset, note))
      return e;
    notes.push_back(note);
  }
  return notes;
}

Error checkNotes(ArrayRef<uint8_t> section) {
  for (size_t offset = 0; offset != section.size();) {
    ArrayRef<uint8_t> rest = section.drop_front(offset);
    if (rest.size() < NoteHeaderSize)
      return malformed("note at offset {0:x} is cut off: {1} bytes left",
                       offset, rest.size());
    uint32_t nameSize = endian::read32le(rest.data());
    uint32_t descSize = endian::read32le(rest.data() + 4);
    uint32_t type = endian::read32le(rest.data() + 8);
    uint64_t size =
        NoteHeaderSize + alignTo(uint64_t(nameSize), NoteAlignment) + descSize;
    if (size > rest.size())
      return malformed("note at offset {0:x} is cut off: {1} bytes, {2} left",
                       offset, size, rest.size());
    // The last note of a section may lack its padding.
    rest = rest.take_front(alignTo(size, NoteAlignment));
    if (type == NT_CUDA_CUINFO) {
      if (Expected<CuInfoNote> note = readCuInfoNote(rest); !note)
        return note.takeError();
    } else if (type == NT_CUDA_TKINFO) {
      if (Expected<std::vector<TkInfoNote>> notes = readTkInfoNotes(rest);
          !notes)
        return notes.takeError();
    }
    offset += rest.size();
  }
  return Error::success();
}

void writeTkInfoNote(const TkInfoNote &note, SmallVectorImpl<char> &out) {
  const StringRef fields[] = {note.file, note.tool, note.toolVersion,
                              note.build, note.command};
  size_t stringsSize = 0;
  for (StringRef field : fields)
    stringsSize += field.size() + 1;
  stringsSize = alignTo(stringsSize, NoteAlignment);

  writeNoteHeader(TkInfoHeaderSize + stringsSize, NT_CUDA_TKINFO, out);
  write32(note.version, out);
  uint32_t offset = 0;
  for (StringRef field : fields) {
    write32(offset, out);
    offset += field.size() + 1;
  }
  for (StringRef field : fields) {
    out.append(field.begin(), field.end());
    out.push_back('\0');
  }
  out.append(stringsSize - offset, '\0');
}

} // namespace lld::cuda
