//===- Relayout.cpp - Cubins that differ in notes only --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tests whether two cubins differ only in the notes in which linkers name
/// themselves. cubin-diff's Compare.cpp calls differOnlyInNotes() if the bytes
/// of two cubins differ, before it compares their meaning. The notes of two
/// linkers have different lengths, so everything after them in the file is at
/// another offset. Here a file is divided into chunks (ELF header, tables,
/// sections) in the order of their offsets, and put together again with the
/// other file's notes. If a chunk was at the next offset that its alignment
/// allows, it is put there again, and otherwise at the distance from its
/// predecessor that it had. A section that shares bytes with another one keeps
/// its offset in that section. File offsets and sizes of segments are corrected
/// accordingly.
///
//===----------------------------------------------------------------------===//

#include "Relayout.h"
#include "Side.h"
#include "lld-cuda/Object/Note.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <unordered_map>

using namespace llvm;
using support::endian::read32le;

namespace lld::cuda {

bool OwnNotes::contains(unsigned position) const {
  auto it = lower_bound(records, position, [](const Record &r, unsigned p) {
    return r.position < p;
  });
  return it != records.end() && it->position == position;
}

OwnNotes findOwnNotes(const CubinFile &file) {
  OwnNotes own;
  unsigned section = file.findSection(".note.nv.tkinfo");
  if (!section || file.sections()[section].sh_type != elf::SHT_NOTE)
    return own;
  ArrayRef<uint8_t> data = file.contents(section);
  std::string firstTool;
  size_t offset = 0;
  for (unsigned position = 0; data.size() - offset >= 12; ++position) {
    const uint8_t *note = data.data() + offset;
    uint64_t end = 12 + alignTo<4>(uint64_t(read32le(note))) +
                   alignTo<4>(uint64_t(read32le(note + 4)));
    size_t size = std::min<uint64_t>(end, data.size() - offset);
    if (read32le(note + 8) == NT_CUDA_TKINFO) {
      Expected<std::vector<TkInfoNote>> info =
          readTkInfoNotes(data.slice(offset, size));
      if (!info || info->size() != 1) {
        consumeError(info.takeError());
        return OwnNotes();
      }
      StringRef tool = info->front().tool;
      if (position == 0)
        firstTool = tool.str();
      if (tool == firstTool || tool == "nvlink" || tool == "lld-cuda")
        own.records.push_back({position, offset, size});
    } else if (position == 0) {
      return OwnNotes();
    }
    offset += size;
  }
  if (!own.records.empty())
    own.section = section;
  return own;
}

namespace {

/// A stretch of the file that moves as a whole.
struct Chunk {
  uint64_t offset;
  ArrayRef<uint8_t> data;
  uint64_t align;
  unsigned section = 0;  ///< 0: a header or table.
  bool isAlias = false;  ///< Lies in the bytes of another chunk.
  bool isMapped = false; ///< A segment may begin or end here.
  uint64_t newOffset = 0;
  uint64_t newSize = 0;
  uint64_t end() const { return offset + data.size(); }
  uint64_t newEnd() const { return newOffset + newSize; }
};

class Relayout {
public:
  Relayout(const CubinFile &file, const OwnNotes &own,
           ArrayRef<ArrayRef<uint8_t>> records)
      : file(file), own(own), records(records) {}

  /// False if the file holds bytes outside of all chunks, or overlaps that
  /// no linker makes.
  bool run();
  MutableArrayRef<uint8_t> result() { return out; }

private:
  ArrayRef<uint8_t> bytes(uint64_t offset, uint64_t size) const {
    return arrayRefFromStringRef(
        file.buffer().getBuffer().substr(offset, size));
  }
  void makeChunks();
  std::vector<uint8_t> notesWithRecords() const;
  bool place();
  void updateHeaders();
  void updateSegments(uint64_t phoff);
  template <class T> T &at(uint64_t offset) {
    return *reinterpret_cast<T *>(out.data() + offset);
  }

  const CubinFile &file;
  const OwnNotes &own;
  ArrayRef<ArrayRef<uint8_t>> records;
  std::vector<Chunk> chunks;
  std::vector<uint8_t> out;
};

void Relayout::makeChunks() {
  const Elf_Ehdr &h = file.header();
  chunks.push_back({0, bytes(0, sizeof(Elf_Ehdr)), 1});
  chunks.push_back({h.e_shoff,
                    bytes(h.e_shoff, file.sections().size() * sizeof(Elf_Shdr)),
                    8});
  if (!file.programHeaders().empty())
    chunks.push_back(
        {h.e_phoff, bytes(h.e_phoff, h.e_phnum * sizeof(Elf_Phdr)), 8});
  for (unsigned i = 1; i < file.sections().size(); ++i) {
    const Elf_Shdr &s = file.sections()[i];
    Chunk chunk{s.sh_offset, file.contents(i),
                std::max<uint64_t>(s.sh_addralign, 1), i};
    chunk.isMapped =
        s.sh_flags & elf::SHF_ALLOC && !(s.sh_flags & elf::SHF_CUDA_MERCURY);
    chunks.push_back(chunk);
  }
  stable_sort(chunks, [](const Chunk &a, const Chunk &b) {
    return std::make_tuple(a.offset, !a.data.empty(), a.section) <
           std::make_tuple(b.offset, !b.data.empty(), b.section);
  });
}

std::vector<uint8_t> Relayout::notesWithRecords() const {
  ArrayRef<uint8_t> data = file.contents(own.section);
  std::vector<uint8_t> notes;
  size_t copied = 0;
  for (size_t i = 0; i != records.size(); ++i) {
    const OwnNotes::Record &record = own.records[i];
    append_range(notes, data.slice(copied, record.offset - copied));
    append_range(notes, records[i]);
    copied = record.offset + record.size;
  }
  append_range(notes, data.drop_front(copied));
  return notes;
}

bool Relayout::place() {
  std::vector<uint8_t> notes = notesWithRecords();
  uint64_t oldEnd = 0;
  const Chunk *last = nullptr;
  for (Chunk &chunk : chunks) {
    ArrayRef<uint8_t> data =
        chunk.section == own.section ? ArrayRef(notes) : chunk.data;
    chunk.newSize = data.size();
    if (chunk.offset < oldEnd) {
      // Tables and the notes themselves have bytes of their own.
      if (!last || chunk.offset < last->offset || chunk.end() > oldEnd ||
          !chunk.section || chunk.section == own.section)
        return false;
      chunk.isAlias = true;
      chunk.newOffset = last->newOffset + chunk.offset - last->offset;
      continue;
    }
    // A section without bytes may claim to be anywhere.
    if (chunk.offset > file.buffer().getBufferSize())
      return false;
    ArrayRef<uint8_t> gap = bytes(oldEnd, chunk.offset - oldEnd);
    if (any_of(gap, [](uint8_t byte) { return byte != 0; }))
      return false;
    chunk.newOffset = chunk.offset == alignTo(oldEnd, chunk.align)
                          ? alignTo(out.size(), chunk.align)
                          : out.size() + gap.size();
    // Alignments of empty sections are not bounded by the file's size.
    if (chunk.newOffset > 2 * (file.buffer().getBufferSize() + notes.size()))
      return false;
    out.resize(chunk.newOffset);
    append_range(out, data);
    oldEnd = chunk.end();
    if (!chunk.data.empty())
      last = &chunk;
  }
  return oldEnd == file.buffer().getBufferSize();
}

bool Relayout::run() {
  makeChunks();
  if (!place())
    return false;
  updateHeaders();
  return true;
}

void Relayout::updateHeaders() {
  const Elf_Ehdr &h = file.header();
  uint64_t shoff = 0, phoff = h.e_phoff;
  for (const Chunk &chunk : chunks) {
    if (chunk.section || !chunk.offset)
      continue;
    if (chunk.offset == h.e_shoff)
      shoff = chunk.newOffset;
    if (chunk.offset == h.e_phoff)
      phoff = chunk.newOffset;
  }
  at<Elf_Ehdr>(0).e_shoff = shoff;
  at<Elf_Ehdr>(0).e_phoff = phoff;
  for (const Chunk &chunk : chunks) {
    if (!chunk.section)
      continue;
    Elf_Shdr &s = at<Elf_Shdr>(shoff + chunk.section * sizeof(Elf_Shdr));
    s.sh_offset = chunk.newOffset;
    if (chunk.section == own.section)
      s.sh_size = chunk.newSize;
  }
  updateSegments(phoff);
}

void Relayout::updateSegments(uint64_t phoff) {
  // Offsets of damaged segments may be ~0, for which a DenseMap has no place.
  std::unordered_map<uint64_t, const Chunk *> begins, ends;
  for (const Chunk &chunk : chunks) {
    if (!chunk.isMapped || chunk.isAlias)
      continue;
    begins.try_emplace(chunk.offset, &chunk); // The first one that begins here,
    ends[chunk.end()] = &chunk;               // the last one that ends here.
  }
  for (unsigned i = 0; i != file.programHeaders().size(); ++i) {
    const Elf_Phdr &old = file.programHeaders()[i];
    Elf_Phdr &p = at<Elf_Phdr>(phoff + i * sizeof(Elf_Phdr));
    if (old.p_offset == file.header().e_phoff) {
      p.p_offset = phoff;
      continue;
    }
    const auto begin = begins.find(old.p_offset);
    const auto end = ends.find(old.p_offset + old.p_filesz);
    if (begin == begins.end())
      continue;
    p.p_offset = begin->second->newOffset;
    if (end == ends.end())
      continue;
    p.p_filesz = end->second->newEnd() - begin->second->newOffset;
    p.p_memsz = old.p_memsz + p.p_filesz - old.p_filesz;
  }
}

/// Name and version of a note must agree between linkers: the header's name
/// and the first word of the description.
bool haveSameForm(ArrayRef<uint8_t> a, ArrayRef<uint8_t> b) {
  uint64_t nameSize = read32le(a.data());
  uint64_t size = alignTo<4>(nameSize) + 4; // Checked by readTkInfoNotes().
  return nameSize == read32le(b.data()) &&
         a.slice(12, size) == b.slice(12, size);
}

} // namespace

static void blankUnspecified(const CubinFile &file,
                             MutableArrayRef<uint8_t> bytes) {
  for (unsigned i = 1; i < file.sections().size(); ++i)
    if (isUnspecified(file.sections()[i]))
      for (uint8_t &byte : bytes.slice(file.sections()[i].sh_offset,
                                       file.sections()[i].sh_size))
        byte = 0;
}

bool differOnlyInNotes(const CubinFile &file, const CubinFile &other) {
  OwnNotes ours = findOwnNotes(file), theirs = findOwnNotes(other);
  if (!ours.section || !theirs.section ||
      ours.records.size() != theirs.records.size())
    return false;
  std::vector<ArrayRef<uint8_t>> records;
  for (size_t i = 0; i != ours.records.size(); ++i) {
    const OwnNotes::Record &a = ours.records[i], &b = theirs.records[i];
    ArrayRef<uint8_t> record =
        other.contents(theirs.section).slice(b.offset, b.size);
    if (a.position != b.position ||
        !haveSameForm(file.contents(ours.section).slice(a.offset, a.size),
                      record))
      return false;
    records.push_back(record);
  }
  Relayout relayout(file, ours, records);
  if (!relayout.run())
    return false;
  MutableArrayRef<uint8_t> wanted = relayout.result();
  ArrayRef<uint8_t> got = arrayRefFromStringRef(other.buffer().getBuffer());
  if (wanted.size() != got.size())
    return false;
  std::vector<uint8_t> copy(got);
  blankUnspecified(other, wanted);
  blankUnspecified(other, copy);
  return wanted == ArrayRef(copy);
}

} // namespace lld::cuda
