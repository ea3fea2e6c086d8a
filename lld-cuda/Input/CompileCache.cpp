//===- CompileCache.cpp - --cache-dir: a link's use of the cache ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// CompileCache decides what a link takes from the cache of compiles and what
/// it puts there; ContentCache (lib/Support) has the files. Compilers.cpp asks
/// it for each text of PTX, in several threads if there are several texts, and
/// LtoJob.cpp for each job of lld-cuda-lto. runLink() calls report() at its
/// end, which also removes entries if the cache has grown too large.
///
/// A compiler is known by its content, which is hashed once in a link. A result
/// isn't kept if the compiler's file changed while it ran, nor in a sandbox:
/// hostile input may have taken the compiler over, and what that leaves would
/// get into links without a sandbox.
///
//===----------------------------------------------------------------------===//

#include "Input/CompileCache.h"
#include "Inputs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lld::cuda {

/// In a sandbox the folder is read only: what a compiler that hostile input has
/// taken over could leave there, links without a sandbox would take over.
ContentCache *CompileCache::open(const Config &config) {
  if (!config.cache.folder || config.cache.folder->empty())
    return nullptr;
  std::call_once(isOpened, [&] {
    mayWrite = config.sandbox.value_or(SandboxMode::No) == SandboxMode::No;
    auto policy = readCachePolicy(config.cache.policy);
    auto opened = policy ? ContentCache::open(*config.cache.folder, *policy)
                         : policy.takeError();
    if (opened)
      store = std::move(*opened);
    else
      problem = toString(opened.takeError());
  });
  return store.get();
}

/// Hashes a compiler once in a link, even if several compiles ask at a time.
std::optional<HashedFile> CompileCache::hashCompiler(const std::string &path) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [it, isNew] = hashes.try_emplace(path);
  if (isNew)
    it->second = store->hashFile(path, mayWrite);
  return it->second;
}

std::optional<CompileCache::Compile>
CompileCache::begin(const Config &config, ContentKey key,
                    ArrayRef<std::string> compilers) {
  if (!open(config))
    return std::nullopt;
  Compile compile;
  for (const std::string &path : compilers) {
    std::optional<HashedFile> file = hashCompiler(path);
    if (!file) {
      ++passed;
      return std::nullopt;
    }
    key.add(file->hash);
    compile.compilers.push_back(std::move(*file));
  }
  compile.key = key.get();
  return compile;
}

bool CompileCache::find(const Compile &compile, ContentCache::Entry &entry) {
  const ContentCache::Found found = store->find(compile.key, entry);
  const bool isHit = found == ContentCache::Found::Yes;
  ++(isHit ? hits : misses);
  if (found == ContentCache::Found::Damaged)
    ++damaged;
  return isHit;
}

void CompileCache::keep(const Compile &compile, ArrayRef<StringRef> parts) {
  if (!mayWrite || !all_of(compile.compilers, [](const HashedFile &file) {
        return file.isUnchanged();
      }))
    return;
  if (Error e = store->add(compile.key, parts)) {
    const std::lock_guard<std::mutex> lock(mutex);
    std::string text = toString(std::move(e));
    if (writeProblem.empty())
      writeProblem = std::move(text);
  }
}

void CompileCache::passBy(const Config &config) {
  if (open(config))
    ++passed;
}

void CompileCache::report(const Inputs &inputs) {
  const CacheConfig &cache = inputs.config.cache;
  if (!problem.empty())
    inputs.diag.report(
        DiagId::CacheUnusable,
        {"the cache ", diag::file(*cache.folder), " is not used: ", problem});
  if (!writeProblem.empty())
    inputs.diag.report(DiagId::CacheUnusable,
                       {"the cache ", diag::file(*cache.folder),
                        " cannot be written: ", writeProblem});
  // The cache may have become too large by what was added.
  if (store && mayWrite && misses)
    store->prune();
  if (!cache.stats)
    return;
  auto print = [&](const char *what, uint64_t count) {
    inputs.out << left_justify(what, 24)
               << right_justify(Twine(count).str(), 12) << '\n';
  };
  print("cache hits", hits);
  print("cache misses", misses);
  print("cache damaged", damaged);
  print("cache passed by", passed);
  if (!open(inputs.config))
    return;
  const ContentCache::Size size = store->measure();
  print("cache entries", size.entries);
  print("cache bytes", size.bytes);
}

} // namespace lld::cuda
