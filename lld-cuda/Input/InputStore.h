//===- InputStore.h - Inputs that several links share -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The store of what several links of the same inputs share, because it doesn't
/// depend on the architecture: files in memory, lists of archive members, the
/// contents of host objects and fatbins, decompressed entries, checked cubins.
/// DeviceLink.cpp makes a store for each device link, and PreparedInput.h one
/// for each input that a program prepares for several links; the sources in
/// Input/ ask it while a link loads its inputs. A value is made when the first
/// link asks for it, in any thread, and never changes afterwards.
///
/// The owner makes the store before its links and destroys it after them, since
/// they refer to what is in it. Links that share nothing have no store, and
/// take no locks.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_INPUTSTORE_H
#define LLD_CUDA_INPUT_INPUTSTORE_H

#include "FactMemory.h"
#include "Input/InputFiles.h"
#include "Input/ObjectFacts.h"
#include "LinkMemory.h"
#include "lld-cuda/Object/Archive.h"
#include "lld-cuda/Object/Fatbin.h"
#include "lld-cuda/Support/LongLived.h"
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace lld::cuda {

class FinalCodeCache;
enum class FileKinds : bool;

struct FileToRead;

/// A map whose values are each made once, at the first request. If a value
/// can't be made, the map doesn't keep the reason: a caller that needs it tries
/// again. All functions except forEach() are thread-safe.
template <typename Key, typename Value> class OnceMap {
public:
  /// Returns the value of `key`, made by `make` if it is new, or null if it
  /// can't be made. `make` returns std::optional<Value>. The pointer stays
  /// valid.
  template <typename Fn> Value *get(const Key &key, Fn make) {
    Slot *slot;
    {
      LongLived kept;
      std::lock_guard<std::mutex> lock(mutex);
      slot = &slots[key];
    }
    if (!slot->isMade.load(std::memory_order_acquire)) {
      std::lock_guard<std::mutex> lock(slot->mutex);
      if (!slot->isMade.load(std::memory_order_relaxed)) {
        LongLived kept;
        slot->value = make();
        slot->isMade.store(true, std::memory_order_release);
      }
    }
    return slot->value ? &*slot->value : nullptr;
  }
  /// Calls `fn` for each value. No other thread may use the map meanwhile.
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

/// Holds a value of the store or, if there is no store or it has no such value,
/// one that the link makes for itself; or the error if that fails.
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

/// Thread-safe, except findChanged().
class InputStore {
public:
  /// With `takesStandardInput`, the file "-" is standard input.
  explicit InputStore(bool takesStandardInput = false);
  ~InputStore();
  InputStore(const InputStore &) = delete;
  InputStore &operator=(const InputStore &) = delete;

  /// Reads these files, as far as they can be read. If they are large, so that
  /// threads are worth it, `threadsIfLarge` is called before any of those
  /// starts and says how many there may be.
  void read(llvm::ArrayRef<std::string> paths,
            llvm::function_ref<unsigned()> threadsIfLarge);
  /// Returns the file, and reads it if it isn't read yet. With `lazy` in the
  /// first call, only those parts of an archive are read that are loaded.
  OpenedFile open(const std::string &path, bool lazy);
  OpenedFile open(const std::string &path, bool lazy, FileKinds kinds);

  // These functions return what the bytes at an address contain, or null if
  // that can't be read. Results are found by the address.
  const std::vector<ArchiveMember> *getMembers(const InputBuffer &archive);
  /// `source` is the buffer from which parts of the data must be loaded, or
  /// null.
  const HostObject *getHostObject(llvm::MemoryBufferRef data,
                                  const InputBuffer *source);
  const FatbinReader *getFatbin(llvm::StringRef data);
  const CubinFile *getCubin(llvm::StringRef data);
  /// Returns the facts about a cubin that getCubin() has returned.
  const ObjectFacts *getFacts(const CubinFile &file, bool isMercury);
  /// Returns the decompressed payload of an entry, or its part of one.
  std::optional<llvm::StringRef>
  getPayload(const FatbinEntry &entry,
             llvm::function_ref<llvm::Error(uint64_t)> allow);

  /// Returns the files that were written to since they were opened. Must be
  /// called once, when nothing is loaded any more.
  std::vector<std::string> findChanged();

  /// Final code of the functions, for later links. Null unless the store is
  /// that of a prepared input (PreparedInput.h).
  std::unique_ptr<FinalCodeCache> finalCode;
  /// The total size of decompressed entries in bytes, for all links together.
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
  /// Indexed by address and whether the target has a Mercury view.
  OnceMap<std::pair<const char *, bool>, const ObjectFacts *> facts;
  SharedArena arena;
  FactMemory factMemory{arena};
  /// Indexed by the address of the payload and the image's offset in it.
  OnceMap<std::pair<const char *, uint64_t>, llvm::SmallVector<uint8_t, 0>>
      payloads;
  std::atomic<unsigned> openFiles{0}; ///< Files of which parts are read later.
};

} // namespace lld::cuda

#endif
