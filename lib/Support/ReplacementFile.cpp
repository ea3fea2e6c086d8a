//===- ReplacementFile.cpp - Files that take another's place --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes a new file and puts it in another's place. OutputFile.cpp calls
/// create() for each output of a program, place() when all outputs are
/// complete, and then dropOld(), or undo() if a later output fails. The new and
/// the old file exchange their names, where the file system can do that: then
/// it can be undone, and ext4 doesn't write the new file's blocks out at once,
/// as it does when one is renamed over another. Elsewhere the old file is kept
/// under a second name until the end, if it may have to come back.
///
//===----------------------------------------------------------------------===//

#include "ReplacementFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace lld::cuda;

/// Calls use() with names beside `path` until one isn't taken. `use` returns
/// false with errno set; so does this.
static bool tryNames(StringRef path, function_ref<bool(const char *)> use) {
  for (int attempt = 0; attempt != 64; ++attempt) {
    uint32_t random;
    if (::getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
      random = uint32_t(::getpid()) * 64 + attempt;
    // Room for the suffix in a name's 255 bytes.
    constexpr size_t MaxBase = 240;
    size_t base = path.size() - sys::path::filename(path).size();
    std::string name = path.take_front(base + MaxBase).str();
    name += ".tmp";
    for (unsigned digits = 8; digits-- != 0;)
      name += "0123456789abcdef"[random >> 4 * digits & 15];
    if (use(name.c_str()))
      return true;
    if (errno != EEXIST)
      return false;
  }
  return false;
}

static int exchangeFiles(const std::string &a, const std::string &b) {
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(),
                     RENAME_EXCHANGE) == 0
             ? 0
             : errno;
}

static int renameFile(const std::string &from, const std::string &to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

static int linkFile(const std::string &file, const std::string &name) {
  return ::link(file.c_str(), name.c_str()) == 0 ? 0 : errno;
}

static int removeFile(const std::string &name) {
  return ::unlink(name.c_str()) == 0 ? 0 : errno;
}

bool ReplacementFile::create(mode_t wanted, bool isRead) {
  mode = wanted;
  accessMode = (isRead ? O_RDWR : O_WRONLY) | O_CLOEXEC;
  StringRef directory = sys::path::parent_path(target);
  fd = ::open(directory.empty() ? "." : directory.str().c_str(),
              O_TMPFILE | accessMode, mode);
  return fd >= 0 || createNamed();
}

bool ReplacementFile::createNamed() {
  return tryNames(target, [&](const char *name) {
    fd = ::open(name, accessMode | O_CREAT | O_EXCL, mode);
    if (fd < 0)
      return false;
    temporary = name;
    sys::RemoveFileOnSignal(temporary);
    isRemovedOnSignal = true;
    return true;
  });
}

/// Gives the file the target's name if that is free, else a temporary one.
bool ReplacementFile::giveName() {
  std::string self = "/proc/self/fd/" + itostr(fd);
  auto link = [&](const char *name) {
    return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name,
                    AT_SYMLINK_FOLLOW) == 0;
  };
  if (!targetExists && link(target.c_str())) {
    state = State::New;
    return true;
  }
  return tryNames(target, [&](const char *name) {
    if (!link(name))
      return false;
    temporary = name;
    return true;
  });
}

void ReplacementFile::forgetName() {
  if (isRemovedOnSignal)
    sys::DontRemoveFileOnSignal(temporary);
  isRemovedOnSignal = false;
  temporary.clear();
}

int ReplacementFile::nameAndClose(Refill refill) {
  int error = 0;
  if (temporary.empty() && !giveName()) {
    ::close(std::exchange(fd, -1));
    if (!createNamed())
      return errno;
    error = refill();
  }
  if (::close(std::exchange(fd, -1)) != 0 && !error)
    error = errno;
  return error;
}

int ReplacementFile::prepare(Refill refill) {
  return targetExists ? nameAndClose(refill) : 0;
}

int ReplacementFile::place(Refill refill, const std::string &backup,
                           bool mustBeUndoable) {
  if (fd >= 0)
    if (int error = nameAndClose(refill))
      return error;
  return state == State::New ? 0 : replace(backup, mustBeUndoable);
}

int ReplacementFile::replace(const std::string &backup, bool mustBeUndoable) {
  if (targetExists && exchangeFiles(temporary, target) == 0) {
    state = State::Exchanged;
    return 0;
  }
  // Not all file systems can, and the target may be gone.
  if (targetExists && !backup.empty()) {
    if (int error = linkFile(target, backup))
      return error;
    oldName = backup;
  } else if (targetExists && mustBeUndoable) {
    tryNames(target, [&](const char *name) {
      if (::link(target.c_str(), name) != 0)
        return false;
      oldName = name;
      return true;
    });
  }
  if (int error = renameFile(temporary, target))
    return error;
  forgetName();
  state = oldName.empty() ? State::Replaced : State::Kept;
  return 0;
}

void ReplacementFile::undo() {
  if (state == State::New)
    removeFile(target);
  else if (state == State::Exchanged && renameFile(temporary, target) == 0)
    forgetName();
  else if (state == State::Kept && renameFile(oldName, target) == 0)
    oldName.clear();
  state = State::Pending;
}

int ReplacementFile::moveToBackup(const std::string &backup) {
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, backup.c_str(),
                  RENAME_NOREPLACE) == 0)
    return 0;
  if (errno == EEXIST)
    return errno;
  if (int error = linkFile(temporary, backup))
    return error;
  removeFile(temporary);
  return 0;
}

int ReplacementFile::dropOld(const std::string &backup) {
  if (state == State::Kept) {
    if (backup.empty())
      removeFile(oldName);
    oldName.clear();
    return 0;
  }
  if (state != State::Exchanged)
    return 0;
  int error = backup.empty() ? removeFile(temporary) : moveToBackup(backup);
  // An old file that can't be removed may still be replaced: the two files
  // exchange their names again, and the new one is renamed over the old one.
  if (error && backup.empty() && exchangeFiles(temporary, target) == 0) {
    error = renameFile(temporary, target);
    if (error)
      exchangeFiles(temporary, target);
  }
  if (error)
    return error;
  forgetName();
  state = State::Replaced;
  return 0;
}

void ReplacementFile::discard() {
  if (fd >= 0)
    ::close(std::exchange(fd, -1));
  if (state == State::Pending && !oldName.empty())
    removeFile(oldName);
  oldName.clear();
  if (temporary.empty())
    return;
  removeFile(temporary);
  forgetName();
}
