//===- HostObject.cpp - Reads device code of host objects -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the sections by which the host compiler hands device code and names to
/// the device linker, in ELF and COFF objects. The linker calls
/// HostObject::create() for each host object among its inputs and library
/// members (InputStore.cpp, UnpackFiles.cpp); cubin-dump and cubin-prune for
/// objects that they look into. Only the section table and its names are read,
/// once and in order, since host objects can have tens of thousands of
/// sections. The fatbins of __nv_relfatbin count only if there is a section
/// .nvFatBinSegment too.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/HostObject.h"
#include "ObjectError.h"
#include "lld-cuda/BinaryFormat/ELF.h"
#include "lld-cuda/Object/CoffSections.h"
#include "lld-cuda/Object/Fatbin.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::object;

namespace lld::cuda {

char FatbinNotFound::ID;

void FatbinNotFound::log(raw_ostream &os) const { os << text; }

namespace {

using Loader = HostObject::Loader;

/// The section table of an ELF file of either class and byte order.
template <class ELFT> class SectionTable {
public:
  using Ehdr = typename ELFT::Ehdr;
  using Shdr = typename ELFT::Shdr;

  SectionTable(StringRef data, Loader load) : data(data), load(load) {}

  /// Finds the table and its names. A file without sections is fine.
  Error create() {
    auto &header = *reinterpret_cast<const Ehdr *>(data.data());
    uint64_t offset = header.e_shoff;
    if (!offset)
      return Error::success();
    uint16_t entrySize = header.e_shentsize;
    if (entrySize != sizeof(Shdr))
      return malformed("size of a section header is {0} instead of {1}",
                       entrySize, sizeof(Shdr));
    if (!isInside(offset, sizeof(Shdr), data.size()))
      return malformed("section table at {0:x} is outside the file of {1:x} "
                       "bytes",
                       offset, data.size());
    if (load)
      load(data.substr(offset, sizeof(Shdr)));
    auto *first = reinterpret_cast<const Shdr *>(data.data() + offset);
    // Numbers that don't fit into the ELF header stand in the first section.
    uint64_t count = header.e_shnum;
    if (!count)
      count = first->sh_size;
    if (count > (data.size() - offset) / sizeof(Shdr))
      return malformed("section table at {0:x} with {1} sections extends past "
                       "the end of the file of {2:x} bytes",
                       offset, count, data.size());
    if (load)
      load(data.substr(offset, count * sizeof(Shdr)));
    list = ArrayRef(first, count);
    return findNames(header.e_shstrndx == ELF::SHN_XINDEX ? first->sh_link
                                                          : header.e_shstrndx);
  }

  size_t size() const { return list.size(); }

  Expected<StringRef> name(size_t index) const {
    uint32_t offset = list[index].sh_name;
    if (names.empty())
      return StringRef();
    if (offset >= names.size())
      return malformed("section {0}: name at {1:x} is outside the section "
                       "names of {2:x} bytes",
                       index, offset, names.size());
    return StringRef(names.data() + offset);
  }

  Expected<StringRef> contents(size_t index, StringRef name) const {
    const Shdr &section = list[index];
    if (section.sh_type == ELF::SHT_NOBITS)
      return StringRef();
    uint64_t offset = section.sh_offset, size = section.sh_size;
    if (!isInside(offset, size, data.size()))
      return malformed("section {0} ('{1}') at {2:x} of {3:x} bytes extends "
                       "past the end of the file of {4:x} bytes",
                       index, name, offset, size, data.size());
    StringRef contents = data.substr(offset, size);
    if (load)
      load(contents);
    return contents;
  }

private:
  Error findNames(uint32_t index) {
    if (index == ELF::SHN_UNDEF)
      return Error::success();
    if (index >= list.size())
      return malformed("section names should be in section {0}, but there are "
                       "only {1}",
                       index, list.size());
    Expected<StringRef> table = contents(index, "section names");
    if (!table)
      return table.takeError();
    names = *table;
    if (!names.empty() && names.back() != '\0')
      return malformed("section names in section {0} don't end with a NUL",
                       index);
    return Error::success();
  }

  StringRef data;
  Loader load;
  ArrayRef<Shdr> list;
  StringRef names;
};

/// Appends the fatbins of one __nv_relfatbin section.
Error splitFatbins(size_t index, StringRef contents,
                   std::vector<StringRef> &fatbins) {
  size_t offset = 0;
  do {
    Expected<uint64_t> size = getFatbinSize(contents.substr(offset));
    if (!size)
      return make_error<FatbinNotFound>(
          formatText("section {0} ('__nv_relfatbin'): offset {1:x}: {2}",
                     {index, offset, toString(size.takeError())}));
    fatbins.push_back(contents.substr(offset, *size));
    // `ld -r` aligns the next one with zeros.
    offset = contents.find_first_not_of('\0', offset + *size);
  } while (offset != StringRef::npos);
  return Error::success();
}

/// Returns the list into which a section's names are read, or null if it is no
/// such section.
std::optional<StringRef> *getNameList(HostObject &object, StringRef name) {
  return StringSwitch<std::optional<StringRef> *>(name)
      .Case("__nv_module_id", &object.moduleIds)
      .Case(".nvHRKE", &object.kernelsExternal)
      .Case(".nvHRKI", &object.kernelsInternal)
      .Case(".nvHRDE", &object.variablesExternal)
      .Case(".nvHRDI", &object.variablesInternal)
      .Case(".nvHRCE", &object.constantsExternal)
      .Case(".nvHRCI", &object.constantsInternal)
      .Default(nullptr);
}

/// Reads the sections of an ELF or COFF file. In both, section 0 doesn't exist.
template <class Sections>
Expected<HostObject> readSections(const Sections &sections) {
  HostObject object;
  object.fileType = ELF::ET_REL;
  SmallVector<std::pair<size_t, StringRef>, 1> fatbinSections;
  for (size_t i = 1, e = sections.size(); i < e; ++i) {
    Expected<StringRef> name = sections.name(i);
    if (!name)
      return name.takeError();
    if (*name == ".llvm.offloading") {
      Expected<StringRef> contents = sections.contents(i, *name);
      if (!contents)
        return contents.takeError();
      object.offloadSections.push_back(*contents);
      continue;
    }
    if (!name->starts_with(".nv") && !name->starts_with("__nv"))
      continue;
    if (*name == ".nvFatBinSegment") {
      object.hasFatbinSegment = true;
    } else if (*name == ".nv_fatbin") {
      object.hasWholeProgramFatbin = true;
    } else if (*name == "__nv_relfatbin") {
      object.hasRelocatableFatbin = true;
      Expected<StringRef> contents = sections.contents(i, *name);
      if (!contents)
        return contents.takeError();
      fatbinSections.emplace_back(i, *contents);
    } else if (*name == LayerSection) {
      object.isLayer = true;
    } else if (std::optional<StringRef> *list = getNameList(object, *name)) {
      Expected<StringRef> contents = sections.contents(i, *name);
      if (!contents)
        return contents.takeError();
      if (!*list)
        *list = *contents;
    }
  }
  if (object.hasFatbinSegment)
    for (auto [index, contents] : fatbinSections)
      if (Error error = splitFatbins(index, contents, object.fatbins))
        return error;
  return object;
}

template <class ELFT>
Expected<HostObject> readElf(StringRef data, Loader load) {
  if (data.size() < sizeof(typename ELFT::Ehdr))
    return malformed("ELF header of {0} bytes is cut off after {1} bytes",
                     sizeof(typename ELFT::Ehdr), data.size());
  HostObject object;
  object.fileType =
      reinterpret_cast<const typename ELFT::Ehdr *>(data.data())->e_type;
  if (object.fileType != ELF::ET_REL)
    return object;
  SectionTable<ELFT> sections(data, load);
  if (Error error = sections.create())
    return error;
  return readSections(sections);
}

Expected<HostObject> readCoff(StringRef data, Loader load) {
  if (load)
    load(data);
  Expected<CoffSections> sections = CoffSections::create(data);
  if (!sections)
    return sections.takeError();
  return readSections(*sections);
}

} // namespace

Expected<HostObject> HostObject::create(MemoryBufferRef buffer, Loader load) {
  StringRef data = buffer.getBuffer();
  if (load)
    load(data.take_front(sizeof(ELF64LE::Ehdr)));
  if (isCoffObject(data))
    return readCoff(data, load);
  if (isPeImage(data)) {
    // Only the type is read, as with a linked ELF file.
    HostObject object;
    object.fileType = CoffSections::getFileType(data);
    return object;
  }
  if (data.size() < ELF::EI_NIDENT || !data.starts_with(ELF::ElfMagic))
    return malformed("not an ELF file");
  const uint8_t fileClass = data[ELF::EI_CLASS], encoding = data[ELF::EI_DATA];
  if (fileClass != ELF::ELFCLASS32 && fileClass != ELF::ELFCLASS64)
    return malformed("ELF class {0} is neither 32 nor 64 bit", fileClass);
  if (encoding != ELF::ELFDATA2LSB && encoding != ELF::ELFDATA2MSB)
    return malformed("ELF byte order {0} is unknown", encoding);
  bool is64 = fileClass == ELF::ELFCLASS64;
  if (encoding == ELF::ELFDATA2LSB)
    return is64 ? readElf<ELF64LE>(data, load) : readElf<ELF32LE>(data, load);
  return is64 ? readElf<ELF64BE>(data, load) : readElf<ELF32BE>(data, load);
}

bool isHostObject(StringRef data) {
  constexpr size_t machineOffset = 18;
  if (data.size() < machineOffset + 2 || !data.starts_with(ELF::ElfMagic))
    return false;
  uint16_t machine =
      data[ELF::EI_DATA] == ELF::ELFDATA2MSB
          ? support::endian::read16be(data.data() + machineOffset)
          : support::endian::read16le(data.data() + machineOffset);
  return machine != ELF::EM_CUDA;
}

std::optional<Triple> getHost(StringRef data) {
  auto windows = [](StringRef arch) {
    return Triple(arch, "pc", "windows", "msvc");
  };
  if (isCoffObject(data))
    switch (CoffSections::getMachine(data)) {
    case COFF::IMAGE_FILE_MACHINE_AMD64:
      return windows("x86_64");
    case COFF::IMAGE_FILE_MACHINE_ARM64:
      return windows("aarch64");
    default:
      return std::nullopt;
    }
  constexpr size_t MachineOffset = 18;
  if (!data.starts_with(ELF::ElfMagic) || data.size() < MachineOffset + 2)
    return std::nullopt;
  auto elf = [](StringRef arch) {
    return Triple(arch, "unknown", "linux", "gnu");
  };
  switch (support::endian::read16le(data.data() + MachineOffset)) {
  case ELF::EM_X86_64:
    return elf("x86_64");
  case ELF::EM_AARCH64:
    return elf("aarch64");
  case ELF::EM_RISCV:
    return elf("riscv64");
  default:
    return std::nullopt;
  }
}

SmallVector<StringRef, 0> splitNames(StringRef list) {
  SmallVector<StringRef, 0> names;
  while (!list.empty()) {
    auto [name, rest] = list.split('\0');
    if (!name.empty())
      names.push_back(name);
    list = rest;
  }
  return names;
}

} // namespace lld::cuda
