//===- Verify.cpp ---------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"
#include "lld-cuda/Object/DeviceCode.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/COFF.h"
#include "llvm/Object/COFFImportFile.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/xxhash.h"
#include <tuple>

using namespace llvm;
using namespace llvm::object;

namespace lld::cuda {

bool ImageMark::operator==(const ImageMark &o) const {
  return std::tie(place, target, flags, size, hash) ==
         std::tie(o.place, o.target, o.flags, o.size, o.hash);
}

namespace {

class Lister final : public DeviceCodeVisitor {
public:
  using Filter = function_ref<bool(const FatbinEntry &, StringRef)>;
  explicit Lister(Filter keep) : keep(keep) {}

  void part(const DevicePart &part) override {
    const std::string place = (part.label + "(" + part.section + ")").str();
    if (part.kind != DevicePart::Fatbin) {
      images.push_back({place, "", 0, part.data.size(), xxh3_64bits(part.data),
                        part.data.data(), 0});
      return;
    }
    Expected<FatbinReader> fatbin = FatbinReader::create(part.data);
    if (!fatbin)
      return error(part.label, fatbin.takeError());
    for (const FatbinEntry &entry : fatbin->entries())
      if (keep(entry, part.section))
        images.push_back({place, getTargetName(entry), entry.flags,
                          entry.payload.size(), xxh3_64bits(entry.payload),
                          entry.payload.data(), entry.imageOffset});
  }

  void error(StringRef label, Error e) override {
    failure =
        joinErrors(std::move(failure),
                   createStringError(label + ": " + toString(std::move(e))));
  }

  std::vector<ImageMark> images;
  Error failure = Error::success();

private:
  Filter keep;
};

} // namespace

Expected<std::vector<ImageMark>>
listImages(MemoryBufferRef file,
           function_ref<bool(const FatbinEntry &, StringRef)> keep) {
  Lister lister(keep);
  visitDeviceCode(file, lister);
  if (lister.failure)
    return std::move(lister.failure);
  return std::move(lister.images);
}

Error checkImages(MemoryBufferRef written, ArrayRef<ImageMark> expected) {
  Expected<std::vector<ImageMark>> images =
      listImages(written, [](const FatbinEntry &, StringRef) { return true; });
  if (!images)
    return images.takeError();
  for (size_t i = 0; i < std::min(images->size(), expected.size()); ++i)
    if (!((*images)[i] == expected[i]))
      return createStringError(
          "an image that should stay, of " + expected[i].place + " for " +
          expected[i].target +
          ", isn't in what was written, which has one of " +
          (*images)[i].place);
  if (images->size() != expected.size())
    return createStringError("what was written has " + Twine(images->size()) +
                             " images in place of " + Twine(expected.size()));
  return Error::success();
}

template <class ELFT> static Error checkTables(StringRef data) {
  Expected<ELFFile<ELFT>> elf = ELFFile<ELFT>::create(data);
  if (!elf)
    return elf.takeError();
  Expected<typename ELFT::ShdrRange> sections = elf->sections();
  if (!sections)
    return sections.takeError();
  for (const typename ELFT::Shdr &section : *sections) {
    if (section.sh_type != ELF::SHT_SYMTAB &&
        section.sh_type != ELF::SHT_DYNSYM)
      continue;
    Expected<typename ELFT::SymRange> symbols = elf->symbols(&section);
    if (!symbols)
      return symbols.takeError();
    Expected<StringRef> names =
        elf->getStringTableForSymtab(section, *sections);
    if (!names)
      return names.takeError();
  }
  return Error::success();
}

/// LLVM steps over auxiliary records without a look at the table's end.
static Error checkCoffSymbols(StringRef data) {
  Expected<std::unique_ptr<COFFObjectFile>> file =
      COFFObjectFile::create(MemoryBufferRef(data, "object"));
  if (!file)
    return file.takeError();
  for (uint32_t i = 0, count = (*file)->getNumberOfSymbols(); i < count;) {
    Expected<COFFSymbolRef> symbol = (*file)->getSymbol(i);
    if (!symbol)
      return symbol.takeError();
    Expected<StringRef> name = (*file)->getSymbolName(*symbol);
    if (!name)
      return name.takeError();
    if (symbol->getNumberOfAuxSymbols() >= count - i)
      return createStringError("the symbol table is damaged");
    i += 1 + symbol->getNumberOfAuxSymbols();
  }
  return Error::success();
}

/// A symbol's name and a library's stand behind the header.
static Error checkCoffImport(StringRef data) {
  constexpr size_t Strings = 2;
  if (data.size() < sizeof(coff_import_header) ||
      data.drop_front(sizeof(coff_import_header)).count('\0') < Strings)
    return createStringError("the import is damaged");
  return Error::success();
}

Error checkSymbolTables(StringRef file) {
  switch (identify_magic(file)) {
  case file_magic::coff_object:
    return checkCoffSymbols(file);
  case file_magic::coff_import_library:
    return checkCoffImport(file);
  default:
    break;
  }
  if (file.size() < ELF::EI_NIDENT || !file.starts_with(ELF::ElfMagic))
    return Error::success();
  const bool is64 = file[ELF::EI_CLASS] == ELF::ELFCLASS64;
  if (file[ELF::EI_DATA] == ELF::ELFDATA2MSB)
    return is64 ? checkTables<ELF64BE>(file) : checkTables<ELF32BE>(file);
  return is64 ? checkTables<ELF64LE>(file) : checkTables<ELF32LE>(file);
}

/// Section names and hashes of contents, but those that hold fatbins.
static Expected<std::vector<std::pair<std::string, uint64_t>>>
listSections(StringRef data) {
  Expected<std::unique_ptr<ObjectFile>> file =
      ObjectFile::createObjectFile(MemoryBufferRef(data, "object"));
  if (!file)
    return file.takeError();
  std::vector<std::pair<std::string, uint64_t>> list;
  for (const SectionRef &section : (*file)->sections()) {
    Expected<StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    Expected<StringRef> contents = section.getContents();
    if (!contents)
      return contents.takeError();
    const bool isFatbin = *name == ".nv_fatbin" || *name == "__nv_relfatbin";
    list.emplace_back(name->str(), isFatbin ? 0 : xxh3_64bits(*contents));
  }
  return list;
}

Error checkSections(StringRef before, StringRef after) {
  auto a = listSections(before), b = listSections(after);
  if (!a || !b)
    return joinErrors(a.takeError(), b.takeError());
  if (a->size() != b->size())
    return createStringError("the number of sections has changed");
  for (const auto &[before, after] : zip(*a, *b))
    if (before != after)
      return createStringError("section '" + before.first + "' has changed");
  return Error::success();
}

} // namespace lld::cuda
