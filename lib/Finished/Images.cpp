//===- Images.cpp - Images of device code in files that were shipped ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// ImageFinder takes the containers that visitDeviceCode() finds in a file (a
/// plain cubin, a fatbin, clang's offload binary) and shows a tool each image
/// in them. cubin-check, cubin-size and cubin-diff call it through
/// visitImages() for each file that they read, and cubin-dump does so for
/// --extract. For cubin-size it also divides the bytes of the file so that none
/// is counted twice: bytes of a container that belong to no image are counted
/// for the container, and if several images are compressed as one, all the
/// bytes are counted for the first image and none for the others. A damaged
/// container is reported, and the search continues after it.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Finished/Images.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/DeviceCode.h"
#include "lld-cuda/Object/OffloadBinary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lld::cuda {

namespace {

ImageForm getForm(FatbinKind kind) {
  switch (kind) {
  case FatbinKind::PTX:
    return ImageForm::PTX;
  case FatbinKind::LTOIR:
    return ImageForm::LTOIR;
  case FatbinKind::TileIR:
    return ImageForm::TileIR;
  case FatbinKind::ELF:
  case FatbinKind::Mercury:
  case FatbinKind::Concatenated:
    return ImageForm::Cubin;
  }
  return ImageForm::Other;
}

class ImageFinder final : public DeviceCodeVisitor {
public:
  ImageFinder(StringRef file, ImageVisitor &visitor)
      : mapped(file), visitor(visitor) {}

  void file(StringRef label, uint64_t size) override {
    visitor.member(label, size);
  }

  void part(const DevicePart &part) override {
    switch (part.kind) {
    case DevicePart::Cubin:
      return addCubin(part);
    case DevicePart::Fatbin:
      return addFatbin(part, part.data, part.data.size());
    case DevicePart::Offload:
      return addOffload(part);
    }
  }

  void zeros(StringRef label, uint64_t size) override { visitor.zeros(size); }

  void error(StringRef label, Error e) override {
    visitor.error(label, std::move(e));
  }

private:
  FoundImage makeImage(const DevicePart &part, StringRef data) {
    FoundImage image;
    image.member = part.label.str();
    image.data = data;
    image.stored = data.size();
    image.isInLinkedFile =
        part.hostType == ELF::ET_EXEC || part.hostType == ELF::ET_DYN;
    image.isForDeviceLink = part.section == "__nv_relfatbin";
    image.container = containers;
    image.containerOffset = part.offset;
    return image;
  }

  void add(const DevicePart &part, FoundImage image) {
    // A thin archive's member is closed again after this.
    const bool isKept =
        part.data.data() >= mapped.begin() && part.data.data() < mapped.end();
    visitor.image(std::move(image), isKept);
  }

  void addCubin(const DevicePart &part) {
    ++containers;
    visitor.container(part.data.size(), 0);
    FoundImage image = makeImage(part, part.data);
    image.form = ImageForm::Cubin;
    if (Expected<CubinFile> file =
            CubinFile::create(MemoryBufferRef(part.data, part.label)))
      image.target = "sm_" + utostr(file->smNumber());
    else
      consumeError(file.takeError());
    add(part, std::move(image));
  }

  /// `size`: the fatbin's, unless it has been counted with what is around it.
  void addFatbin(const DevicePart &part, StringRef data, uint64_t size) {
    ++containers;
    Expected<FatbinReader> fatbin = FatbinReader::create(data);
    if (!fatbin) {
      visitor.container(size, 0);
      visitor.unreadable(data.size());
      return visitor.error(part.label, fatbin.takeError());
    }
    uint64_t payloads = 0;
    const char *before = nullptr;
    std::vector<FoundImage> images;
    for (const FatbinEntry &entry : fatbin->entries()) {
      FoundImage image = makeImage(part, entry.payload);
      // Images of one compressed payload: all its bytes are the first one's.
      if (entry.isConcatenated && before == entry.payload.data())
        image.stored = 0;
      before = entry.payload.data();
      image.entry = entry;
      image.isEntry = true;
      image.form = getForm(entry.kind);
      image.target = getTargetName(entry);
      image.containerOffset += data.data() - part.data.data();
      payloads += image.stored;
      images.push_back(std::move(image));
    }
    visitor.container(size, data.size() - payloads);
    for (FoundImage &image : images)
      add(part, std::move(image));
  }

  void addOffload(const DevicePart &part) {
    const uint64_t size = part.data.size();
    Expected<std::vector<OffloadImage>> list = readOffloadImages(part.data);
    if (!list) {
      visitor.container(size, 0);
      visitor.unreadable(size);
      return visitor.error(part.label, list.takeError());
    }
    uint64_t sum = 0;
    for (const OffloadImage &offload : *list)
      sum += offload.data.size();
    visitor.container(size, size - std::min(sum, size));
    for (const OffloadImage &offload : *list) {
      if (offload.kind == OffloadKind::Fatbin) {
        addFatbin(part, offload.data, 0);
        continue;
      }
      ++containers;
      FoundImage image = makeImage(part, offload.data);
      image.target = offload.arch.str();
      image.form = isCubin(offload.data)              ? ImageForm::Cubin
                   : offload.kind == OffloadKind::PTX ? ImageForm::PTX
                                                      : ImageForm::Other;
      add(part, std::move(image));
    }
  }

  StringRef mapped;
  ImageVisitor &visitor;
  uint32_t containers = 0;
};

} // namespace

void visitImages(MemoryBufferRef file, ImageVisitor &visitor) {
  ImageFinder finder(file.getBuffer(), visitor);
  visitDeviceCode(file, finder);
}

Expected<StringRef> unpackImage(const FoundImage &image, uint64_t limit,
                                SmallVectorImpl<uint8_t> &storage) {
  if (!image.isEntry || !image.entry.isCompressed())
    return image.data;
  if (Error e = decompress(image.entry, limit, storage))
    return e;
  return toStringRef(ArrayRef(storage));
}

} // namespace lld::cuda
