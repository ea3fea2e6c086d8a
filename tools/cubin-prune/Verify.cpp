//===- Verify.cpp - Reading back what was written -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-prune writes over files that may be the only copy, so it reads back
/// what it has written. pruneFile() calls listImages() before anything changes,
/// and main() calls checkImages() on the new file before that replaces the old
/// one: images must be the same in target, flags, size and hash, and in the
/// same order and place. checkSections() compares the host's sections of an
/// object that was made shorter, for which only sections of fatbins may differ.
///
//===----------------------------------------------------------------------===//

#include "Verify.h"
#include "lld-cuda/Object/CoffSections.h"
#include "lld-cuda/Object/DeviceCode.h"
#include "lld-cuda/Object/HostObject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
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
          "the check of the pruned file failed: the image of " +
          expected[i].place + " for " + expected[i].target +
          " should have been kept, but the file has one of " +
          (*images)[i].place);
  if (images->size() != expected.size())
    return createStringError("the check of the pruned file failed: it has " +
                             Twine(images->size()) + " images instead of " +
                             Twine(expected.size()));
  return Error::success();
}

namespace {

/// Section names and hashes of contents, but those that hold fatbins.
class SectionList {
public:
  void add(StringRef name, StringRef contents) {
    const bool isFatbin = name == ".nv_fatbin" || name == "__nv_relfatbin";
    list.emplace_back(name.str(), isFatbin ? 0 : xxh3_64bits(contents));
  }
  std::vector<std::pair<std::string, uint64_t>> list;
};

} // namespace

template <class ELFT>
static Error listElfSections(StringRef data, SectionList &list) {
  Expected<ELFFile<ELFT>> elf = ELFFile<ELFT>::create(data);
  if (!elf)
    return elf.takeError();
  Expected<typename ELFT::ShdrRange> sections = elf->sections();
  if (!sections)
    return sections.takeError();
  for (const typename ELFT::Shdr &section : *sections) {
    Expected<StringRef> name = elf->getSectionName(section);
    if (!name)
      return name.takeError();
    if (section.sh_type == ELF::SHT_NOBITS) {
      list.add(*name, "");
      continue;
    }
    Expected<ArrayRef<uint8_t>> contents = elf->getSectionContents(section);
    if (!contents)
      return contents.takeError();
    list.add(*name, toStringRef(*contents));
  }
  return Error::success();
}

static Error listCoffSections(StringRef data, SectionList &list) {
  Expected<CoffSections> sections = CoffSections::create(data);
  if (!sections)
    return sections.takeError();
  for (size_t i = 1; i != sections->size(); ++i) {
    Expected<StringRef> name = sections->name(i);
    if (!name)
      return name.takeError();
    Expected<StringRef> contents = sections->contents(i, *name);
    if (!contents)
      return contents.takeError();
    list.add(*name, *contents);
  }
  return Error::success();
}

/// Lists the sections of an ELF or COFF object.
static Error listSections(StringRef data, SectionList &list) {
  if (isCoffObject(data))
    return listCoffSections(data, list);
  if (data.size() < ELF::EI_NIDENT)
    return createStringError("no object");
  const bool is64 = data[ELF::EI_CLASS] == ELF::ELFCLASS64;
  if (data[ELF::EI_DATA] == ELF::ELFDATA2MSB)
    return is64 ? listElfSections<ELF64BE>(data, list)
                : listElfSections<ELF32BE>(data, list);
  return is64 ? listElfSections<ELF64LE>(data, list)
              : listElfSections<ELF32LE>(data, list);
}

Error checkSections(StringRef before, StringRef after) {
  SectionList a, b;
  if (Error e = joinErrors(listSections(before, a), listSections(after, b)))
    return e;
  if (a.list.size() != b.list.size())
    return createStringError("the number of sections has changed");
  for (const auto &[before, after] : zip(a.list, b.list))
    if (before != after)
      return createStringError("section '" + before.first + "' has changed");
  return Error::success();
}

} // namespace lld::cuda
