//===- HostObject.cpp - Device code inside host objects ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the sections by which the host compiler hands device code and names to
/// the device linker. Only the section table and its names are looked at, once
/// and in order: host objects can have ten thousands of sections.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/HostObject.h"
#include "lld-cuda/BinaryFormat/ELF.h"
#include "lld-cuda/Object/Fatbin.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::object;

namespace lld::cuda {

char FatbinNotFound::ID;

void FatbinNotFound::log(raw_ostream &os) const { os << text; }

namespace {

std::string hex(uint64_t value) {
  return "0x" + utohexstr(value, /*LowerCase=*/true);
}

Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

bool isInside(uint64_t offset, uint64_t length, uint64_t size) {
  return offset <= size && length <= size - offset;
}

/// The section table of an ELF file of either class and byte order.
template <class ELFT> class SectionTable {
public:
  using Ehdr = typename ELFT::Ehdr;
  using Shdr = typename ELFT::Shdr;

  explicit SectionTable(StringRef data) : data(data) {}

  /// Finds the table and its names. A file without sections is fine.
  Error create() {
    auto &header = *reinterpret_cast<const Ehdr *>(data.data());
    uint64_t offset = header.e_shoff;
    if (!offset)
      return Error::success();
    if (header.e_shentsize != sizeof(Shdr))
      return fail("size of a section header is " + Twine(header.e_shentsize) +
                  " instead of " + Twine(sizeof(Shdr)));
    if (!isInside(offset, sizeof(Shdr), data.size()))
      return fail("section table at " + hex(offset) +
                  " is outside the file of " + hex(data.size()) + " bytes");
    auto *first = reinterpret_cast<const Shdr *>(data.data() + offset);
    // Numbers that don't fit into the ELF header stand in the first section.
    uint64_t count = header.e_shnum;
    if (!count)
      count = first->sh_size;
    if (count > (data.size() - offset) / sizeof(Shdr))
      return fail("section table at " + hex(offset) + " with " + Twine(count) +
                  " sections extends past the end of the file of " +
                  hex(data.size()) + " bytes");
    list = ArrayRef(first, count);
    uint32_t namesIndex = header.e_shstrndx;
    if (namesIndex == ELF::SHN_XINDEX)
      namesIndex = first->sh_link;
    if (namesIndex == ELF::SHN_UNDEF)
      return Error::success();
    if (namesIndex >= count)
      return fail("section names should be in section " + Twine(namesIndex) +
                  ", but there are only " + Twine(count));
    Expected<StringRef> contents = this->contents(namesIndex, "section names");
    if (!contents)
      return contents.takeError();
    names = *contents;
    if (!names.empty() && names.back() != '\0')
      return fail("section names in section " + Twine(namesIndex) +
                  " don't end with a NUL");
    return Error::success();
  }

  size_t size() const { return list.size(); }

  Expected<StringRef> name(size_t index) const {
    uint32_t offset = list[index].sh_name;
    if (names.empty())
      return StringRef();
    if (offset >= names.size())
      return fail("section " + Twine(index) + ": name at " + hex(offset) +
                  " is outside the section names of " + hex(names.size()) +
                  " bytes");
    return StringRef(names.data() + offset);
  }

  Expected<StringRef> contents(size_t index, StringRef name) const {
    const Shdr &section = list[index];
    if (section.sh_type == ELF::SHT_NOBITS)
      return StringRef();
    if (!isInside(section.sh_offset, section.sh_size, data.size()))
      return fail("section " + Twine(index) + " ('" + name + "') at " +
                  hex(section.sh_offset) + " of " + hex(section.sh_size) +
                  " bytes extends past the end of the file of " +
                  hex(data.size()) + " bytes");
    return data.substr(section.sh_offset, section.sh_size);
  }

private:
  StringRef data;
  ArrayRef<Shdr> list;
  StringRef names;
};

/// Appends the fatbins of one __nv_relfatbin section.
Error splitFatbins(size_t index, StringRef contents,
                   std::vector<StringRef> &fatbins) {
  auto failSection = [&](const Twine &message) {
    return make_error<FatbinNotFound>(
        ("section " + Twine(index) + " ('__nv_relfatbin'): " + message).str());
  };
  size_t offset = 0;
  do {
    Expected<uint64_t> size = getFatbinSize(contents.substr(offset));
    if (!size)
      return failSection("offset " + hex(offset) + ": " +
                         toString(size.takeError()));
    fatbins.push_back(contents.substr(offset, *size));
    // `ld -r` aligns the next one with zeros.
    offset = contents.find_first_not_of('\0', offset + *size);
  } while (offset != StringRef::npos);
  return Error::success();
}

/// Where the contents of a section with a list of names belong, if it is one.
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

template <class ELFT> Expected<HostObject> readObject(StringRef data) {
  if (data.size() < sizeof(typename ELFT::Ehdr))
    return fail("ELF header of " + Twine(sizeof(typename ELFT::Ehdr)) +
                " bytes is cut after " + Twine(data.size()) + " bytes");
  HostObject object;
  object.fileType =
      reinterpret_cast<const typename ELFT::Ehdr *>(data.data())->e_type;
  if (object.fileType != ELF::ET_REL)
    return object;

  SectionTable<ELFT> sections(data);
  if (Error error = sections.create())
    return error;
  SmallVector<std::pair<size_t, StringRef>, 1> fatbinSections;
  for (size_t i = 1, e = sections.size(); i < e; ++i) {
    Expected<StringRef> name = sections.name(i);
    if (!name)
      return name.takeError();
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

} // namespace

Expected<HostObject> HostObject::create(MemoryBufferRef buffer) {
  StringRef data = buffer.getBuffer();
  if (data.size() < ELF::EI_NIDENT || !data.starts_with(ELF::ElfMagic))
    return fail("no ELF file");
  unsigned fileClass = data[ELF::EI_CLASS], encoding = data[ELF::EI_DATA];
  if (fileClass != ELF::ELFCLASS32 && fileClass != ELF::ELFCLASS64)
    return fail("ELF class " + Twine(fileClass) + " is neither 32 nor 64 bit");
  if (encoding != ELF::ELFDATA2LSB && encoding != ELF::ELFDATA2MSB)
    return fail("ELF byte order " + Twine(encoding) + " is unknown");
  bool is64 = fileClass == ELF::ELFCLASS64;
  if (encoding == ELF::ELFDATA2LSB)
    return is64 ? readObject<ELF64LE>(data) : readObject<ELF32LE>(data);
  return is64 ? readObject<ELF64BE>(data) : readObject<ELF32BE>(data);
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
