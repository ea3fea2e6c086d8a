//===- FatbinWriter.cpp - Writes fatbins ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A fatbin is a header of 16 bytes and then an entry for each image: a header
/// of 64 bytes, the identifier, the extension (the compile's options, or a
/// cubin's .nv.compat), and the payload, in whole words of 8 bytes. The
/// linker's DeviceLink.cpp and the program in fatbinary's place call
/// makePayload() for each image and then writeFatbin(). The two are apart
/// because compression takes most of the time, and the program in fatbinary's
/// place lets several threads do it. The compression levels are fatbinary's, so
/// that the same images give the same bytes [fatbin-written].
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/FatbinWriter.h"
#include "ObjectError.h"
#include "lld-cuda/BinaryFormat/ELF.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Support/Bytes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <climits>
#include <lz4hc.h>
#include <string>
#include <vector>
#include <zstd.h>

using namespace llvm;

namespace lld::cuda {

namespace {

constexpr size_t OuterHeaderSize = 16, HeaderSize = 0x40, Alignment = 8;
constexpr uint16_t OuterVersion = 1, EntryVersion = 0x0101;
/// Set in all that Linux's fatbinary writes.
constexpr uint64_t OnLinux = 0x10;
/// Larger images are compressed in every mode but none.
constexpr size_t LargestPlainImage = 10'000'000;

template <typename T> void put(Bytes &out, size_t at, T value) {
  support::endian::write<T, llvm::endianness::little>(out.data() + at, value);
}

/// Offset and length of `data`, and data, filled up to whole words.
void appendExtension(Bytes &out, StringRef data, size_t length) {
  const size_t at = out.size();
  constexpr size_t DataOffset = 8;
  out.resize(at + DataOffset);
  put<uint32_t>(out, at, at + DataOffset);
  put<uint32_t>(out, at + 4, length);
  out.append(data.begin(), data.end());
}

/// The records of .nv.compat, from sm_100 on. fatbinary leaves a byte before
/// them, and counts as if there were none.
Expected<std::string> copyCompat(const FatbinImage &image) {
  Expected<CubinFile> file =
      CubinFile::create(MemoryBufferRef(image.bytes, "image"));
  if (!file)
    return file.takeError();
  const unsigned section = file->findSection(".nv.compat");
  if (!section)
    return std::string();
  const ArrayRef<uint8_t> contents = file->contents(section);
  return std::string(contents.begin(), contents.end());
}

Expected<Bytes> compressZstd(StringRef in, int level) {
  Bytes out;
  out.resize_for_overwrite(ZSTD_compressBound(in.size()));
  const size_t size =
      ZSTD_compress(out.data(), out.size(), in.data(), in.size(), level);
  if (ZSTD_isError(size))
    return malformed("{0}", ZSTD_getErrorName(size));
  out.truncate(size);
  return out;
}

Expected<Bytes> compressLZ4(StringRef in) {
  if (in.size() > LZ4_MAX_INPUT_SIZE)
    return malformed("image of {0} bytes is too large for LZ4", in.size());
  Bytes out;
  out.resize_for_overwrite(LZ4_compressBound(int(in.size())));
  const int size = LZ4_compress_HC(in.data(), out.data(), int(in.size()),
                                   int(out.size()), LZ4HC_CLEVEL_MIN);
  out.truncate(size);
  return out;
}

uint64_t flagsOf(const FatbinImage &image) {
  uint64_t flags = FATBIN_64BIT | OnLinux;
  if (image.isDebug)
    flags |= FATBIN_DEBUG;
  if (image.arch.suffix == elf::Architecture::Accelerated)
    flags |= FATBIN_ACCELERATED;
  if (image.arch.suffix == elf::Architecture::Family)
    flags |= FATBIN_FAMILY;
  if (image.kind == FatbinKind::ELF && image.arch.isMercury())
    flags |= FATBIN_MERCURY;
  return flags;
}

/// Ended by NUL, and filled up to whole words.
void appendIdentifier(StringRef identifier, Bytes &header) {
  if (identifier.empty())
    return;
  put<uint32_t>(header, 0x20, header.size());
  put<uint32_t>(header, 0x24, identifier.size());
  header.append(identifier.begin(), identifier.end());
  header.push_back('\0');
  header.resize(alignTo(header.size(), Alignment));
}

/// Appends the extension, which comes between an entry's header and its
/// payload.
Error appendExtensions(const FatbinImage &image, Bytes &header) {
  if (image.kind != FatbinKind::ELF) {
    appendExtension(header, image.options, image.options.size());
    header.push_back('\0');
  } else if (image.arch.isMercury()) {
    Expected<std::string> compat = copyCompat(image);
    if (!compat)
      return compat.takeError();
    if (!compat->empty())
      appendExtension(header, std::string(1, '\0') + *compat, compat->size());
  }
  return Error::success();
}

/// Returns the bytes that are stored or compressed.
StringRef contentsOf(const FatbinImage &image, const FatbinPayload &payload) {
  return image.kind == FatbinKind::PTX ? payload.text : image.bytes;
}

Error appendEntry(const FatbinImage &image, FatbinCompression compression,
                  const FatbinPayload &payload, Bytes &out) {
  Bytes header;
  header.resize(HeaderSize);
  appendIdentifier(image.identifier, header);
  const size_t extensions = header.size();
  if (Error e = appendExtensions(image, header))
    return e;
  const bool isExtended = header.size() > extensions;
  header.resize(alignTo(header.size(), Alignment));
  uint64_t flags = flagsOf(image);
  StringRef bytes = contentsOf(image, payload);
  if (isCompressed(image, compression)) {
    put<uint32_t>(header, 0x10, payload.packed.size());
    put<uint64_t>(header, 0x38, bytes.size());
    flags |= getCompressionFlag(compression);
    bytes = StringRef(payload.packed.data(), payload.packed.size());
  }
  put<uint16_t>(header, 0x00, uint16_t(image.kind));
  put<uint16_t>(header, 0x02, EntryVersion);
  put<uint32_t>(header, 0x04, header.size());
  put<uint64_t>(header, 0x08, alignTo(bytes.size(), Alignment));
  if (isExtended)
    put<uint32_t>(header, 0x14, extensions);
  put<uint16_t>(header, 0x18, image.versionMinor);
  put<uint16_t>(header, 0x1a, image.versionMajor);
  put<uint32_t>(header, 0x1c, image.arch.number);
  put<uint64_t>(header, 0x28, flags);
  out.append(header.begin(), header.end());
  out.append(bytes.begin(), bytes.end());
  out.resize(alignTo(out.size(), Alignment));
  return Error::success();
}

} // namespace

std::optional<FatbinCompression> parseFatbinCompression(StringRef name) {
  return StringSwitch<std::optional<FatbinCompression>>(name)
      .Case("none", FatbinCompression::None)
      .Case("default", FatbinCompression::Default)
      .Case("balance", FatbinCompression::Balance)
      .Case("speed", FatbinCompression::Speed)
      .Case("size", FatbinCompression::Size)
      .Default(std::nullopt);
}

Expected<Bytes> compressPayload(StringRef payload,
                                FatbinCompression compression) {
  // fatbinary's levels: with zstd 1.5.7 all streams are the same.
  constexpr int BalanceLevel = 5, SizeLevel = 19;
  if (compression == FatbinCompression::Speed)
    return compressLZ4(payload);
  return compressZstd(payload, compression == FatbinCompression::Size
                                   ? SizeLevel
                                   : BalanceLevel);
}

FatbinFlags getCompressionFlag(FatbinCompression compression) {
  return compression == FatbinCompression::Speed ? FATBIN_LZ4_BLOCK
                                                 : FATBIN_ZSTD;
}

bool isCompressed(const FatbinImage &image, FatbinCompression compression) {
  // LTO IR has been made unreadable, and so as good as random.
  if (image.kind == FatbinKind::LTOIR)
    return false;
  switch (compression) {
  case FatbinCompression::None:
    return false;
  case FatbinCompression::Size:
    return true;
  default:
    return image.kind != FatbinKind::ELF || image.isDebug || image.isPacked ||
           image.bytes.size() > LargestPlainImage;
  }
}

Expected<FatbinPayload> makePayload(const FatbinImage &image,
                                    FatbinCompression compression) {
  FatbinPayload payload;
  if (image.kind == FatbinKind::PTX) {
    payload.text = image.bytes.str();
    payload.text.push_back('\0');
  }
  if (!isCompressed(image, compression))
    return payload;
  Expected<Bytes> packed =
      compressPayload(contentsOf(image, payload), compression);
  if (!packed)
    return packed.takeError();
  if (packed->size() > UINT32_MAX)
    return malformed("image of {0} bytes is too large", packed->size());
  payload.packed = std::move(*packed);
  return payload;
}

Expected<SmallVector<char, 0>> writeFatbin(ArrayRef<FatbinImage> images,
                                           ArrayRef<FatbinPayload> payloads,
                                           FatbinCompression compression) {
  for (const FatbinImage &image : images)
    if (image.kind != FatbinKind::ELF && image.kind != FatbinKind::PTX &&
        image.kind != FatbinKind::LTOIR)
      return malformed("image of kind {0} can't be written",
                       unsigned(image.kind));
  // A guess for header and extensions; without it large images are copied
  // several times.
  constexpr size_t Rest = 512;
  size_t size = OuterHeaderSize;
  for (auto [image, payload] : zip_equal(images, payloads))
    size += Rest + image.options.size() +
            (payload.packed.empty() ? contentsOf(image, payload).size()
                                    : payload.packed.size());
  Bytes out;
  out.reserve(size);
  out.resize(OuterHeaderSize);
  for (auto [image, payload] : zip_equal(images, payloads))
    if (Error e = appendEntry(image, compression, payload, out))
      return e;
  put<uint32_t>(out, 0, FatbinMagic);
  put<uint16_t>(out, 4, OuterVersion);
  put<uint16_t>(out, 6, OuterHeaderSize);
  put<uint64_t>(out, 8, out.size() - OuterHeaderSize);
  return out;
}

Expected<SmallVector<char, 0>> writeFatbin(ArrayRef<FatbinImage> images,
                                           FatbinCompression compression) {
  std::vector<FatbinPayload> payloads;
  for (const FatbinImage &image : images) {
    Expected<FatbinPayload> payload = makePayload(image, compression);
    if (!payload)
      return payload.takeError();
    payloads.push_back(std::move(*payload));
  }
  return writeFatbin(images, payloads, compression);
}

} // namespace lld::cuda
