//===- ImageList.cpp - The images of a file that is compared --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lists the images (cubins, PTX) of a file that cubin-diff compares.
/// CompareFiles.cpp walks each of the two files twice. listImages() unpacks
/// each image for a moment and keeps its size, a hash of its bytes, and a hash
/// of its kernels' names, by which images are paired (Pairs.h). openImages()
/// walks again and gives the bytes of those that differ. An image is known by
/// its position among a file's images, so both walks count the same images. The
/// hash of names is a sum over symbols, and hashes in names are left out, so
/// neither another order nor another build changes it.
///
//===----------------------------------------------------------------------===//

#include "ImageList.h"
#include "StableNames.h"
#include "lld-cuda/Finished/Files.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Support/Limits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace lld::cuda {

static StringRef formName(ImageForm form) {
  switch (form) {
  case ImageForm::Cubin:
    return "cubin";
  case ImageForm::PTX:
    return "PTX";
  case ImageForm::LTOIR:
    return "LTO IR";
  case ImageForm::TileIR:
    return "Tile IR";
  case ImageForm::Other:
    return "image";
  }
  llvm_unreachable("all forms are covered");
}

std::string ListedImage::describe() const {
  std::string text;
  for (const std::string *part : {&file, &member, &identifier})
    if (!part->empty())
      text += *part + ": ";
  if (!target.empty())
    text += target + " ";
  return text + formName(form).str();
}

static uint64_t unpackLimit() {
  return getMemoryLimit().value_or(decompressLimit());
}

/// A hash of the names by which a cubin can be told from others.
static Expected<uint64_t> hashNames(StringRef data) {
  Expected<CubinFile> file = CubinFile::create(MemoryBufferRef(data, ""));
  if (!file)
    return file.takeError();
  // Sums, since symbols come in any order.
  uint64_t kernels = 0, functions = 0;
  for (const Elf_Sym &symbol : file->symtab().symbols) {
    if (symbol.getType() != elf::STT_FUNC || symbol.st_shndx == elf::SHN_UNDEF)
      continue;
    const uint64_t hash =
        xxh3_64bits(withoutHashes(file->symtab().name(symbol)));
    (symbol.st_other & elf::STO_CUDA_ENTRY ? kernels : functions) += hash;
  }
  return kernels ? kernels : functions;
}

static std::string temporaryFolder() {
  SmallString<128> folder;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  return folder.str().str();
}

namespace {

/// Lists the images of one file.
class ImageLister final : public ImageVisitor {
public:
  ImageLister(StringRef label, bool isAsked, bool isMapped, ErrorReport report,
              std::vector<ListedImage> &list)
      : label(label), isAsked(isAsked), isMapped(isMapped), report(report),
        list(list) {}

  void image(FoundImage found, bool isKept) override {
    ListedImage &listed = list.emplace_back();
    if (!isAsked)
      listed.file = label.str();
    listed.member =
        StringRef(found.member).drop_front(label.size()).ltrim(':').str();
    listed.target = found.target;
    listed.form = found.form;
    listed.position = position++;
    if (found.isEntry)
      listed.identifier = found.entry.identifier.str();
    if (Error e = look(found, listed)) {
      report(listed.describe(), std::move(e));
      list.pop_back();
    }
    if (isKept && isMapped)
      forgetPages(found.data);
  }

  void error(StringRef where, Error e) override { report(where, std::move(e)); }

private:
  /// Notes what needs the image's bytes: their hash, and the kernels' names.
  static Error look(const FoundImage &found, ListedImage &listed) {
    SmallVector<uint8_t, 0> storage;
    Expected<StringRef> data = unpackImage(found, unpackLimit(), storage);
    if (!data)
      return data.takeError();
    listed.size = data->size();
    listed.hash = BLAKE3::hash<16>(arrayRefFromStringRef(*data));
    if (found.form != ImageForm::Cubin)
      return Error::success();
    Expected<uint64_t> names = hashNames(*data);
    if (!names)
      return names.takeError();
    listed.names = *names;
    return Error::success();
  }

  StringRef label;
  bool isAsked, isMapped;
  ErrorReport report;
  std::vector<ListedImage> &list;
  uint32_t position = 0;
};

class FileLister final : public FileVisitor {
public:
  explicit FileLister(ErrorReport report) : report(report) {}

  void file(const MemoryBuffer &buffer, StringRef label,
            bool isAsked) override {
    if (!labels.insert(label).second)
      return error(label, createStringError("two members have this name"));
    ImageLister lister(label, isAsked,
                       buffer.getBufferKind() ==
                           MemoryBuffer::MemoryBuffer_MMap,
                       report, list);
    visitImages(MemoryBufferRef(buffer.getBuffer(), label), lister);
  }

  void error(StringRef label, Error e) override { report(label, std::move(e)); }

  std::vector<ListedImage> list;

private:
  ErrorReport report;
  StringSet<> labels;
};

} // namespace

std::vector<ListedImage> listImages(const MemoryBuffer &contents,
                                    StringRef path, ErrorReport report) {
  FileLister lister(report);
  visitContents(contents, path, {temporaryFolder(), getMemoryLimit()}, lister);
  return std::move(lister.list);
}

//===----------------------------------------------------------------------===//
// The second walk
//===----------------------------------------------------------------------===//

Expected<StringRef> OpenImages::read(uint32_t position,
                                     SmallVectorImpl<uint8_t> &storage) const {
  if (position >= entries.size())
    return createStringError("the file was written to while it was read");
  const Entry &entry = entries[position];
  if (!entry.copy.empty())
    return StringRef(entry.copy);
  return unpackImage(entry.image, unpackLimit(), storage);
}

class ImageOpener final : public ImageVisitor {
public:
  void image(FoundImage found, bool isKept) override {
    OpenImages::Entry &entry = images.entries.emplace_back();
    entry.image = std::move(found);
    if (isKept)
      return;
    SmallVector<uint8_t, 0> storage;
    if (Expected<StringRef> data =
            unpackImage(entry.image, unpackLimit(), storage))
      entry.copy = data->str();
    else
      consumeError(data.takeError()); // The first walk has told it.
    entry.image.data = {};
  }
  void error(StringRef, Error e) override { consumeError(std::move(e)); }

  OpenImages images;
};

namespace {

class FileOpener final : public FileVisitor {
public:
  FileOpener(const std::set<std::string> &wanted,
             function_ref<void(StringRef, const OpenImages &)> visit)
      : wanted(wanted), visit(visit) {}

  void file(const MemoryBuffer &buffer, StringRef label,
            bool isAsked) override {
    const std::string name = isAsked ? "" : label.str();
    if (!wanted.count(name))
      return;
    ImageOpener opener;
    visitImages(MemoryBufferRef(buffer.getBuffer(), label), opener);
    visit(name, opener.images);
  }

  void error(StringRef, Error e) override { consumeError(std::move(e)); }

private:
  const std::set<std::string> &wanted;
  function_ref<void(StringRef, const OpenImages &)> visit;
};

} // namespace

void openImages(const MemoryBuffer &contents, StringRef path,
                const std::set<std::string> &wanted,
                function_ref<void(StringRef, const OpenImages &)> visit) {
  FileOpener opener(wanted, visit);
  FileOptions options{temporaryFolder(), getMemoryLimit()};
  options.wantsMember = [&](const std::string &label) {
    return wanted.count(label) != 0;
  };
  visitContents(contents, path, options, opener);
}

} // namespace lld::cuda
