//===- Measure.cpp --------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "Zip.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/DeviceCode.h"
#include "lld-cuda/Object/FatbinWriter.h"
#include "lld-cuda/Object/OffloadBinary.h"
#include "lld-cuda/Support/Parallel.h"
#include "lld-cuda/Support/RegularFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

namespace lld::cuda {

StringRef getKindName(Kind kind) {
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

uint32_t NameTable::add(StringRef name) {
  auto [it, isNew] = indices.try_emplace(name, uint32_t(names.size()));
  if (isNew)
    names.push_back(it->first());
  return it->second;
}

namespace {

/// An image to be measured: a cubin, an entry of a fatbin, or bytes that are
/// only counted.
struct Image {
  std::string member;
  StringRef data; ///< As stored.
  FatbinEntry entry = {};
  bool isEntry = false;
  bool isInLinkedFile = false, isForDeviceLink = false;
  Kind kind = Kind::OtherImage;
  std::string arch = NoArch.str();

  // Known when it is found: its bytes may be gone later.
  uint64_t stored = 0;
  bool isPlainCode = false;

  // Results.
  bool isRead = false;
  uint64_t unpacked = 0;
  /// So many bytes are compressed to know how many they become; 0: none.
  uint64_t sample = 0, packedSample = 0;
  std::vector<CubinPart> parts;
  std::string error;
};

Kind getKind(FatbinKind kind) {
  switch (kind) {
  case FatbinKind::PTX:
    return Kind::PTX;
  case FatbinKind::LTOIR:
    return Kind::LTOIR;
  case FatbinKind::TileIR:
    return Kind::TileIR;
  case FatbinKind::ELF:
  case FatbinKind::Mercury:
  case FatbinKind::Concatenated:
    return Kind::LinkedCubin; // Until it is read.
  }
  return Kind::OtherImage;
}

/// Whether it is linked code as it is; whether it is linked says its header.
static bool isPlainCode(const Image &image) {
  constexpr size_t TypeOffset = 16;
  return image.isEntry && !image.entry.isCompressed() && isCubin(image.data) &&
         image.data.size() > TypeOffset + 1 &&
         support::endian::read16le(image.data.data() + TypeOffset) ==
             ELF::ET_EXEC;
}

/// Looks at one image; runs on any thread.
void readImage(Image &image, const MeasureOptions &options) {
  image.isRead = true;
  SmallVector<uint8_t, 0> decoded;
  StringRef data = image.data;
  if (image.isEntry && image.entry.isCompressed()) {
    if (Error e = decompress(image.entry,
                             options.memoryLimit.value_or(decompressLimit()),
                             decoded)) {
      image.error = toString(std::move(e));
      image.kind = Kind::Unreadable;
      return;
    }
    data = toStringRef(ArrayRef(decoded));
  }
  image.unpacked = data.size();
  if (image.kind != Kind::LinkedCubin)
    return;
  Expected<CubinParts> cubin = divideCubin(data, options.bySource);
  if (!cubin) {
    image.error = toString(cubin.takeError());
    image.kind = Kind::Unreadable;
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
                     ? Kind::LeftOverCubin
                     : Kind::RelocatableCubin;
}

/// Gathers the images of one file.
class Collector final : public DeviceCodeVisitor {
public:
  Collector(StringRef file, const MeasureOptions &options, ErrorReport report)
      : mapped(file), options(options), report(report) {}

  /// The device code's bytes by member, and the containers'.
  struct Member {
    std::string label;
    uint64_t size = 0, device = 0, container = 0, zeros = 0, unreadable = 0;
  };
  std::vector<Member> members;
  std::vector<Image> images;
  bool hadErrors = false;

  void file(StringRef label, uint64_t size) override {
    members.push_back({label.str(), size});
  }

  void part(const DevicePart &part) override {
    const size_t before = images.size();
    members.back().device += part.data.size();
    switch (part.kind) {
    case DevicePart::Cubin:
      addCubin(part);
      break;
    case DevicePart::Fatbin:
      addFatbin(part, part.data);
      break;
    case DevicePart::Offload:
      addOffload(part);
      break;
    }
    // A thin archive's member is closed again after this.
    const bool isClosed =
        part.data.data() < mapped.begin() || part.data.data() >= mapped.end();
    for (Image &image : MutableArrayRef(images).drop_front(before)) {
      image.stored = image.data.size();
      image.isPlainCode = isPlainCode(image);
      if (!isClosed)
        continue;
      readImage(image, options);
      image.data = {};
    }
  }

  void zeros(StringRef label, uint64_t size) override {
    members.back().zeros += size;
  }

  void error(StringRef label, Error e) override {
    hadErrors = true;
    report(label, std::move(e));
  }

private:
  Image &addImage(const DevicePart &part, StringRef data) {
    Image &image = images.emplace_back();
    image.member = part.label.str();
    image.data = data;
    image.isInLinkedFile =
        part.hostType == ELF::ET_EXEC || part.hostType == ELF::ET_DYN;
    image.isForDeviceLink = part.section == "__nv_relfatbin";
    return image;
  }

  void addCubin(const DevicePart &part) {
    Image &image = addImage(part, part.data);
    image.kind = Kind::LinkedCubin;
    if (Expected<CubinFile> file =
            CubinFile::create(MemoryBufferRef(part.data, part.label)))
      image.arch = "sm_" + utostr(file->smNumber());
    else
      consumeError(file.takeError());
  }

  void addFatbin(const DevicePart &part, StringRef data) {
    Expected<FatbinReader> fatbin = FatbinReader::create(data);
    if (!fatbin) {
      members.back().unreadable += data.size();
      return error(part.label, fatbin.takeError());
    }
    uint64_t payloads = 0;
    for (const FatbinEntry &entry : fatbin->entries()) {
      StringRef stored = entry.payload;
      // Images of one compressed payload: all its bytes are the first one's.
      if (!images.empty() && entry.isConcatenated &&
          images.back().data.data() == stored.data())
        stored = stored.take_front(0);
      Image &image = addImage(part, stored);
      image.entry = entry;
      image.isEntry = true;
      image.kind = getKind(entry.kind);
      image.arch = getTargetName(entry);
      payloads += stored.size();
    }
    members.back().container += data.size() - payloads;
  }

  void addOffload(const DevicePart &part) {
    Expected<std::vector<OffloadImage>> list = readOffloadImages(part.data);
    if (!list) {
      members.back().unreadable += part.data.size();
      return error(part.label, list.takeError());
    }
    uint64_t sum = 0;
    for (const OffloadImage &offload : *list) {
      sum += offload.data.size();
      if (offload.kind == OffloadKind::Fatbin) {
        addFatbin(part, offload.data);
        continue;
      }
      Image &image = addImage(part, offload.data);
      image.arch = offload.arch.str();
      image.kind = isCubin(offload.data)              ? Kind::LinkedCubin
                   : offload.kind == OffloadKind::PTX ? Kind::PTX
                                                      : Kind::OtherImage;
    }
    members.back().container +=
        part.data.size() - std::min<uint64_t>(sum, part.data.size());
  }

  StringRef mapped;
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
    auto add = [&](Kind kind, uint64_t stored, uint64_t unpacked) {
      this->add(
          {file, name, noArch, 0, 0, kind, Use::None, stored, unpacked, 0, 0});
    };
    add(Kind::Container, member.container, member.container);
    add(Kind::Zeros, member.zeros, member.zeros);
    add(Kind::Unreadable, member.unreadable, 0);
    const uint64_t host = member.size - member.device - member.zeros;
    add(Kind::Host, host, host);
  }

  void image(const Image &image) {
    SizeRow row = {file,
                   result.names.add(image.member),
                   result.names.add(image.arch),
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

/// What an archive's members don't account for are its own headers and tables.
void addArchiveBytes(const Collector &found, RowWriter &writer) {
  uint64_t inMembers = 0;
  for (const Collector::Member &member : drop_begin(found.members))
    inMembers += member.size;
  Collector::Member archive = found.members.front();
  archive.device = std::min(archive.size, inMembers);
  writer.member(archive);
}

/// Pages of a mapped file that won't be needed again; the kernel may have their
/// memory.
void forget(StringRef data) {
  const uintptr_t page = sysconf(_SC_PAGESIZE);
  const uintptr_t begin = alignTo(uintptr_t(data.begin()), page);
  const uintptr_t end = alignDown(uintptr_t(data.end()), page);
  if (begin < end)
    ::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
}

class FileMeasurer {
public:
  FileMeasurer(const MeasureOptions &options, Measurement &result,
               ErrorReport report)
      : options(options), result(result), report(report) {}

  void file(StringRef path, StringRef label, bool isAsked) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
        isAsked ? readRegularFileOrStdin(path) : readRegularFile(path);
    if (!buffer)
      return fail(label, errorCodeToError(buffer.getError()));
    StringRef data = (*buffer)->getBuffer();
    if (isZip(data) && (isAsked || label.ends_with(".whl")))
      return zip(data, isAsked ? "" : (label + ":").str(), label);
    contents(**buffer, label, isAsked);
  }

  void fail(StringRef label, Error e) {
    result.hadErrors = true;
    report(label, std::move(e));
  }

private:
  /// What a zip file's members would be, unpacked.
  void zip(StringRef data, const std::string &prefix, StringRef label) {
    Expected<std::vector<ZipMember>> members = readZipMembers(data);
    if (!members)
      return fail(label, members.takeError());
    for (const ZipMember &member : *members) {
      constexpr size_t Beginning = 64;
      if (!mayHaveDeviceCode(peekZipMember(member, Beginning))) {
        countOther(member.size);
        continue;
      }
      const std::string name = prefix + member.name;
      Expected<std::unique_ptr<MemoryBuffer>> buffer =
          openZipMember(member, options.memoryLimit);
      if (member.isPacked())
        forget(member.data);
      if (!buffer) {
        fail(label, createStringError(member.name + ": " +
                                      toString(buffer.takeError())));
        continue;
      }
      contents(**buffer, name, /*isAsked=*/false);
    }
  }

  void countOther(uint64_t size) {
    ++result.otherFiles;
    result.otherBytes += size;
  }

  void contents(const MemoryBuffer &buffer, StringRef label, bool isAsked) {
    StringRef data = buffer.getBuffer();
    Collector found(data, options, report);
    visitDeviceCode(MemoryBufferRef(data, label), found);
    result.hadErrors |= found.hadErrors;
    if (!isAsked && found.images.empty() && !found.hadErrors)
      return countOther(data.size());

    RowWriter writer(result, label);
    if (found.members.size() > 1)
      addArchiveBytes(found, writer);
    for (const Collector::Member &member :
         ArrayRef(found.members).drop_front(found.members.size() > 1))
      writer.member(member);
    const bool isMapped =
        buffer.getBufferKind() == MemoryBuffer::MemoryBuffer_MMap;
    if (isMapped)
      forget(data); // Headers of all images.
    addImages(found.images, writer, isMapped);
  }

  /// As --compress-mode=size does it that would take seconds; the quicker way
  /// makes a little more of them.
  void chooseSamples(MutableArrayRef<Image> batch) {
    constexpr uint64_t MaxSamples = 4 << 20;
    uint64_t left = MaxSamples - std::min(MaxSamples, result.sampled);
    for (Image &image : batch)
      if (image.isPlainCode && !image.isRead) {
        image.sample = std::min(left, image.stored);
        left -= image.sample;
      }
  }

  void addPlainCode(const Image &image) {
    if (!image.isPlainCode || image.kind != Kind::LinkedCubin)
      return;
    result.plainCode += image.stored;
    result.sampled += image.sample;
    result.packedSamples += image.packedSample;
  }

  /// Some images at a time, so that what they are is not all in memory.
  void addImages(MutableArrayRef<Image> images, RowWriter &writer,
                 bool isMapped) {
    constexpr size_t Batch = 64;
    for (size_t begin = 0; begin < images.size(); begin += Batch) {
      MutableArrayRef<Image> batch =
          images.slice(begin, std::min(Batch, images.size() - begin));
      if (options.triesCompression)
        chooseSamples(batch);
      parallelForEach(options.threads, batch.size(), [&](size_t i) {
        if (!batch[i].isRead)
          readImage(batch[i], options);
      });
      for (Image &image : batch) {
        writer.image(image);
        addPlainCode(image);
        if (!image.error.empty())
          fail(image.member, createStringError(image.error));
        image.parts = {};
        if (isMapped)
          forget(image.data);
      }
    }
  }

  const MeasureOptions &options;
  Measurement &result;
  ErrorReport report;
};

/// Regular files below a directory, sorted. Links aren't followed: what they
/// name is counted where it is.
std::vector<std::string> listFiles(StringRef directory, std::error_code &ec) {
  std::vector<std::string> files;
  for (sys::fs::recursive_directory_iterator it(directory, ec,
                                                /*follow_symlinks=*/false),
       end;
       it != end && !ec; it.increment(ec))
    if (it->type() == sys::fs::file_type::regular_file)
      files.push_back(it->path());
  sort(files);
  return files;
}

} // namespace

uint64_t Measurement::getPlainSaving() const {
  return sampled ? uint64_t(double(plainCode) *
                            double(sampled - packedSamples) / double(sampled))
                 : 0;
}

void measure(StringRef path, const MeasureOptions &options, Measurement &result,
             ErrorReport report) {
  FileMeasurer measurer(options, result, report);
  if (!sys::fs::is_directory(path))
    return measurer.file(path, path, /*isAsked=*/true);
  std::error_code ec;
  for (const std::string &file : listFiles(path, ec)) {
    StringRef label = StringRef(file).drop_front(path.size()).ltrim('/');
    measurer.file(file, label, /*isAsked=*/false);
  }
  if (ec)
    measurer.fail(path, errorCodeToError(ec));
}

} // namespace lld::cuda
