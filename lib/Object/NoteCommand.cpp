//===- NoteCommand.cpp - Shortens the command in a note -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Removes the beginning of the ptxas command line that a cubin's
/// .note.nv.tkinfo has. The linker's Compilers.cpp calls dropFromNoteCommand()
/// after it has compiled PTX with -g that was too long for the command line:
/// the note would name the temporary file, and nvlink's doesn't [ptx-compiled].
/// All that follows the note moves forward. ptxas puts each section at the next
/// offset that its alignment allows, some at the offset of the one before,
/// whose bytes they share; then the section headers and the program headers. A
/// file that is laid out in another way is left alone.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/NoteCommand.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/Note.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Alignment.h"
#include <cstring>

using namespace llvm;

namespace lld::cuda {

namespace {
/// Copies a cubin whose section `note` gets other contents.
class NoteReplacer {
public:
  NoteReplacer(const CubinFile &file, unsigned note, ArrayRef<char> contents)
      : file(file), data(file.buffer().getBuffer()), note(note),
        contents(contents) {}
  std::optional<std::string> replace();

private:
  uint64_t fileSize(unsigned index) const {
    return file.contents(index).size();
  }
  bool moveSections();
  bool moveTables();
  bool writeSegments();

  const CubinFile &file;
  StringRef data;
  unsigned note;
  ArrayRef<char> contents;
  std::string out;
  /// The new offset, by the old one, of each place where something begins or
  /// ends.
  DenseMap<uint64_t, uint64_t> begins, ends;
  uint64_t end = 0, newEnd = 0; ///< Of what has been moved.
};
} // namespace

/// Copies the file up to the note, the note's new contents, and the sections
/// after the note in the order of their offsets.
bool NoteReplacer::moveSections() {
  ArrayRef<Elf_Shdr> sections = file.sections();
  const uint64_t noteEnd = sections[note].sh_offset + sections[note].sh_size;
  std::vector<unsigned> behind;
  for (unsigned i = 1; i != sections.size(); ++i)
    if (sections[i].sh_offset >= noteEnd)
      behind.push_back(i);
    else if (i != note &&
             sections[i].sh_offset + fileSize(i) > sections[note].sh_offset)
      return false;
  llvm::stable_sort(behind, [&](unsigned a, unsigned b) {
    return sections[a].sh_offset < sections[b].sh_offset;
  });

  out = data.take_front(sections[note].sh_offset).str();
  out.append(contents.begin(), contents.end());
  end = noteEnd;
  newEnd = out.size();
  for (unsigned i : behind) {
    const uint64_t offset = sections[i].sh_offset;
    const Align align(std::max<uint64_t>(1, sections[i].sh_addralign));
    uint64_t moved = alignTo(newEnd, align);
    if (begins.count(offset) && offset < end)
      moved = begins[offset];
    else if (alignTo(end, align) != offset)
      return false;
    out.resize(std::max(out.size(), moved + fileSize(i)));
    std::memcpy(&out[moved], data.data() + offset, fileSize(i));
    begins[offset] = moved;
    end = std::max(end, offset + fileSize(i));
    newEnd = out.size();
    ends[offset + fileSize(i)] = moved + fileSize(i);
  }
  return true;
}

/// Copies the section headers and the program headers, which must be all that
/// is left of the file, and corrects the offsets in them.
bool NoteReplacer::moveTables() {
  const Elf_Ehdr &header = file.header();
  const uint64_t sectionsSize = file.sections().size() * sizeof(Elf_Shdr);
  const uint64_t segmentsSize = file.programHeaders().size() * sizeof(Elf_Phdr);
  const uint64_t sectionsEnd = header.e_shoff + sectionsSize;
  if (header.e_shoff != alignTo(end, Align::Of<uint64_t>()) ||
      (segmentsSize && header.e_phoff != sectionsEnd) ||
      sectionsEnd + segmentsSize != data.size())
    return false;
  out.resize(alignTo(newEnd, Align::Of<uint64_t>()));
  begins[header.e_shoff] = out.size();
  begins[sectionsEnd] = out.size() + sectionsSize;
  ends[data.size()] = out.size() + sectionsSize + segmentsSize;
  out += data.drop_front(header.e_shoff);

  auto *moved = reinterpret_cast<Elf_Ehdr *>(&out[0]);
  moved->e_shoff = begins[header.e_shoff];
  if (segmentsSize)
    moved->e_phoff = begins[sectionsEnd];
  auto *headers = reinterpret_cast<Elf_Shdr *>(&out[moved->e_shoff]);
  for (unsigned i = 1; i != file.sections().size(); ++i)
    if (i == note)
      headers[i].sh_size = contents.size();
    else if (auto place = begins.find(headers[i].sh_offset);
             place != begins.end())
      headers[i].sh_offset = place->second;
  return writeSegments();
}

/// Segments begin and end where sections or tables do. Without any, their
/// table's offset means nothing.
bool NoteReplacer::writeSegments() {
  if (file.programHeaders().empty())
    return true;
  auto *segments = reinterpret_cast<Elf_Phdr *>(
      &out[reinterpret_cast<const Elf_Ehdr *>(out.data())->e_phoff]);
  for (const Elf_Phdr &segment : file.programHeaders()) {
    Elf_Phdr &moved = *segments++;
    auto first = begins.find(segment.p_offset),
         last = ends.find(segment.p_offset + segment.p_filesz);
    if (first == begins.end() || last == ends.end())
      return false;
    moved.p_offset = first->second;
    moved.p_filesz = last->second - first->second;
    moved.p_memsz = segment.p_memsz - segment.p_filesz + moved.p_filesz;
  }
  return true;
}

std::optional<std::string> NoteReplacer::replace() {
  if (!moveSections() || !moveTables())
    return std::nullopt;
  return std::move(out);
}

std::optional<std::string> dropFromNoteCommand(MemoryBufferRef cubin,
                                               StringRef text) {
  Expected<CubinFile> file = CubinFile::create(cubin);
  if (!file) {
    consumeError(file.takeError());
    return std::nullopt;
  }
  const unsigned section = file->findSection(".note.nv.tkinfo");
  Expected<std::vector<TkInfoNote>> notes =
      readTkInfoNotes(file->contents(section));
  if (!notes) {
    consumeError(notes.takeError());
    return std::nullopt;
  }
  if (notes->size() != 1 || !notes->front().command.consume_front(text))
    return std::nullopt;
  SmallVector<char, 256> contents;
  writeTkInfoNote(notes->front(), contents);
  return NoteReplacer(*file, section, contents).replace();
}

} // namespace lld::cuda
