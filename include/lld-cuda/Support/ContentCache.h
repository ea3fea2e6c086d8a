//===- ContentCache.h - Folder of cached results ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The folder of --cache-dir: cached results of expensive computations.
/// Driver.cpp opens it for a link. CompileCache.cpp looks up what ptxas
/// (Compilers.cpp) and lld-cuda-lto (LtoJob.cpp) made in an earlier link, adds
/// what they make in this one, and prunes the folder afterwards.
///
/// A file is found by a key: the hash of the contents of all that the result
/// depends on. Any number of processes may use the folder at once and be killed
/// at any moment: a file is written under a temporary name and renamed, and
/// holds its key and a hash of its contents. A file that isn't valid is never
/// used, so damage to the folder can cost time but never causes a wrong result.
///
/// The folder must belong to the user, and nobody else may be able to write to
/// it: otherwise others could choose what the user's programs reuse.
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

/// Hashes texts and numbers into a key. Boundaries matter: "a", "bc" gives
/// another key than "ab", "c".
class ContentKey {
public:
  /// `kind` names the sort of result. The program's version and the version of
  /// the file format are part of each key.
  explicit ContentKey(llvm::StringRef kind);
  void add(llvm::StringRef text);
  void add(uint64_t number);
  void add(const ContentHash &hash) { add(asText(hash)); }
  ContentHash get();

private:
  llvm::BLAKE3 hasher;
};

/// Identifies a file's state: writing to the file or replacing it changes at
/// least one of these values (see hashFile() for the granularity of the times).
struct FileState {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  timespec modified = {}, changed = {};

  bool operator==(const FileState &other) const;
};

/// A file's path, its state when it was read, and the hash of its contents.
struct HashedFile {
  std::string path;
  FileState state;
  ContentHash hash;

  /// Returns whether the file still has that state. False also if it can't be
  /// looked at.
  bool isUnchanged() const;
};

/// Parses a pruning policy in the syntax of lld's --thinlto-cache-policy. By
/// default the cache has at most 5 GiB, entries that weren't used for 30 days
/// are removed, and both are checked at most every five minutes.
llvm::Expected<llvm::CachePruningPolicy> readCachePolicy(llvm::StringRef text);

/// An open cache folder. All functions may be called by several threads
/// at once.
class ContentCache {
public:
  /// Opens the folder, and creates it if it doesn't exist. The error says why
  /// the folder can't be used or isn't safe to use.
  static llvm::Expected<std::unique_ptr<ContentCache>>
  open(llvm::StringRef folder, const llvm::CachePruningPolicy &policy);
  ~ContentCache();
  ContentCache(const ContentCache &) = delete;
  ContentCache &operator=(const ContentCache &) = delete;

  /// A result as add() got it. `parts` point into `buffer`.
  struct Entry {
    std::unique_ptr<llvm::MemoryBuffer> buffer;
    llvm::SmallVector<llvm::StringRef, 2> parts;
  };
  enum class Found { Yes, No, Damaged };
  /// Looks up a result. `entry` is filled only with Found::Yes. Found::Damaged
  /// means that there is a file, but not one that add() wrote for the key, or
  /// that it can't be read: the result has to be computed, as with Found::No.
  Found find(const ContentHash &key, Entry &entry) const;
  /// Stores a result; it replaces one of the same key. It is no error if the
  /// folder was removed meanwhile.
  llvm::Error add(const ContentHash &key,
                  llvm::ArrayRef<llvm::StringRef> parts) const;

  /// Returns the hash of a file's contents, or nullopt if it isn't a regular
  /// file or can't be read. The hash of a file of 1 MiB or more is looked up by
  /// the file's state and samples of its contents, so that an unchanged file
  /// isn't read as a whole again. With `mayKeep` a new hash of such a file is
  /// added to the cache, unless the file was changed in the last seconds: its
  /// times might not show the next change.
  std::optional<HashedFile> hashFile(llvm::StringRef path, bool mayKeep) const;

  /// Removes entries as the policy says, unless that was done recently.
  void prune() const;

  /// The number of entries and their size in bytes.
  struct Size {
    uint64_t entries = 0, bytes = 0;
  };
  Size measure() const;

private:
  ContentCache(int folder, const llvm::CachePruningPolicy &policy)
      : folder(folder), policy(policy) {}
  std::optional<ContentHash> hashOpened(int fd, const FileState &state,
                                        bool mayKeep) const;

  /// Descriptor, owned. Replacing the folder's path doesn't affect it.
  const int folder;
  const llvm::CachePruningPolicy policy;
};

} // namespace lld::cuda

#endif
