//===- PruneFatbin.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PruneFatbin.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/DeviceCode.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace llvm::support;

namespace lld::cuda {

namespace {

// [fatbin-format]
constexpr size_t HeaderSize = 16, SizeOffset = 8;
constexpr size_t EntryHeaderSizeOffset = 0x04, PayloadSizeOffset = 0x08,
                 CompressedSizeOffset = 0x10, FlagsOffset = 0x28,
                 UncompressedSizeOffset = 0x38;
constexpr uint64_t Alignment = 8;

using Bytes = SmallVector<char, 0>;

StringRef toText(const Bytes &bytes) {
  return StringRef(bytes.data(), bytes.size());
}

/// An entry with a new payload.
class EntryWriter {
public:
  EntryWriter(const FatbinEntry &entry, const Selection &selection)
      : entry(entry), selection(selection) {}

  unsigned kernelsDropped = 0;

  /// None if the entry stays as it is. `old`: its header and payload.
  Expected<std::optional<Bytes>> write(StringRef old) {
    SmallVector<uint8_t, 0> decoded;
    StringRef contents = entry.payload;
    if (entry.isCompressed()) {
      if (Error e = decompress(entry, decompressLimit(), decoded))
        return e;
      contents = toStringRef(ArrayRef(decoded));
    }
    std::optional<PrunedCubin> cubin;
    if (!selection.cubins.empty() && isCubin(contents)) {
      Expected<std::optional<PrunedCubin>> pruned =
          pruneCubin(contents, selection.cubins);
      if (!pruned)
        return pruned.takeError();
      cubin = std::move(*pruned);
    }
    if (cubin) {
      contents = toText(cubin->bytes);
      kernelsDropped = cubin->kernelsDropped;
    } else if (!selection.compression) {
      return std::nullopt;
    }
    Expected<Bytes> made = make(old, contents);
    if (!made)
      return made.takeError();
    // What was compressed better stays.
    const bool isWorse = !cubin && flags(toText(*made)) == entry.flags &&
                         made->size() >= old.size();
    if (isWorse)
      return std::nullopt;
    if (Error e = check(toText(*made), contents))
      return e;
    return std::move(*made);
  }

private:
  static uint64_t flags(StringRef bytes) {
    return endian::read64le(bytes.data() + FlagsOffset);
  }

  /// As it was, unless another is asked for. For what no writer makes any more,
  /// zlib and LZ4 frames, there are LZ4 blocks.
  FatbinCompression method() const {
    if (selection.compression)
      return *selection.compression;
    if (!entry.isCompressed())
      return FatbinCompression::None;
    return entry.flags & (FATBIN_ZLIB | FATBIN_LZ4_BLOCK | FATBIN_LZ4_FRAME)
               ? FatbinCompression::Speed
               : FatbinCompression::Balance;
  }

  Expected<Bytes> make(StringRef old, StringRef contents) const {
    const uint32_t headerSize =
        endian::read32le(old.data() + EntryHeaderSizeOffset);
    Bytes out(old.begin(), old.begin() + headerSize);
    uint64_t flags = entry.flags & ~uint64_t(FATBIN_COMPRESSED);
    uint64_t packedSize = 0, unpackedSize = 0;
    Bytes packed;
    StringRef payload = contents;
    if (method() != FatbinCompression::None) {
      Expected<Bytes> result = compressPayload(contents, method());
      if (!result)
        return result.takeError();
      // What can't be compressed isn't.
      if (result->size() < contents.size()) {
        packed = std::move(*result);
        payload = toText(packed);
        packedSize = packed.size();
        unpackedSize = contents.size();
        flags |= getCompressionFlag(method());
      }
    }
    if (packedSize > UINT32_MAX)
      return createStringError("an image is too large");
    char *header = out.data();
    endian::write64le(header + PayloadSizeOffset,
                      alignTo(payload.size(), Alignment));
    endian::write32le(header + CompressedSizeOffset, packedSize);
    endian::write64le(header + FlagsOffset, flags);
    endian::write64le(header + UncompressedSizeOffset, unpackedSize);
    out.append(payload.begin(), payload.end());
    out.resize(alignTo(out.size() - headerSize, Alignment) + headerSize);
    return out;
  }

  /// The new entry, read again, has the contents.
  Error check(StringRef made, StringRef contents) const {
    Bytes fatbin;
    fatbin.resize(HeaderSize);
    endian::write32le(fatbin.data(), FatbinMagic);
    endian::write16le(fatbin.data() + 4, 1);
    endian::write16le(fatbin.data() + 6, HeaderSize);
    endian::write64le(fatbin.data() + SizeOffset, made.size());
    fatbin.append(made.begin(), made.end());
    Expected<FatbinReader> reader = FatbinReader::create(toText(fatbin));
    if (!reader)
      return reader.takeError();
    if (reader->entries().size() != 1)
      return createStringError("an image isn't one any more");
    const FatbinEntry &now = reader->entries().front();
    SmallVector<uint8_t, 0> decoded;
    StringRef read = now.payload;
    if (now.isCompressed()) {
      if (Error e = decompress(now, decompressLimit(), decoded))
        return e;
      read = toStringRef(ArrayRef(decoded));
    }
    const bool isSame =
        read.starts_with(contents) &&
        read.size() - contents.size() < Alignment &&
        read.drop_front(contents.size()).find_first_not_of('\0') ==
            StringRef::npos &&
        now.kind == entry.kind && now.arch == entry.arch &&
        now.options == entry.options && now.compat == entry.compat &&
        now.identifier == entry.identifier;
    return isSame ? Error::success()
                  : createStringError("an image is another one when it is "
                                      "read again");
  }

  const FatbinEntry &entry;
  const Selection &selection;
};

} // namespace

namespace {

/// An entry, with one image or several, of the input and as it is written.
struct Slot {
  StringRef old; ///< Header and payload.
  const FatbinEntry *entry;
  bool stays;
  std::optional<Bytes> made; ///< None: as it was.
  unsigned kernelsDropped = 0;
  std::string error;

  StringRef bytes() const { return made ? toText(*made) : old; }
};

} // namespace

/// Runs on any thread.
static Error rewriteSlot(Slot &slot, const Selection &selection) {
  if (!selection.cubins.empty() && slot.entry->isConcatenated)
    return createStringError(
        "several images in one entry (fatbinary --concat) can't be changed");
  if (slot.entry->isConcatenated ||
      (selection.cubins.empty() && !selection.compression))
    return Error::success();
  EntryWriter writer(*slot.entry, selection);
  Expected<std::optional<Bytes>> written = writer.write(slot.old);
  if (!written)
    return written.takeError();
  slot.made = std::move(*written);
  slot.kernelsDropped = writer.kernelsDropped;
  return Error::success();
}

static RewrittenEntry describeRewritten(const Slot &slot) {
  const char *header = slot.made->data();
  const uint32_t headerSize = endian::read32le(header + EntryHeaderSizeOffset);
  const uint32_t packedSize = endian::read32le(header + CompressedSizeOffset);
  StringRef payload = toText(*slot.made).drop_front(headerSize);
  if (packedSize)
    payload = payload.take_front(packedSize);
  return {slot.entry->payload.data(), endian::read64le(header + FlagsOffset),
          payload.size(), xxh3_64bits(payload)};
}

Expected<PrunedFatbin>
pruneFatbin(StringRef data, const Selection &selection,
            function_ref<bool(const FatbinEntry &)> keep) {
  Expected<FatbinReader> fatbin = FatbinReader::create(data);
  if (!fatbin)
    return fatbin.takeError();
  std::vector<Slot> slots;
  ArrayRef<FatbinEntry> entries = fatbin->entries();
  for (size_t i = 0; i != entries.size();) {
    const FatbinEntry &first = entries[i];
    bool stays = false;
    for (; i != entries.size() && entries[i].offset == first.offset; ++i)
      stays |= keep(entries[i]);
    const uint64_t end =
        i == entries.size() ? fatbin->size() : entries[i].offset;
    slots.push_back({data.slice(first.offset, end), &first, stays, {}, 0, ""});
  }
  parallelFor(0, slots.size(), [&](size_t i) {
    if (slots[i].stays)
      if (Error e = rewriteSlot(slots[i], selection))
        slots[i].error = toString(std::move(e));
  });
  PrunedFatbin result;
  result.bytes.append(data.begin(), data.begin() + HeaderSize);
  for (const Slot &slot : slots) {
    if (!slot.error.empty())
      return createStringError("image for " + getTargetName(*slot.entry) +
                               ": " + slot.error);
    ++(slot.stays ? result.kept : result.dropped);
    if (!slot.stays)
      continue;
    result.kernelsDropped += slot.kernelsDropped;
    if (slot.made)
      result.rewritten.push_back(describeRewritten(slot));
    result.bytes.append(slot.bytes().begin(), slot.bytes().end());
  }
  endian::write64le(result.bytes.data() + SizeOffset,
                    result.bytes.size() - HeaderSize);
  return result;
}

} // namespace lld::cuda
