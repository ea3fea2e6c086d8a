//===- Cache.cpp - A program's results in the cache -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// lldcuda_link_cache_find() and lldcuda_link_cache_keep(): a program that
/// compiles something itself, with a compiler in its own process, keeps the
/// result in the folder of lldcuda_options.cache_directory, beside what the
/// linker keeps there. Keys and files are those of ContentCache (lib/Support);
/// the hash of a key has the contents of the compilers, as for the linker's own
/// compiles (lld-cuda/Input/CompileCache.cpp).
///
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "lld-cuda/Support/ContentCache.h"
#include "lld-cuda/Support/LongLived.h"

using namespace llvm;
using namespace lld::cuda;
using namespace lld::cuda::capi;

static bool readKey(lldcuda_cache_key &to, const lldcuda_cache_key *from) {
  auto areStrings = [](const lldcuda_string *strings, size_t count) {
    return isArray(strings, count) &&
           all_of(ArrayRef(strings, count), isString);
  };
  return readStruct(to, from) && areStrings(to.texts, to.text_count) &&
         areStrings(to.compilers, to.compiler_count);
}

/// Opens the cache, or says once why it isn't used.
static ContentCache *openCache(lldcuda_link &link) {
  const std::string &folder = link.options.cacheFolder;
  if (folder.empty() || link.isCacheUnusable)
    return nullptr;
  if (!link.cache) {
    auto policy = readCachePolicy("");
    auto opened =
        policy ? ContentCache::open(folder, *policy) : policy.takeError();
    if (!opened) {
      link.isCacheUnusable = true;
      link.record(Diagnostic(DiagId::CacheUnusable,
                             {"the cache ", diag::file(folder),
                              " is not used: ", toString(opened.takeError())}),
                  0);
      return nullptr;
    }
    link.cache = std::move(*opened);
  }
  return link.cache.get();
}

/// Returns the key's hash; nothing if a compiler can't be read, or has changed
/// since the link asked for a key before.
static std::optional<ContentHash> hashKey(lldcuda_link &link,
                                          const ContentCache &cache,
                                          const lldcuda_cache_key &from) {
  ContentKey key("program");
  key.add(from.text_count);
  for (const lldcuda_string &text : ArrayRef(from.texts, from.text_count))
    key.add(asRef(text));
  for (const lldcuda_string &compiler :
       ArrayRef(from.compilers, from.compiler_count)) {
    auto known = find_if(link.compilers, [&](const HashedFile &file) {
      return file.path == asRef(compiler);
    });
    if (known == link.compilers.end()) {
      std::optional<HashedFile> file =
          cache.hashFile(asRef(compiler), /*mayKeep=*/true);
      if (!file)
        return std::nullopt;
      link.compilers.push_back(std::move(*file));
      known = std::prev(link.compilers.end());
    }
    if (!known->isUnchanged())
      return std::nullopt;
    key.add(known->hash);
  }
  return key.get();
}

lldcuda_status lldcuda_link_cache_find(lldcuda_link *link,
                                       const lldcuda_cache_key *given,
                                       lldcuda_bytes *result) {
  if (!result)
    return LLDCUDA_ERROR_INVALID_ARGUMENT;
  *result = {nullptr, 0};
  return callWith(link, [&]() -> lldcuda_status {
    LongLived kept;
    lldcuda_cache_key key;
    if (!readKey(key, given))
      return LLDCUDA_ERROR_INVALID_ARGUMENT;
    const ContentCache *cache = openCache(*link);
    const auto hash = cache ? hashKey(*link, *cache, key) : std::nullopt;
    ContentCache::Entry entry;
    if (!hash || cache->find(*hash, entry) != ContentCache::Found::Yes ||
        entry.parts.size() != 1)
      return LLDCUDA_OK;
    *result = {entry.parts[0].data(), entry.parts[0].size()};
    link->cached.push_back(std::move(entry.buffer));
    return LLDCUDA_OK;
  });
}

lldcuda_status lldcuda_link_cache_keep(lldcuda_link *link,
                                       const lldcuda_cache_key *given,
                                       const void *data, size_t size) {
  return callWith(link, [&]() -> lldcuda_status {
    LongLived kept;
    lldcuda_cache_key key;
    const auto *bytes = static_cast<const char *>(data);
    if (!readKey(key, given) || !isArray(bytes, size))
      return LLDCUDA_ERROR_INVALID_ARGUMENT;
    const ContentCache *cache = openCache(*link);
    const auto hash = cache ? hashKey(*link, *cache, key) : std::nullopt;
    if (!hash)
      return LLDCUDA_OK;
    if (Error e = cache->add(*hash, StringRef(bytes, size)))
      link->record(
          Diagnostic(DiagId::CacheUnusable,
                     {"the cache ", diag::file(link->options.cacheFolder),
                      " cannot be written: ", toString(std::move(e))}),
          0);
    cache->prune();
    return LLDCUDA_OK;
  });
}
