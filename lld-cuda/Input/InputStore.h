//===- InputStore.h - Inputs that several links share -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A device link links the same inputs for several architectures. What doesn't
/// depend on the architecture is made here, once for all of them: files in
/// memory, lists of members, what host objects and fatbins hold, decompressed
/// entries, checked cubins. Each is made when the first link asks for it, which
/// may be in any thread, and never changes afterwards.
///
/// The owner makes the store before its links and destroys it after them, since
/// they refer to what is in it. Links that share nothing have no store, and
/// take no locks.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_INPUTSTORE_H
#define LLD_CUDA_INPUT_INPUTSTORE_H

#include "Input/InputFiles.h"
#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Object/Fatbin.h"
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace lld::cuda {

enum class FileKinds : bool;

struct FileToRead;

/// Values by key, each made once. A value that can't be made is none; who wants
/// to say why tries it again.
template <typename Key, typename Value> class OnceMap {
public:
  /// `make` returns std::optional<Value>. The value stays where it is.
  template <typename Fn> Value *get(const Key &key, Fn make) {
    Slot *slot;
    {
      std::lock_guard<std::mutex> lock(mutex);
      slot = &slots[key];
    }
    if (!slot->isMade.load(std::memory_order_acquire)) {
      std::lock_guard<std::mutex> lock(slot->mutex);
      if (!slot->isMade.load(std::memory_order_relaxed)) {
        slot->value = make();
        slot->isMade.store(true, std::memory_order_release);
      }
    }
    return slot->value ? &*slot->value : nullptr;
  }
  /// Calls `fn` for each one. Only while no other thread makes any.
  template <typename Fn> void forEach(Fn fn) {
    for (auto &[key, slot] : slots)
      if (slot.value)
        fn(*slot.value);
  }

private:
  /// No std::once_flag: a lack of memory is an exception in shared libraries,
  /// and those can't pass pthread_once() where the unwinder isn't the
  /// process's.
  struct Slot {
    std::mutex mutex;
    std::atomic<bool> isMade{false};
    std::optional<Value> value;
  };
  std::mutex mutex;
  std::map<Key, Slot> slots;
};

/// What the store has, or, if there is no store or it has none, what the link
/// makes for itself: a value or why there is none.
template <typename T> class SharedOrOwn {
public:
  template <typename Fn> SharedOrOwn(const T *shared, Fn make) : value(shared) {
    if (shared)
      return;
    own.emplace(make());
    if (*own)
      value = &**own;
  }
  SharedOrOwn(const SharedOrOwn &) = delete; // It points into itself.
  explicit operator bool() const { return value; }
  const T &operator*() const { return *value; }
  const T *operator->() const { return value; }
  llvm::Error takeError() { return own->takeError(); }

private:
  const T *value;
  std::optional<llvm::Expected<T>> own;
};

class InputStore {
public:
  /// `takesStandardInput`: that is what the file "-" is.
  explicit InputStore(bool takesStandardInput = false)
      : takesStandardInput(takesStandardInput) {}
  InputStore(const InputStore &) = delete;
  InputStore &operator=(const InputStore &) = delete;

  /// Reads these files, as far as they can be read. If they are large, so that
  /// threads are worth it, `threadsIfLarge` is called before any of those
  /// starts and says how many there may be.
  void read(llvm::ArrayRef<std::string> paths,
            llvm::function_ref<unsigned()> threadsIfLarge);
  /// The file, read now if it wasn't yet. Of an archive only what is loaded, if
  /// the first one who asks for it says `lazy`.
  OpenedFile open(const std::string &path, bool lazy);
  OpenedFile open(const std::string &path, bool lazy, FileKinds kinds);

  // What is in the bytes at an address. Null: it can't be read.
  const std::vector<ArchiveMember> *getMembers(const InputBuffer &archive);
  /// `source`: where parts of the data have to be loaded; may be null.
  const HostObject *getHostObject(llvm::MemoryBufferRef data,
                                  const InputBuffer *source);
  const FatbinReader *getFatbin(llvm::StringRef data);
  const CubinFile *getCubin(llvm::StringRef data);
  /// The payload of a compressed entry, or its part of one.
  std::optional<llvm::StringRef>
  getPayload(const FatbinEntry &entry,
             llvm::function_ref<llvm::Error(uint64_t)> allow);

  /// Files that were written to since they were opened. To be called once, when
  /// nothing is loaded any more.
  std::vector<std::string> findChanged();

  /// What entries have been decompressed to, for all links together.
  std::atomic<uint64_t> decompressed{0};

private:
  OpenedFile read(const std::string &path, const FileToRead &file, bool lazy);
  FileToRead openToRead(const std::string &path, FileKinds kinds) const;

  const bool takesStandardInput;
  OnceMap<std::string, OpenedFile> files;
  OnceMap<const char *, std::vector<ArchiveMember>> archives;
  OnceMap<const char *, HostObject> objects;
  OnceMap<const char *, FatbinReader> fatbins;
  OnceMap<const char *, CubinFile> cubins;
  /// By where the payload begins and, in it, the image.
  OnceMap<std::pair<const char *, uint64_t>, llvm::SmallVector<uint8_t, 0>>
      payloads;
  std::atomic<unsigned> openFiles{0}; ///< Those that aren't read at once.
};

} // namespace lld::cuda

#endif
