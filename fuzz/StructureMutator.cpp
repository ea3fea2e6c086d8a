//===- StructureMutator.cpp - Mutations that keep a file's structure ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Changes a cubin, fatbin, host object or archive so that its structure is
/// kept. FileMutator.cpp and LinkMutator.cpp call mutateStructure() when
/// libFuzzer wants a new input, the program structure-mutator for
/// utils/hostile. Random bytes rarely get past the readers' checks. These
/// mutations change one field of one record to a value that has a meaning
/// there: another section's index, another symbol's, a type that exists, a size
/// near a limit.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "lld-cuda/BinaryFormat/ELF.h"
#include "lld-cuda/BinaryFormat/Relocations.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/Fatbin.h"
#include "lld-cuda/Object/HostObject.h"
#include <random>

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda::fuzz {
namespace {

constexpr uint32_t SectionTypes[] = {
    SHT_NULL,   SHT_PROGBITS, SHT_SYMTAB,       SHT_STRTAB,
    SHT_RELA,   SHT_NOTE,     SHT_NOBITS,       SHT_REL,
    0x70000006, 0x70000010,   SHT_SYMTAB_SHNDX,
#define CUDA_SECTION_TYPE(NAME, VALUE, NOBITS, DESCRIPTION) NAME,
#include "lld-cuda/BinaryFormat/SectionTypes.def"
};

constexpr uint8_t SymbolTypes[] = {
    STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_SECTION, STT_FILE,
#define CUDA_SYMBOL_TYPE(NAME, VALUE, DESCRIPTION) VALUE,
#include "lld-cuda/BinaryFormat/SymbolTypes.def"
};

class Mutator {
public:
  Mutator(MutableArrayRef<char> bytes, uint64_t seed)
      : bytes(bytes), random(seed) {}
  bool run();

private:
  uint64_t below(uint64_t n) { return n ? random() % n : 0; }
  uint64_t interesting();
  template <typename T> T *at(uint64_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
      return nullptr;
    return reinterpret_cast<T *>(bytes.data() + offset);
  }
  template <typename T> MutableArrayRef<T> table(uint64_t offset, size_t count);
  MutableArrayRef<char> contents(const Elf_Shdr &shdr);
  const Elf_Shdr *pick(function_ref<bool(const Elf_Shdr &)> wanted);

  bool mutateELF();
  bool mutateHeader();
  bool mutateSection();
  bool mutateSymbol();
  bool mutateRelocation();
  bool mutateWords();
  bool mutateName();
  bool mutateFatbin();
  void mutateEntryHeader(uint64_t entry);
  template <typename T> void setField(T &field, uint64_t value) {
    field = typename T::value_type(value);
  }

  MutableArrayRef<char> bytes;
  std::mt19937_64 random;
  MutableArrayRef<Elf_Shdr> sections;
};

uint64_t Mutator::interesting() {
  static constexpr uint64_t values[] = {
      0,           1,          2,          3,          4,          7,
      8,           15,         16,         0xff,       0xfff1,     0xfff2,
      0xffff,      0x10000,    0x10001,    0x7fffffff, 0x80000000, 0xffffffff,
      0x100000000, 1ull << 40, 1ull << 62, 1ull << 63, ~0ull,      ~0ull - 7};
  switch (below(4)) {
  case 0:
    return values[below(std::size(values))];
  case 1:
    return uint64_t(1) << below(64);
  case 2:
    return random() >> below(64);
  default:
    return below(bytes.size() + 16);
  }
}

template <typename T>
MutableArrayRef<T> Mutator::table(uint64_t offset, size_t count) {
  if (offset > bytes.size())
    return {};
  count = std::min<size_t>(count, (bytes.size() - offset) / sizeof(T));
  return {reinterpret_cast<T *>(bytes.data() + offset), count};
}

MutableArrayRef<char> Mutator::contents(const Elf_Shdr &shdr) {
  if (isNoBits(shdr.sh_type, shdr.sh_flags))
    return {};
  return table<char>(shdr.sh_offset, shdr.sh_size);
}

const Elf_Shdr *Mutator::pick(function_ref<bool(const Elf_Shdr &)> wanted) {
  if (sections.empty())
    return nullptr;
  size_t start = below(sections.size());
  for (size_t i = 0; i != sections.size(); ++i) {
    const Elf_Shdr &shdr = sections[(start + i) % sections.size()];
    if (wanted(shdr))
      return &shdr;
  }
  return nullptr;
}

bool Mutator::mutateHeader() {
  auto &header = *at<Elf_Ehdr>(0);
  switch (below(8)) {
  case 0:
    header.e_flags = uint32_t(header.e_flags) ^ 1u << below(32);
    return true;
  case 1:
    setField(header.e_type, below(2) ? below(5) : interesting());
    return true;
  case 2:
    setField(header.e_shnum, uint64_t(header.e_shnum) + below(5) - 2);
    return true;
  case 3:
    setField(header.e_shstrndx, below(sections.size() + 1));
    return true;
  case 4:
    setField(header.e_shoff, interesting());
    return true;
  case 5: {
    static constexpr uint8_t numbers[] = {75, 80, 86, 89, 90, 100, 103, 120};
    header.e_flags = (uint32_t(header.e_flags) & ~0xff00u) |
                     numbers[below(std::size(numbers))] << 8;
    return true;
  }
  default:
    bytes[below(sizeof(Elf_Ehdr))] = char(interesting());
    return true;
  }
}

bool Mutator::mutateSection() {
  if (sections.size() < 2)
    return false;
  Elf_Shdr &shdr = sections[1 + below(sections.size() - 1)];
  Elf_Shdr &other = sections[below(sections.size())];
  switch (below(14)) {
  case 0:
    setField(shdr.sh_type, SectionTypes[below(std::size(SectionTypes))]);
    return true;
  case 1:
    shdr.sh_type = other.sh_type;
    return true;
  case 2:
    shdr.sh_name = other.sh_name;
    return true;
  case 3:
    shdr.sh_flags = uint64_t(shdr.sh_flags) ^ uint64_t(1) << below(32);
    return true;
  case 4:
    shdr.sh_flags = other.sh_flags;
    return true;
  case 5:
    setField(shdr.sh_info, below(sections.size() + 1));
    return true;
  case 6:
    setField(shdr.sh_info, interesting());
    return true;
  case 7:
    setField(shdr.sh_link, below(sections.size() + 1));
    return true;
  case 8:
    setField(shdr.sh_addralign, uint64_t(1) << below(36));
    return true;
  case 9:
    setField(shdr.sh_size, interesting());
    return true;
  case 10:
    setField(shdr.sh_size, below(uint64_t(shdr.sh_size) + 32));
    return true;
  case 11:
    setField(shdr.sh_offset,
             below(2) ? uint64_t(other.sh_offset) : below(bytes.size()));
    return true;
  case 12:
    std::swap(shdr, other);
    return true;
  default:
    shdr = other;
    return true;
  }
}

bool Mutator::mutateSymbol() {
  const Elf_Shdr *shdr = pick([](const Elf_Shdr &s) {
    return s.sh_type == SHT_SYMTAB || s.sh_type == SHT_CUDA_MERC_SYMTAB;
  });
  if (!shdr)
    return false;
  auto symbols =
      table<Elf_Sym>(shdr->sh_offset, shdr->sh_size / sizeof(Elf_Sym));
  if (symbols.empty())
    return false;
  Elf_Sym &sym = symbols[below(symbols.size())];
  Elf_Sym &other = symbols[below(symbols.size())];
  switch (below(10)) {
  case 0:
    sym.st_name = other.st_name;
    return true;
  case 1:
    sym.setBindingAndType(below(3), sym.getType());
    return true;
  case 2:
    sym.setBindingAndType(sym.getBinding(),
                          SymbolTypes[below(std::size(SymbolTypes))]);
    return true;
  case 3:
    sym.st_other ^= 1 << below(8);
    return true;
  case 4:
    setField(sym.st_shndx, below(sections.size() + 1));
    return true;
  case 5: {
    static constexpr uint16_t reserved[] = {SHN_UNDEF, SHN_ABS, SHN_COMMON,
                                            SHN_XINDEX};
    setField(sym.st_shndx, reserved[below(std::size(reserved))]);
    return true;
  }
  case 6:
    setField(sym.st_value, interesting());
    return true;
  case 7:
    setField(sym.st_size, interesting());
    return true;
  case 8:
    std::swap(sym, other);
    return true;
  default:
    sym = other;
    return true;
  }
}

bool Mutator::mutateRelocation() {
  const Elf_Shdr *shdr = pick([](const Elf_Shdr &s) {
    return s.sh_type == SHT_REL || s.sh_type == SHT_RELA ||
           s.sh_type == SHT_CUDA_MERC_RELA;
  });
  if (!shdr)
    return false;
  // The two kinds begin alike.
  size_t size = shdr->sh_type == SHT_REL ? sizeof(Elf_Rel) : sizeof(Elf_Rela);
  size_t count = shdr->sh_size / size;
  uint64_t offset = shdr->sh_offset + size * below(count);
  Elf_Rel *entry = count ? at<Elf_Rel>(offset) : nullptr;
  if (!entry)
    return false;
  constexpr unsigned CudaTypes = 128, MercuryTypes = 64;
  switch (below(4)) {
  case 0:
    setField(entry->r_offset,
             below(2) ? interesting() : entry->r_offset + below(33) - 16);
    return true;
  case 1:
    entry->setSymbol(below(64), false);
    return true;
  case 2:
    entry->setType(below(2) ? below(CudaTypes)
                            : R_MERCURY_NONE + below(MercuryTypes),
                   false);
    return true;
  default:
    if (auto *rela = at<Elf_Rela>(offset); rela && size == sizeof(Elf_Rela))
      rela->r_addend = int64_t(interesting());
    return true;
  }
}

/// Records whose fields are words: attributes, call graph, notes, and so on.
bool Mutator::mutateWords() {
  const Elf_Shdr *shdr = pick([](const Elf_Shdr &s) {
    switch (s.sh_type) {
    case SHT_CUDA_INFO:
    case SHT_CUDA_MERC_INFO:
    case SHT_CUDA_CALLGRAPH:
    case SHT_CUDA_PROTOTYPE:
    case SHT_CUDA_COMPAT_INFO:
    case SHT_CUDA_CAPMERC:
    case SHT_SYMTAB_SHNDX:
    case SHT_NOTE:
      return true;
    default:
      return s.sh_type == SHT_PROGBITS && !(s.sh_flags & SHF_ALLOC);
    }
  });
  MutableArrayRef<char> data = shdr ? contents(*shdr) : MutableArrayRef<char>();
  if (data.size() < 4)
    return false;
  size_t word = below(data.size() / 4) * 4;
  auto &field = *reinterpret_cast<support::ulittle32_t *>(data.data() + word);
  switch (below(5)) {
  case 0:
    setField(field, below(64));
    return true;
  case 1:
    setField(field, interesting());
    return true;
  case 2:
    setField(field, uint32_t(-int32_t(1 + below(4))));
    return true;
  case 3: // A record's format and code.
    data[word + below(2)] = char(below(97));
    return true;
  default:
    std::memcpy(data.data() + word, data.data() + below(data.size() / 4) * 4,
                4);
    return true;
  }
}

/// Writes one section's name over another symbol's or section's.
bool Mutator::mutateName() {
  const Elf_Shdr *shdr =
      pick([](const Elf_Shdr &s) { return s.sh_type == SHT_STRTAB; });
  MutableArrayRef<char> data = shdr ? contents(*shdr) : MutableArrayRef<char>();
  if (data.empty())
    return false;
  static constexpr StringLiteral names[] = {
      ".text.",     ".nv.info",         ".nv.callgraph",   ".strtab",
      ".symtab",    ".nv.global",       ".nv.constant3",   ".debug_frame",
      ".nv.compat", ".nv_debug.shared", "__UFT",           ".nv.shared.",
      ".shstrtab",  ".nv.constant2.",   ".nv.merc.",       ".nv.capmerc.text.",
      "vprintf",    ".nv.constant0.",   ".note.nv.tkinfo", ".nv.rel.action"};
  size_t to = below(data.size());
  if (below(2)) {
    StringRef name = names[below(std::size(names))];
    std::memcpy(data.data() + to, name.data(),
                std::min(name.size(), data.size() - 1 - to));
  } else {
    data[to] = char(below(2) ? 0 : 'a' + below(26));
  }
  data.back() = 0;
  return true;
}

bool Mutator::mutateELF() {
  auto *header = at<Elf_Ehdr>(0);
  if (!header)
    return false;
  sections = table<Elf_Shdr>(header->e_shoff, header->e_shnum);
  switch (below(16)) {
  case 0:
    return mutateHeader();
  case 1:
  case 2:
  case 3:
  case 4:
    return mutateSection();
  case 5:
  case 6:
  case 7:
  case 8:
    return mutateSymbol();
  case 9:
  case 10:
    return mutateRelocation();
  case 11:
  case 12:
  case 13:
    return mutateWords();
  case 14:
    return mutateName();
  default: {
    // Changes a number anywhere in a section.
    const Elf_Shdr *shdr =
        pick([&](const Elf_Shdr &s) { return !contents(s).empty(); });
    if (!shdr)
      return false;
    MutableArrayRef<char> data = contents(*shdr);
    data[below(data.size())] = char(interesting());
    return true;
  }
  }
}

/// A fatbin: the container's headers, or the cubin in one of its entries.
bool Mutator::mutateFatbin() {
  constexpr size_t OuterSize = 16, EntrySize = 64;
  uint64_t offset = OuterSize;
  SmallVector<uint64_t, 8> entries;
  while (offset + EntrySize <= bytes.size() && entries.size() != 16) {
    entries.push_back(offset);
    uint64_t headerSize = *at<support::ulittle32_t>(offset + 4);
    uint64_t payload = *at<support::ulittle64_t>(offset + 8);
    if (headerSize < EntrySize || headerSize > bytes.size() ||
        payload > bytes.size())
      break;
    offset += headerSize + payload;
  }
  if (entries.empty() || below(8) == 0) {
    bytes[below(std::min<size_t>(bytes.size(), OuterSize))] =
        char(interesting());
    return true;
  }
  uint64_t entry = entries[below(entries.size())];
  uint64_t headerSize = *at<support::ulittle32_t>(entry + 4);
  if (below(4) && headerSize < bytes.size() - entry &&
      StringRef(bytes.data(), bytes.size())
          .substr(entry + headerSize)
          .starts_with(ElfMagic)) {
    bytes = bytes.drop_front(entry + headerSize);
    return mutateELF();
  }
  mutateEntryHeader(entry);
  return true;
}

/// One field: kind, sizes, architecture, flags, ...
void Mutator::mutateEntryHeader(uint64_t entry) {
  static constexpr struct {
    uint8_t offset, size;
  } fields[] = {{0, 2},  {2, 2},  {4, 4},  {8, 8},  {16, 4}, {20, 4}, {24, 2},
                {26, 2}, {28, 4}, {32, 4}, {36, 4}, {40, 8}, {48, 8}, {56, 8}};
  auto field = fields[below(std::size(fields))];
  char *at = bytes.data() + entry + field.offset;
  uint64_t value = interesting();
  switch (below(3)) {
  case 0: // Flags, or a size near the right one.
    at[below(field.size)] ^= char(1 << below(8));
    break;
  case 1:
    value = below(130);
    [[fallthrough]];
  default:
    for (unsigned i = 0; i != field.size; ++i)
      at[i] = char(value >> 8 * i);
  }
}

bool Mutator::run() {
  StringRef data(bytes.data(), bytes.size());
  constexpr uint32_t fatbinMagic = FatbinMagic;
  StringRef magic(reinterpret_cast<const char *>(&fatbinMagic), 4);
  if (data.starts_with(magic))
    return mutateFatbin();
  if (isCubin(data))
    return mutateELF();
  // Host objects and archives: mostly what is inside them.
  if (below(4) == 0)
    return data.starts_with(ElfMagic) && mutateELF();
  SmallVector<size_t, 8> inner;
  for (size_t p = 0; (p = data.find(magic, p)) != StringRef::npos; p += 4)
    inner.push_back(p);
  if (inner.empty())
    return data.starts_with(ElfMagic) && mutateELF();
  bytes = bytes.drop_front(inner[below(inner.size())]);
  return mutateFatbin();
}

} // namespace

bool mutateStructure(std::string &bytes, uint64_t seed) {
  return Mutator({bytes.data(), bytes.size()}, seed).run();
}

} // namespace lld::cuda::fuzz
