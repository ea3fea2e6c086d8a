//===- InputBuffer.h - Contents of an input file ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The contents of an input file in memory. OpenFile.cpp creates one for each
/// file when a link loads its inputs, and PreparedInput.cpp for data that a
/// program has prepared for links.
///
/// A file is copied into the link's own memory before anything looks at it. So
/// what was checked can't change afterwards, even if somebody writes to the
/// file. It is an error if the file was written to while it was read.
///
/// Two things are not read immediately:
///  * Large data of cubins that the linker only copies (initialised variables)
///    is mapped. The linker doesn't interpret it, so that changes do no harm.
///  * Of large archives and host objects only what load() is called for is
///    read, since most of what they hold is no device code. Anything else in
///    the buffer is zero.
/// Whether these were written to is known only at the end of the link, when
/// SaveFile.cpp asks isUnchanged() (reportChangedInputs()) before the output is
/// put in place.
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

/// The system calls that a buffer makes. A unit test replaces them to imitate
/// other kernels' file times.
class InputSystem {
public:
  virtual ~InputSystem();
  virtual int status(int fd, struct stat &status) const;
  virtual ssize_t read(int fd, char *to, size_t size, uint64_t offset) const;
  /// Returns the time of the clock from which file times are taken.
  virtual timespec now() const;

  static const InputSystem &get();
};

/// Owns its memory and, until isUnchanged(), the descriptor of a file of which
/// parts are read later.
class InputBuffer final : public llvm::MemoryBuffer {
public:
  /// How a file is read.
  struct Options {
    bool mayMap = true; ///< Large data that is only copied may be mapped.
    /// Reads only what load() is called for, if the file is an archive or a
    /// host object of any size.
    bool lazy = false;
    /// Reads any file as a whole, immediately.
    bool whole = false;
    /// Several links share the buffer and load parts that may overlap.
    bool isShared = false;
    const InputSystem *system = nullptr; ///< Null for InputSystem::get().
  };
  /// Why a file couldn't be read. Changed: it was written to meanwhile.
  enum class Problem { None, CannotRead, Changed };

  /// Reads an open file. Returns null if that fails; `problem` then says why.
  static std::unique_ptr<InputBuffer> read(int fd, const std::string &path,
                                           const struct stat &status,
                                           Options options, Problem &problem);
  /// Copies contents that are given instead of a file. Returns null if there
  /// isn't enough memory.
  static std::shared_ptr<InputBuffer> copy(llvm::MemoryBufferRef contents);
  ~InputBuffer() override;

  /// Makes this part of the contents readable, if the file is read lazily.
  /// Thread-safe for parts that don't overlap; in a shared buffer, for all
  /// parts. If it fails, isUnchanged() returns false.
  void load(llvm::StringRef part) const;

  /// Returns whether a file that isn't in memory as a whole is unchanged since
  /// it was opened; true for other files. Closes the file: nothing can be
  /// loaded afterwards.
  bool isUnchanged();

  llvm::sys::fs::UniqueID id() const { return {opened.st_dev, opened.st_ino}; }

  /// Returns whether the file is still open, because parts are read later or
  /// are mapped; see isUnchanged().
  bool isOpen() const { return fd >= 0; }
  bool isMapped() const { return hasMapping; }

  llvm::StringRef getBufferIdentifier() const override { return path; }
  BufferKind getBufferKind() const override { return MemoryBuffer_Malloc; }

private:
  struct Key {};

public:
  /// Only functions of this class have the key.
  InputBuffer(Key, std::string path, const InputSystem &system)
      : path(std::move(path)), system(system) {
    init(nullptr, nullptr, /*RequiresNullTerminator=*/false);
  }

private:
  /// The loaded parts of a shared file. They are never read again, since a link
  /// may have checked them already.
  struct LoadedParts {
    std::mutex mutex;
    /// The end of each part, by its start. Parts don't overlap.
    std::map<uint64_t, uint64_t> ends;
  };
  void loadMissing(uint64_t begin, uint64_t end) const;
  Problem readRegular(int file, const struct stat &first, Options options);
  Problem readStream(int file);
  bool allocate(uint64_t size, bool sparse);
  bool readContents(int file, uint64_t size, bool mayMap);
  bool mapBulk(int file, uint64_t begin, uint64_t end);
  void release();
  /// Reads a part of the file into the buffer. If a later write to it could go
  /// unnoticed, the part is added to `unsure`. Returns false after an error.
  bool readPart(int file, uint64_t begin, uint64_t end) const;
  /// Returns whether the parts in `unsure` are equal to the file's contents
  /// now.
  bool readsTheSame(int file) const;
  /// Waits until `isNew` can be cleared. Returns false if that takes too long.
  bool awaitTick();
  char *bytes() const { return const_cast<char *>(getBufferStart()); }

  /// A range of bytes of the file.
  struct Part {
    uint64_t begin, end;
  };

  std::string path;
  const InputSystem &system;
  void *mapping = nullptr; ///< Null if the memory is from the heap.
  uint64_t mappingSize = 0;
  int fd = -1;
  bool hasMapping = false;
  bool isInBlock = false; ///< The bytes are freed with this object.
  struct stat opened = {};
  std::unique_ptr<LoadedParts> loaded;     ///< Null if links don't share it.
  mutable std::atomic<bool> failed{false}; ///< load() couldn't read a part.
  /// The file was changed so recently that another write may leave its times as
  /// they are, so that it wouldn't be noticed.
  mutable std::atomic<bool> isNew{false};
  mutable std::mutex unsureMutex; ///< Guards `unsure`.
  /// The parts that were read while `isNew` was set. They are compared with the
  /// file at the end.
  mutable std::vector<Part> unsure;
};

} // namespace lld::cuda

#endif
