//===- ShortenObject.cpp - An object with a shorter section ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes an ELF host object with another size of one section, after cubin-prune
/// has removed images from the fatbin in it. PruneFile.cpp calls
/// shortenSection() for objects and members of archives; ShortenCoff.cpp is for
/// those of Windows. What is behind the section moves forward as far as
/// alignments allow, and the ELF headers are corrected: where sections and
/// their table are. Nothing else in a relocatable object depends on where
/// sections are in the file. An object that isn't laid out as a compiler lays
/// it out is refused.
///
//===----------------------------------------------------------------------===//

#include "ShortenObject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"
#include <tuple>
#include <vector>

using namespace llvm;
using namespace llvm::object;

namespace lld::cuda {

/// Index of the section whose contents begin with the fatbin, or 0.
template <class ELFT>
static size_t findSection(typename ELFT::ShdrRange sections, uint64_t offset,
                          uint64_t size) {
  for (size_t i = 1; i < sections.size(); ++i)
    if (sections[i].sh_type != ELF::SHT_NOBITS &&
        sections[i].sh_offset == offset && sections[i].sh_size >= size)
      return i;
  return 0;
}

namespace {
/// A part of the file after the fatbin: a section, or the section table.
struct Item {
  uint64_t offset, size, align;
  size_t section; ///< 0: the table.
};
} // namespace

/// Returns the parts that begin at `end` or after it, in order. Fails if any
/// other part overlaps the bytes from `begin` to `end`.
template <class ELFT>
static Expected<std::vector<Item>> listItems(typename ELFT::ShdrRange sections,
                                             uint64_t table, uint64_t begin,
                                             uint64_t end) {
  std::vector<Item> items;
  auto add = [&](Item item) {
    if (item.offset < end)
      return item.offset + item.size <= begin || item.offset == begin;
    items.push_back(item);
    return true;
  };
  bool isFine = add({table, sections.size() * sizeof(typename ELFT::Shdr),
                     sizeof(uint64_t), 0});
  for (size_t i = 1; i < sections.size(); ++i) {
    const auto &section = sections[i];
    const bool hasBytes = section.sh_type != ELF::SHT_NOBITS;
    const uint64_t align = std::max<uint64_t>(section.sh_addralign, 1);
    isFine &= isPowerOf2_64(align) &&
              add({section.sh_offset, hasBytes ? uint64_t(section.sh_size) : 0,
                   align, i});
  }
  if (!isFine)
    return createStringError(
        "its sections aren't laid out as a compiler lays them out");
  stable_sort(items, [](const Item &a, const Item &b) {
    return std::tie(a.offset, a.size) < std::tie(b.offset, b.size);
  });
  return items;
}

template <class ELFT>
static Expected<SmallVector<char, 0>>
shorten(StringRef file, const EmbeddedFatbin &old, StringRef contents) {
  Expected<ELFFile<ELFT>> elf = ELFFile<ELFT>::create(file);
  if (!elf)
    return elf.takeError();
  Expected<typename ELFT::ShdrRange> sections = elf->sections();
  if (!sections)
    return sections.takeError();
  const size_t index =
      findSection<ELFT>(*sections, old.offset, old.data.size());
  if (!index)
    return createStringError("the fatbin isn't at the start of its section");
  const uint64_t begin = old.offset, end = begin + (*sections)[index].sh_size;
  uint64_t table = elf->getHeader().e_shoff;
  Expected<std::vector<Item>> items =
      listItems<ELFT>(*sections, table, begin, end);
  if (!items)
    return items.takeError();

  SmallVector<char, 0> out(file.begin(), file.begin() + begin);
  out.append(contents.begin(), contents.end());
  std::vector<uint64_t> offsets(sections->size());
  for (const Item &item : *items) {
    const uint64_t at = alignTo(out.size(), item.align);
    const bool mayMoveDown = contents.size() > end - begin;
    if ((at > item.offset && !mayMoveDown) || item.offset > file.size() ||
        item.size > file.size() - item.offset)
      return createStringError(
          "its sections aren't laid out as a compiler lays them out");
    if (item.size)
      out.resize(at, '\0');
    StringRef bytes = file.substr(item.offset, item.size);
    out.append(bytes.begin(), bytes.end());
    (item.section ? offsets[item.section] : table) = at;
  }
  auto &header = *reinterpret_cast<typename ELFT::Ehdr *>(out.data());
  header.e_shoff = table;
  auto *headers = reinterpret_cast<typename ELFT::Shdr *>(out.data() + table);
  for (size_t i = 1; i != sections->size(); ++i)
    if (offsets[i])
      headers[i].sh_offset = offsets[i];
  headers[index].sh_size = contents.size();
  return out;
}

Expected<SmallVector<char, 0>>
shortenSection(StringRef file, const EmbeddedFatbin &old, StringRef contents) {
  const bool is64 = file[ELF::EI_CLASS] == ELF::ELFCLASS64;
  if (file[ELF::EI_DATA] == ELF::ELFDATA2MSB)
    return is64 ? shorten<ELF64BE>(file, old, contents)
                : shorten<ELF32BE>(file, old, contents);
  return is64 ? shorten<ELF64LE>(file, old, contents)
              : shorten<ELF32LE>(file, old, contents);
}

} // namespace lld::cuda
