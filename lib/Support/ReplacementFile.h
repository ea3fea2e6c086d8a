//===- ReplacementFile.h - New files that replace a target ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The usual way to write an output: a new file, which takes the target's name
/// when it is complete. OutputFile.cpp makes one ReplacementFile for each
/// output and calls create(), fills the file, and when the program commits all
/// its outputs calls prepare(), place() and dropOld(); or undo() if a later
/// output fails. The other way is InPlaceFile.h.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_REPLACEMENTFILE_H
#define LLD_CUDA_SUPPORT_REPLACEMENTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <sys/types.h>

namespace lld::cuda {

/// A file that takes a target's name once it is complete. Until then it has no
/// name if the file system supports that (O_TMPFILE), so that nothing is left
/// over however the program ends; elsewhere it has a temporary name, which a
/// signal handler removes.
class ReplacementFile {
public:
  ReplacementFile(std::string target, bool targetExists)
      : target(std::move(target)), targetExists(targetExists) {}
  ReplacementFile(const ReplacementFile &) = delete;
  ReplacementFile &operator=(const ReplacementFile &) = delete;
  ~ReplacementFile() { discard(); }

  /// Creates the file, which can also be read if `isRead`. `mode` is the mode
  /// before the umask. Returns false with errno set if it can't be created.
  bool create(mode_t mode, bool isRead);
  /// Returns the open file, which this object owns; -1 before create() and once
  /// the file is closed by prepare() or place().
  int descriptor() const { return fd; }

  /// Writes the contents again; returns 0 or an errno value. It is called if an
  /// unnamed file can't get a name, since there is no /proc, so that a file
  /// with a name has to be created instead.
  using Refill = llvm::function_ref<int()>;

  // The steps that put the file in place. Callers have blocked signals
  // (SignalsWait.h). Those that return int return 0 or an errno value; after a
  // failure, discard() leaves the target as it was.

  /// Gives the file a temporary name beside the target and closes it. Does
  /// nothing if there is no target.
  int prepare(Refill refill);
  /// Puts the file in the target's place. `backup` is the path that the old
  /// file is to get; empty if none is wanted. With `mustBeUndoable`, a file
  /// system that can't exchange two files keeps the old one under a second
  /// name, so that undo() is possible.
  int place(Refill refill, const std::string &backup, bool mustBeUndoable);
  /// Restores the target after place().
  void undo();
  bool canBeUndone() const { return state != State::Replaced; }
  /// Moves the old file to `backup`, or deletes it if `backup` is empty.
  int dropOld(const std::string &backup);
  /// Deletes the new file unless it has taken the target's place. If the two
  /// files have exchanged their names, deletes the old file.
  void discard();

private:
  enum class State {
    Pending,   ///< place() hasn't been called, or was undone.
    New,       ///< There was no target.
    Exchanged, ///< The old file has the temporary's name.
    Kept,      ///< The old file is still there under the name `oldName`.
    Replaced   ///< The old file is gone.
  };

  int nameAndClose(Refill refill);
  int replace(const std::string &backup, bool mustBeUndoable);
  int moveToBackup(const std::string &backup);
  bool createNamed();
  bool giveName();
  void forgetName();

  std::string target;
  bool targetExists;
  State state = State::Pending;
  int fd = -1, accessMode = 0;
  mode_t mode = 0;
  std::string temporary;          ///< The name that must be removed, if any.
  bool isRemovedOnSignal = false; ///< Whether a signal removes `temporary`.
  std::string oldName;
};

} // namespace lld::cuda

#endif
