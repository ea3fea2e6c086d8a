//===- InputBuffer.h - Input files in memory -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An input is copied into memory of the link's own before anything looks at
/// it. What was checked can't change afterwards, whoever writes to the file,
/// and all of it is of one time: a file that was written to while it was read
/// is an error.
///
/// Two things are not read at once:
///  * Large data of cubins that the linker only copies (initialised variables)
///    is mapped. Nobody looks into it, so nothing can go wrong by what it
///    holds.
///  * Of large archives and host objects only what load() is called for is
///    read, since most of what they hold is no device code. Anything else in
///    the buffer is zero.
/// Of these it is known at the end only whether they were written to:
/// isUnchanged().
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_INPUTBUFFER_H
#define LLD_CUDA_INPUT_INPUTBUFFER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace lld::cuda {

/// What a buffer asks the system for. A test has one whose times are those of
/// another kernel.
class InputSystem {
public:
  virtual ~InputSystem();
  virtual int status(int fd, struct stat &status) const;
  virtual ssize_t read(int fd, char *to, size_t size, uint64_t offset) const;
  /// By the clock from which times of files are taken.
  virtual timespec now() const;

  static const InputSystem &get();
};

class InputBuffer final : public llvm::MemoryBuffer {
public:
  struct Options {
    bool mayMap = true;
    /// Reads only what is asked for, if it is an archive or a host object,
    /// whatever its size.
    bool lazy = false;
    /// Reads all of any file at once.
    bool whole = false;
    /// load() is called by several links, for parts that may overlap.
    bool isShared = false;
    const InputSystem *system = nullptr; ///< Null: the system itself.
  };
  enum class Problem { None, CannotRead, Changed };

  /// Reads an open file. Null if that fails; then `problem` says why.
  static std::unique_ptr<InputBuffer> read(int fd, const std::string &path,
                                           const struct stat &status,
                                           Options options, Problem &problem);
  /// Copies what stands for a file. Null if there is no memory.
  static std::unique_ptr<InputBuffer> copy(llvm::MemoryBufferRef contents);
  ~InputBuffer() override;

  /// Makes this part of the contents, which may be one of a lazily read file,
  /// readable. For parts that don't overlap it is thread-safe, in a shared
  /// buffer for all.
  void load(llvm::StringRef part) const;

  /// Whether the file, which isn't in memory as a whole, is still what it was
  /// when it was opened. Nothing can be loaded afterwards.
  bool isUnchanged();

  llvm::sys::fs::UniqueID id() const { return {opened.st_dev, opened.st_ino}; }

  /// Parts are read later, or are mapped; see isUnchanged().
  bool isOpen() const { return fd >= 0; }
  bool isMapped() const { return hasMapping; }

  llvm::StringRef getBufferIdentifier() const override { return path; }
  BufferKind getBufferKind() const override { return MemoryBuffer_Malloc; }

private:
  /// What was read of a shared file is never read again: somebody may have
  /// checked it.
  struct LoadedParts {
    std::mutex mutex;
    std::map<uint64_t, uint64_t> ends; ///< By beginning; apart.
  };
  void loadMissing(uint64_t begin, uint64_t end) const;
  InputBuffer(std::string path, const InputSystem &system)
      : path(std::move(path)), system(system) {
    init(nullptr, nullptr, /*RequiresNullTerminator=*/false);
  }
  Problem readRegular(int file, const struct stat &first, Options options);
  Problem readStream(int file);
  bool allocate(uint64_t size, bool sparse);
  bool readContents(int file, uint64_t size, bool mayMap);
  bool mapBulk(int file, uint64_t begin, uint64_t end);
  void release();
  /// Reads a part of the file into the buffer. What a later write may differ
  /// from unseen is noted: it is unsure.
  bool readPart(int file, uint64_t begin, uint64_t end) const;
  /// Whether what is unsure is what the file holds now.
  bool readsTheSame(int file) const;
  bool awaitTick();
  char *bytes() const { return const_cast<char *>(getBufferStart()); }

  struct Part {
    uint64_t begin, end;
  };

  std::string path;
  const InputSystem &system;
  void *mapping = nullptr; ///< If the memory isn't the heap's.
  uint64_t mappingSize = 0;
  int fd = -1;
  bool hasMapping = false;
  struct stat opened = {};
  std::unique_ptr<LoadedParts> loaded; ///< If links share it.
  mutable std::atomic<bool> failed{false};
  /// The tick of the last change may still last.
  mutable std::atomic<bool> isNew{false};
  mutable std::mutex unsureMutex; ///< Parts may be loaded in threads.
  mutable std::vector<Part> unsure;
};

} // namespace lld::cuda

#endif
