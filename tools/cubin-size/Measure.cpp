//===- Measure.cpp - What the bytes of files are for ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-size's main() calls measure() for each path. Collector finds the
/// images of a file, readImage() unpacks and divides them on several threads,
/// 64 at a time so that memory stays bounded, and RowWriter turns them into
/// rows. All rows of a file add up to its size. For a compressed image, only
/// its size as a whole is known, so its parts get shares by their unpacked
/// sizes; each share is the difference of two rounded sums, which makes the
/// total exact.
///
/// If asked, it also compresses up to 4 MiB of linked code that isn't
/// compressed and estimates from that how many bytes compression would save.
///
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "lld-cuda/Finished/Files.h"
#include "lld-cuda/Finished/Images.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/FatbinWriter.h"
#include "lld-cuda/Support/Parallel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lld::cuda {

StringRef getKindName(HolderKind kind) {
  static constexpr StringLiteral names[] = {"linked code",
                                            "relocatable code",
                                            "relocatable code, left over",
                                            "PTX",
                                            "LTO IR",
                                            "Tile IR",
                                            "other image",
                                            "container",
                                            "zeros",
                                            "unreadable",
                                            "host"};
  return names[size_t(kind)];
}

namespace {

/// An image to be measured.
struct MeasuredImage : FoundImage {
  explicit MeasuredImage(FoundImage found) : FoundImage(std::move(found)) {}

  HolderKind kind = HolderKind::OtherImage;
  bool isPlainCode = false; ///< Linked, as it is, in a fatbin.
  bool isRead = false;
  uint64_t unpacked = 0;
  /// How many bytes are compressed as a sample (0 if none are), and to how many
  /// bytes they were compressed.
  uint64_t sample = 0, packedSample = 0;
  std::vector<CubinPart> parts;
  std::string error;
};

HolderKind getKind(ImageForm form) {
  switch (form) {
  case ImageForm::PTX:
    return HolderKind::PTX;
  case ImageForm::LTOIR:
    return HolderKind::LTOIR;
  case ImageForm::TileIR:
    return HolderKind::TileIR;
  case ImageForm::Cubin:
    return HolderKind::LinkedCubin; // Until it is read.
  case ImageForm::Other:
    break;
  }
  return HolderKind::OtherImage;
}

/// Whether it is linked code as it is; whether it is linked says its header.
static bool isPlainCode(const MeasuredImage &image) {
  constexpr size_t TypeOffset = 16;
  return image.isEntry && !image.entry.isCompressed() && isCubin(image.data) &&
         image.data.size() > TypeOffset + 1 &&
         support::endian::read16le(image.data.data() + TypeOffset) ==
             ELF::ET_EXEC;
}

/// Looks at one image; runs on any thread.
void readImage(MeasuredImage &image, const MeasureOptions &options) {
  image.isRead = true;
  SmallVector<uint8_t, 0> decoded;
  Expected<StringRef> unpacked = unpackImage(
      image, options.memoryLimit.value_or(decompressLimit()), decoded);
  if (!unpacked) {
    image.error = toString(unpacked.takeError());
    image.kind = HolderKind::Unreadable;
    return;
  }
  StringRef data = *unpacked;
  image.unpacked = data.size();
  if (image.kind != HolderKind::LinkedCubin)
    return;
  Expected<CubinParts> cubin = divideCubin(data, options.bySource);
  if (!cubin) {
    image.error = toString(cubin.takeError());
    image.kind = HolderKind::Unreadable;
    return;
  }
  image.parts = std::move(cubin->parts);
  if (image.sample) {
    auto packed = compressPayload(data.take_front(image.sample),
                                  FatbinCompression::Balance);
    if (packed)
      image.packedSample = std::min<uint64_t>(packed->size(), image.sample);
    else
      consumeError(packed.takeError());
  }
  if (cubin->isRelocatable)
    image.kind = image.isInLinkedFile && image.isForDeviceLink
                     ? HolderKind::LeftOverCubin
                     : HolderKind::RelocatableCubin;
}

/// Gathers the images of one file.
class Collector final : public ImageVisitor {
public:
  Collector(const MeasureOptions &options, ErrorReport report)
      : options(options), report(report) {}

  /// The device code's bytes by member, and the containers'.
  struct Member {
    std::string label;
    uint64_t size = 0, device = 0, container = 0, zeros = 0, unreadable = 0;
  };
  std::vector<Member> members;
  std::vector<MeasuredImage> images;
  bool hadErrors = false;

  void member(StringRef label, uint64_t size) override {
    members.push_back({label.str(), size});
  }
  void container(uint64_t size, uint64_t otherBytes) override {
    members.back().device += size;
    members.back().container += otherBytes;
  }
  void unreadable(uint64_t size) override { members.back().unreadable += size; }
  void zeros(uint64_t size) override { members.back().zeros += size; }

  void image(FoundImage found, bool isKept) override {
    MeasuredImage &image = images.emplace_back(std::move(found));
    image.kind = getKind(image.form);
    image.isPlainCode = isPlainCode(image);
    if (isKept)
      return;
    readImage(image, options);
    image.data = {};
  }

  void error(StringRef label, Error e) override {
    hadErrors = true;
    report(label, std::move(e));
  }

private:
  const MeasureOptions &options;
  ErrorReport report;
};

/// Turns what was found in a file into rows.
class RowWriter {
public:
  RowWriter(Measurement &result, StringRef file)
      : result(result), file(result.names.add(file)),
        noArch(result.names.add(NoArch)) {}

  void member(const Collector::Member &member) {
    const uint32_t name = result.names.add(member.label);
    auto add = [&](HolderKind kind, uint64_t stored, uint64_t unpacked) {
      this->add(
          {file, name, noArch, 0, 0, kind, Use::None, stored, unpacked, 0, 0});
    };
    add(HolderKind::Container, member.container, member.container);
    add(HolderKind::Zeros, member.zeros, member.zeros);
    add(HolderKind::Unreadable, member.unreadable, 0);
    const uint64_t host = member.size - member.device - member.zeros;
    add(HolderKind::Host, host, host);
  }

  void image(const MeasuredImage &image) {
    SizeRow row = {file,
                   result.names.add(image.member),
                   result.names.add(image.target.empty()
                                        ? StringRef(NoArch)
                                        : StringRef(image.target)),
                   0,
                   0,
                   image.kind,
                   Use::None,
                   image.stored,
                   image.unpacked,
                   0,
                   0};
    if (image.parts.empty())
      return add(row);
    // Shares are rounded so that the sum is exact.
    const double ratio = double(image.stored) / double(image.unpacked);
    uint64_t done = 0, doneStored = 0;
    for (const CubinPart &part : image.parts) {
      done += part.size;
      const uint64_t upTo =
          done == image.unpacked
              ? image.stored
              : std::max(doneStored, uint64_t(double(done) * ratio));
      row.function = result.names.add(part.function);
      row.source = result.names.add(part.source);
      row.use = part.use;
      row.stored = upTo - doneStored;
      row.unpacked = part.size;
      row.codeSize = part.codeSize;
      row.codeHash = part.codeHash;
      doneStored = upTo;
      add(row);
    }
  }

private:
  void add(const SizeRow &row) {
    if (row.stored || row.unpacked)
      result.rows.push_back(row);
  }

  Measurement &result;
  uint32_t file, noArch;
};

/// Counts the bytes of an archive that are no member's as its own headers and
/// tables.
void addArchiveBytes(const Collector &found, RowWriter &writer) {
  uint64_t inMembers = 0;
  for (const Collector::Member &member : drop_begin(found.members))
    inMembers += member.size;
  Collector::Member archive = found.members.front();
  archive.device = std::min(archive.size, inMembers);
  writer.member(archive);
}

class FileMeasurer final : public FileVisitor {
public:
  FileMeasurer(const MeasureOptions &options, Measurement &result,
               ErrorReport report)
      : options(options), result(result), report(report) {}

  void otherFile(uint64_t size) override {
    ++result.otherFiles;
    result.otherBytes += size;
  }

  void error(StringRef label, Error e) override {
    result.hadErrors = true;
    report(label, std::move(e));
  }

  void file(const MemoryBuffer &buffer, StringRef label,
            bool isAsked) override {
    StringRef data = buffer.getBuffer();
    Collector found(options, report);
    visitImages(MemoryBufferRef(data, label), found);
    result.hadErrors |= found.hadErrors;
    if (!isAsked && found.images.empty() && !found.hadErrors)
      return otherFile(data.size());

    RowWriter writer(result, label);
    if (found.members.size() > 1)
      addArchiveBytes(found, writer);
    for (const Collector::Member &member :
         ArrayRef(found.members).drop_front(found.members.size() > 1))
      writer.member(member);
    const bool isMapped =
        buffer.getBufferKind() == MemoryBuffer::MemoryBuffer_MMap;
    if (isMapped)
      forgetPages(data); // Headers of all images.
    addImages(found.images, writer, isMapped);
  }

private:
  /// Chooses which images are compressed as samples. With the method of
  /// --compress-mode=size that would take seconds; the quicker way gives a
  /// little larger results.
  void chooseSamples(MutableArrayRef<MeasuredImage> batch) {
    constexpr uint64_t MaxSamples = 4 << 20;
    uint64_t left = MaxSamples - std::min(MaxSamples, result.sampled);
    for (MeasuredImage &image : batch)
      if (image.isPlainCode && !image.isRead) {
        image.sample = std::min(left, image.stored);
        left -= image.sample;
      }
  }

  void addPlainCode(const MeasuredImage &image) {
    if (!image.isPlainCode || image.kind != HolderKind::LinkedCubin)
      return;
    result.plainCode += image.stored;
    result.sampled += image.sample;
    result.packedSamples += image.packedSample;
  }

  /// Some images at a time, so that what they are is not all in memory.
  void addImages(MutableArrayRef<MeasuredImage> images, RowWriter &writer,
                 bool isMapped) {
    constexpr size_t Batch = 64;
    for (size_t begin = 0; begin < images.size(); begin += Batch) {
      MutableArrayRef<MeasuredImage> batch =
          images.slice(begin, std::min(Batch, images.size() - begin));
      if (options.triesCompression)
        chooseSamples(batch);
      parallelForEach(options.threads, batch.size(), [&](size_t i) {
        if (!batch[i].isRead)
          readImage(batch[i], options);
      });
      for (MeasuredImage &image : batch) {
        writer.image(image);
        addPlainCode(image);
        if (!image.error.empty())
          error(image.member, createStringError(image.error));
        image.parts = {};
        if (isMapped)
          forgetPages(image.data);
      }
    }
  }

  const MeasureOptions &options;
  Measurement &result;
  ErrorReport report;
};

} // namespace

uint64_t Measurement::getPlainSaving() const {
  return sampled ? uint64_t(double(plainCode) *
                            double(sampled - packedSamples) / double(sampled))
                 : 0;
}

void measure(StringRef path, const MeasureOptions &options, Measurement &result,
             ErrorReport report) {
  SmallString<128> temporary;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, temporary);
  FileMeasurer measurer(options, result, report);
  visitFiles(path, {temporary.str().str(), options.memoryLimit}, measurer);
}

} // namespace lld::cuda
