//===- ReplacementFile.h - Files that take another's place ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The usual way to write an output: a new file, which takes the target's name
/// when it is complete. OutputFile.cpp makes one for each output and goes
/// through its steps; the other way is InPlaceFile.h.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_REPLACEMENTFILE_H
#define LLD_CUDA_SUPPORT_REPLACEMENTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <sys/types.h>

namespace lld::cuda {

/// A file that takes a target's place once it is complete. It has no name until
/// then, where the file system allows that: whatever ends the program, nothing
/// is left behind.
class ReplacementFile {
public:
  ReplacementFile(std::string target, bool targetExists)
      : target(std::move(target)), targetExists(targetExists) {}
  ReplacementFile(const ReplacementFile &) = delete;
  ReplacementFile &operator=(const ReplacementFile &) = delete;
  ~ReplacementFile() { discard(); }

  /// Opens it, to be read, too, if asked. Returns false with errno set.
  bool create(mode_t mode, bool isRead);
  int descriptor() const { return fd; }

  /// Fills the file again; returns 0 or errno. Without /proc a file can't get a
  /// name afterwards: it is made a second time.
  using Refill = llvm::function_ref<int()>;

  // Steps to its place, for callers that let signals wait. Each returns 0 or
  // errno; then discard() leaves the target as it was.

  /// All that can be done beforehand if there is a target.
  int prepare(Refill refill);
  /// `backup`: where the old file goes, if it isn't empty. `mustBeUndoable`:
  /// undo() will do for file systems on which it takes another step.
  int place(Refill refill, const std::string &backup, bool mustBeUndoable);
  /// The target becomes what it was.
  void undo();
  bool canBeUndone() const { return state != State::Replaced; }
  /// The old file goes, to its backup or for good.
  int dropOld(const std::string &backup);
  /// Removes what was written, unless it is in its place.
  void discard();

private:
  enum class State {
    Pending,   ///< The target is as it was.
    New,       ///< There was no target.
    Exchanged, ///< The old file has the temporary's name.
    Kept,      ///< The old file has another name, too: `oldName`.
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
  std::string temporary;          ///< Its name, if it has one that must go.
  bool isRemovedOnSignal = false; ///< That name.
  std::string oldName;
};

} // namespace lld::cuda

#endif
