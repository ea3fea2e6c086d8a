//===- ContentCache.h - Results that later runs take over -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A folder of files, each the result of something that took long. A file is
/// found by a key: the hash of all that the result depends on, by content. Any
/// number of processes may use the folder at once, and be killed at any moment.
/// A file is written beside its place and renamed, holds its key and a hash of
/// its contents, and counts as absent if anything about it isn't as it has to
/// be; so whatever happens to the folder costs time, and never makes a wrong
/// result.
///
/// The folder must be the user's own, and nobody else may be able to write to
/// it: others could otherwise choose what the user's programs take over.
///
/// Old files and those least recently used are removed by llvm::pruneCache().
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_CONTENTCACHE_H
#define LLD_CUDA_SUPPORT_CONTENTCACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <time.h>

namespace lld::cuda {

using ContentHash = std::array<uint8_t, 32>;

inline llvm::StringRef asText(const ContentHash &hash) {
  return {reinterpret_cast<const char *>(hash.data()), hash.size()};
}

/// Makes a key of texts and numbers, whose borders count: "a", "bc" is another
/// key than "ab", "c".
class ContentKey {
public:
  /// `kind`: what sort of result it is. The release of this program, and the
  /// format of the files, are part of each key.
  explicit ContentKey(llvm::StringRef kind);
  void add(llvm::StringRef text);
  void add(uint64_t number);
  void add(const ContentHash &hash) { add(asText(hash)); }
  ContentHash get();

private:
  llvm::BLAKE3 hasher;
};

/// What tells that a file is the one that it was: somebody who writes to it or
/// puts another one in its place changes one of these.
struct FileState {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  timespec modified = {}, changed = {};

  bool operator==(const FileState &other) const;
};

/// A file's content.
struct HashedFile {
  std::string path;
  FileState state;
  ContentHash hash;

  /// Nobody has touched it since it was read.
  bool isUnchanged() const;
};

/// What is removed, in the words of lld's --thinlto-cache-policy. What isn't
/// said is 5 GiB at most, and nothing that wasn't used for 30 days; looked
/// after every five minutes.
llvm::Expected<llvm::CachePruningPolicy> readCachePolicy(llvm::StringRef text);

class ContentCache {
public:
  /// Opens the folder, and makes it if it isn't there. An error says why it
  /// can't or must not be used.
  static llvm::Expected<std::unique_ptr<ContentCache>>
  open(llvm::StringRef folder, const llvm::CachePruningPolicy &policy);
  ~ContentCache();
  ContentCache(const ContentCache &) = delete;
  ContentCache &operator=(const ContentCache &) = delete;

  /// The parts of a result.
  struct Entry {
    std::unique_ptr<llvm::MemoryBuffer> buffer;
    llvm::SmallVector<llvm::StringRef, 2> parts;
  };
  enum class Found { Yes, No, Damaged };
  Found find(const ContentHash &key, Entry &entry) const;
  llvm::Error add(const ContentHash &key,
                  llvm::ArrayRef<llvm::StringRef> parts) const;

  /// The hash of a file's content. That of a large one is kept, so that it
  /// isn't read again as long as it stays as it is. With `mayKeep` it is added
  /// to the cache.
  std::optional<HashedFile> hashFile(llvm::StringRef path, bool mayKeep) const;

  /// Removes what is too old or too much, if that wasn't done lately.
  void prune() const;

  /// How much there is.
  struct Size {
    uint64_t entries = 0, bytes = 0;
  };
  Size measure() const;

private:
  ContentCache(int folder, const llvm::CachePruningPolicy &policy)
      : folder(folder), policy(policy) {}
  std::optional<ContentHash> hashOpened(int fd, const FileState &state,
                                        bool mayKeep) const;

  const int folder; ///< Opened; names in it can't become another folder's.
  const llvm::CachePruningPolicy policy;
};

} // namespace lld::cuda

#endif
