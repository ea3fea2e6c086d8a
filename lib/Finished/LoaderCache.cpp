//===- LoaderCache.cpp - Reads /etc/ld.so.cache ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the cache in which the dynamic loader of the host looks up libraries.
/// LibrarySearch.cpp calls it when cubin-check or --resources looks for the
/// libraries that a program loads. The file has a header, entries with offsets
/// of a name and a path, and the strings; older systems write the same after a
/// list of another form. A name may have several entries, for other processors
/// or C libraries. They are all kept, and LibrarySearch.cpp takes the first
/// that fits the program when it has opened the library.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Finished/LoaderCache.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <climits>
#include <optional>

using namespace llvm;
using namespace llvm::support;

namespace lld::cuda {

namespace {

constexpr StringLiteral Magic = "glibc-ld.so.cache1.1",
                        OldMagic = "ld.so-1.7.0";

struct CacheHeader {
  char magic[20];
  ulittle32_t count, stringSize;
  uint8_t flags, padding[3];
  ulittle32_t extension, unused[3];
};
static_assert(sizeof(CacheHeader) == 48);

struct CacheEntry {
  ulittle32_t flags, name, path, osVersion; ///< Offsets from the header.
  ulittle64_t processor;
};
static_assert(sizeof(CacheEntry) == 24);

struct OldHeader {
  char magic[12];
  ulittle32_t count; ///< Of entries of 12 bytes each.
};
static_assert(sizeof(OldHeader) == 16);

/// The string at an offset; null if it doesn't end, or only where no file has
/// such a long name: strings of a hostile cache may all be parts of one.
std::optional<StringRef> getString(StringRef data, uint64_t offset,
                                   size_t maxSize) {
  const StringRef text = data.substr(offset, maxSize + 1);
  const size_t end = text.find('\0');
  if (end == StringRef::npos)
    return std::nullopt;
  return text.take_front(end);
}

} // namespace

Expected<LoaderCache> readLoaderCache(StringRef data) {
  if (data.starts_with(OldMagic) && data.size() >= sizeof(OldHeader)) {
    constexpr uint64_t OldEntrySize = 12, Alignment = 8;
    auto *old = reinterpret_cast<const OldHeader *>(data.data());
    const uint64_t size =
        alignTo(sizeof(OldHeader) + OldEntrySize * old->count, Alignment);
    data = data.drop_front(std::min<uint64_t>(size, data.size()));
  }
  if (!data.starts_with(Magic) || data.size() < sizeof(CacheHeader))
    return createStringError("not a loader's cache of a known format");
  auto *header = reinterpret_cast<const CacheHeader *>(data.data());
  if (header->count > (data.size() - sizeof(CacheHeader)) / sizeof(CacheEntry))
    return createStringError("the loader's cache is cut off");
  auto *entries =
      reinterpret_cast<const CacheEntry *>(data.data() + sizeof(CacheHeader));
  LoaderCache cache;
  for (uint32_t i = 0; i != header->count; ++i) {
    std::optional<StringRef> name = getString(data, entries[i].name, NAME_MAX),
                             path = getString(data, entries[i].path, PATH_MAX);
    if (!name || !path)
      return createStringError("the loader's cache is cut off");
    cache[*name].push_back(*path);
  }
  return cache;
}

} // namespace lld::cuda
