//===- PruneFatbin.cpp - Removes images from a fatbin ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Removes images from one fatbin, and writes anew those that lose kernels or
/// get another compression. PruneFile.cpp calls pruneFatbin() for each fatbin
/// in a file that cubin-prune prunes. It divides the fatbin into slots, one for
/// each entry, and lets threads write those anew that change. An entry that
/// needs no change stays byte for byte, also if compressing it again would make
/// it no smaller. Several images may be compressed as one entry
/// [fatbin-concatenated]: if one is removed, the others are unpacked and
/// compressed again, and a last one becomes an entry by itself. Each new entry
/// is read back and compared before it is used.
///
//===----------------------------------------------------------------------===//

#include "PruneFatbin.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/DeviceCode.h"
#include "lld-cuda/Support/Bytes.h"
#include "lld-cuda/Support/Parallel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"
#include <deque>

using namespace llvm;
using namespace llvm::support;

namespace lld::cuda {

namespace {

// [fatbin-format]
constexpr size_t HeaderSize = 16, SizeOffset = 8;
constexpr size_t EntryHeaderSizeOffset = 0x04, PayloadSizeOffset = 0x08,
                 CompressedSizeOffset = 0x10, FlagsOffset = 0x28,
                 UncompressedSizeOffset = 0x38;
/// Offsets in the header of an entry with several images.
constexpr size_t ImageCountOffset = 0x40, TableSizeOffset = 0x44,
                 TableOffset = 0x48;
constexpr uint64_t Alignment = 8;

StringRef toText(const Bytes &bytes) {
  return StringRef(bytes.data(), bytes.size());
}

/// An entry, with one image or several, of the input and as it is written.
struct Slot {
  StringRef old; ///< Header and payload.
  std::vector<FatbinEntry> kept;
  unsigned dropped = 0;
  std::optional<Bytes> made; ///< None: as it was.
  std::vector<RewrittenEntry> rewritten;
  unsigned kernelsDropped = 0;
  std::string error;

  StringRef bytes() const { return made ? toText(*made) : old; }
};

/// Writes an entry anew, without the images that are removed. If one image is
/// left of several, it becomes an entry by itself, as fatbinary writes it.
class EntryWriter {
public:
  EntryWriter(Slot &slot, const Selection &selection)
      : slot(slot), first(slot.kept.front()), selection(selection) {}

  Error write() {
    bool isChanged = slot.dropped;
    for (const FatbinEntry &image : slot.kept)
      if (Error e = addImage(image, isChanged))
        return e;
    if (!isChanged && !selection.compression)
      return Error::success();
    Expected<Bytes> made =
        slot.kept.size() > 1 && method() != FatbinCompression::None
            ? makeGroup()
            : makeSingles();
    if (!made)
      return made.takeError();
    // An entry that was compressed better than it would be here is kept.
    const bool isWorse = !isChanged &&
                         getFlags(toText(*made)) == getFlags(slot.old) &&
                         made->size() >= slot.old.size();
    if (isWorse)
      return Error::success();
    if (Error e = check(toText(*made)))
      return e;
    slot.made = std::move(*made);
    return Error::success();
  }

private:
  Error addImage(const FatbinEntry &image, bool &isChanged) {
    StringRef data = image.payload;
    if (image.isCompressed()) {
      auto &decoded = unpacked.emplace_back();
      if (Error e = decompress(image, decompressLimit(), decoded))
        return e;
      data = toStringRef(ArrayRef(decoded));
    }
    if (!selection.cubins.empty() && isCubin(data)) {
      Expected<std::optional<PrunedCubin>> pruned =
          pruneCubin(data, selection.cubins);
      if (!pruned)
        return pruned.takeError();
      if (*pruned) {
        isChanged = true;
        slot.kernelsDropped += (*pruned)->kernelsDropped;
        data = toText(cubins.emplace_back(std::move((*pruned)->bytes)));
      }
    }
    contents.push_back(data);
    return Error::success();
  }

  static uint64_t getFlags(StringRef entry) {
    return endian::read64le(entry.data() + FlagsOffset);
  }

  /// Returns how an entry is compressed: as it was, unless the user asks for
  /// another method. zlib and LZ4 frames, which no writer makes any more,
  /// become LZ4 blocks.
  FatbinCompression method() const {
    if (selection.compression)
      return *selection.compression;
    if (!first.isCompressed())
      return FatbinCompression::None;
    return first.flags & (FATBIN_ZLIB | FATBIN_LZ4_BLOCK | FATBIN_LZ4_FRAME)
               ? FatbinCompression::Speed
               : FatbinCompression::Balance;
  }

  StringRef getHeader(const FatbinEntry &image) const {
    if (image.isConcatenated)
      return image.description;
    return slot.old.take_front(
        endian::read32le(slot.old.data() + EntryHeaderSizeOffset));
  }

  /// Adds an entry: its header, which is complete but for what is set here, and
  /// after it that payload.
  Error addEntry(Bytes header, StringRef data, bool mayBePlain,
                 Bytes &out) const {
    uint64_t flags = getFlags(toText(header)) & ~uint64_t(FATBIN_COMPRESSED);
    uint64_t packedSize = 0, unpackedSize = 0;
    Bytes packed;
    StringRef payload = data;
    if (method() != FatbinCompression::None) {
      Expected<Bytes> result = compressPayload(data, method());
      if (!result)
        return result.takeError();
      // A payload that compression makes no smaller is stored as it is.
      if (!mayBePlain || result->size() < data.size()) {
        packed = std::move(*result);
        payload = toText(packed);
        packedSize = packed.size();
        unpackedSize = data.size();
        flags |= getCompressionFlag(method());
      }
    }
    if (packedSize > UINT32_MAX)
      return createStringError("an image is too large");
    const uint64_t size = alignTo(payload.size(), Alignment);
    endian::write32le(header.data() + EntryHeaderSizeOffset, header.size());
    endian::write64le(header.data() + PayloadSizeOffset, size);
    endian::write32le(header.data() + CompressedSizeOffset, packedSize);
    endian::write64le(header.data() + FlagsOffset, flags);
    endian::write64le(header.data() + UncompressedSizeOffset, unpackedSize);
    out.append(header.begin(), header.end());
    out.append(payload.begin(), payload.end());
    out.append(size - payload.size(), '\0');
    return Error::success();
  }

  Expected<Bytes> makeSingles() const {
    Bytes out;
    for (auto [image, data] : zip_equal(slot.kept, contents)) {
      StringRef header = getHeader(image);
      if (Error e = addEntry(Bytes(header.begin(), header.end()), data,
                             /*mayBePlain=*/true, out))
        return e;
    }
    return out;
  }

  /// Makes one entry of several images [fatbin-concatenated].
  Expected<Bytes> makeGroup() const {
    Bytes header(slot.old.begin(), slot.old.begin() + TableOffset), data;
    for (auto [image, bytes] : zip_equal(slot.kept, contents)) {
      const size_t at = header.size();
      header.append(image.description.begin(), image.description.end());
      const uint64_t size = alignTo(bytes.size(), Alignment);
      endian::write32le(header.data() + at + EntryHeaderSizeOffset,
                        data.size());
      endian::write64le(header.data() + at + PayloadSizeOffset, size);
      data.append(bytes.begin(), bytes.end());
      data.append(size - bytes.size(), '\0');
      if (data.size() > UINT32_MAX)
        return createStringError("images of an entry are too large");
    }
    endian::write32le(header.data() + ImageCountOffset, slot.kept.size());
    endian::write32le(header.data() + TableSizeOffset,
                      header.size() - ImageCountOffset);
    Bytes out;
    if (Error e = addEntry(std::move(header), toText(data),
                           /*mayBePlain=*/false, out))
      return e;
    return out;
  }

  static bool isSame(const FatbinEntry &a, const FatbinEntry &b) {
    return a.kind == b.kind && a.arch == b.arch && a.options == b.options &&
           a.compat == b.compat && a.identifier == b.identifier &&
           a.versionMajor == b.versionMajor && a.versionMinor == b.versionMinor;
  }

  /// Reads a new entry again and checks that it has the images that it should.
  Error check(StringRef made) {
    Bytes fatbin(HeaderSize, '\0');
    endian::write32le(fatbin.data(), FatbinMagic);
    endian::write16le(fatbin.data() + 4, 1);
    endian::write16le(fatbin.data() + 6, HeaderSize);
    endian::write64le(fatbin.data() + SizeOffset, made.size());
    fatbin.append(made.begin(), made.end());
    Expected<FatbinReader> reader = FatbinReader::create(toText(fatbin));
    if (!reader)
      return reader.takeError();
    if (reader->entries().size() != slot.kept.size())
      return createStringError("an image changed while it was read");
    for (auto [now, old, data] :
         zip_equal(reader->entries(), slot.kept, contents)) {
      SmallVector<uint8_t, 0> decoded;
      StringRef read = now.payload;
      if (now.isCompressed()) {
        if (Error e = decompress(now, decompressLimit(), decoded))
          return e;
        read = toStringRef(ArrayRef(decoded));
      }
      if (!read.starts_with(data) || read.size() - data.size() >= Alignment ||
          read.drop_front(data.size()).find_first_not_of('\0') !=
              StringRef::npos ||
          !isSame(now, old))
        return createStringError("an image changed while it was read");
      slot.rewritten.push_back({old.payload.data(), old.imageOffset, now.flags,
                                now.payload.size(), xxh3_64bits(now.payload)});
    }
    return Error::success();
  }

  Slot &slot;
  const FatbinEntry &first;
  const Selection &selection;
  std::deque<SmallVector<uint8_t, 0>> unpacked;
  std::deque<Bytes> cubins;
  std::vector<StringRef> contents; ///< Of the images that stay.
};

} // namespace

/// The entries, each with the images that stay.
static std::vector<Slot>
listSlots(StringRef data, const FatbinReader &fatbin,
          function_ref<bool(const FatbinEntry &)> keep) {
  std::vector<Slot> slots;
  ArrayRef<FatbinEntry> entries = fatbin.entries();
  for (size_t i = 0; i != entries.size();) {
    const uint64_t start = entries[i].offset;
    Slot &slot = slots.emplace_back();
    for (; i != entries.size() && entries[i].offset == start; ++i) {
      if (keep(entries[i]))
        slot.kept.push_back(entries[i]);
      else
        ++slot.dropped;
    }
    const uint64_t end =
        i == entries.size() ? fatbin.size() : entries[i].offset;
    slot.old = data.slice(start, end);
  }
  return slots;
}

Expected<PrunedFatbin> pruneFatbin(StringRef data, const Selection &selection,
                                   function_ref<bool(const FatbinEntry &)> keep,
                                   unsigned threads) {
  Expected<FatbinReader> fatbin = FatbinReader::create(data);
  if (!fatbin)
    return fatbin.takeError();
  std::vector<Slot> slots = listSlots(data, *fatbin, keep);
  const bool isRewritten = !selection.cubins.empty() || selection.compression;
  parallelForEach(threads, slots.size(), [&](size_t i) {
    Slot &slot = slots[i];
    if (slot.kept.empty() || (!isRewritten && !slot.dropped))
      return;
    if (Error e = EntryWriter(slot, selection).write())
      slot.error = toString(std::move(e));
  });
  PrunedFatbin result;
  result.bytes.append(data.begin(), data.begin() + HeaderSize);
  for (const Slot &slot : slots) {
    if (!slot.error.empty())
      return createStringError("image for " + getTargetName(slot.kept.front()) +
                               ": " + slot.error);
    result.kept += slot.kept.size();
    result.dropped += slot.dropped;
    if (slot.kept.empty())
      continue;
    result.kernelsDropped += slot.kernelsDropped;
    append_range(result.rewritten, slot.rewritten);
    result.bytes.append(slot.bytes().begin(), slot.bytes().end());
  }
  endian::write64le(result.bytes.data() + SizeOffset,
                    result.bytes.size() - HeaderSize);
  return result;
}

} // namespace lld::cuda
