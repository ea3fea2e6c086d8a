//===- FileAttributes.cpp - Copies owner, mode and attributes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gives a new file what the file has that it will replace: group, owner, mode,
/// extended attributes. OutputFile.cpp calls copyFileAttributes() for each
/// output that replaces a file, when its contents are complete; what can't be
/// copied comes back as a list, by which OutputFile.cpp decides whether to
/// write the old file in place instead. The order matters: only the owner may
/// set the mode, a new owner takes setuid bits and capabilities away, and so
/// does writing.
///
//===----------------------------------------------------------------------===//

#include "FileAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

using namespace llvm;

namespace {

constexpr mode_t PermissionBits = 0777, LendingBits = S_ISUID | S_ISGID;
constexpr StringLiteral Capabilities = "security.capability";

/// Made by the kernel for the contents or for a layer of a file system.
bool isOfContents(StringRef name) {
  return name == "security.ima" || name == "security.evm" ||
         name.starts_with("trusted.overlay.");
}

using AttributeValue = SmallVector<char, 256>;

/// Calls read(buffer, size) until the buffer has room for all. False if there
/// is nothing.
template <typename Fn> bool readAll(AttributeValue &value, Fn read) {
  value.resize(256);
  for (;;) {
    ssize_t size = read(value.data(), value.size());
    if (size >= 0) {
      value.resize(size);
      return true;
    }
    if (errno != ERANGE || (size = read(nullptr, 0)) < 0)
      return false;
    value.resize(size);
  }
}

class AttributeCopy {
public:
  AttributeCopy(int fd, const char *path, bool keepsCapabilities,
                std::vector<std::string> &losses)
      : fd(fd), path(path), keepsCapabilities(keepsCapabilities),
        losses(losses) {}

  void copyAll() {
    if (!readAll(buffer, [&](char *to, size_t size) {
          return ::listxattr(path, to, size);
        })) {
      if (errno != ENOTSUP)
        losses.push_back("extended attributes");
      buffer.clear();
    }
    SplitString(StringRef(buffer.data(), buffer.size()), names,
                StringRef("\0", 1));
    for (StringRef name : names)
      if (!isOfContents(name) && name != Capabilities && !copy(name.data()))
        losses.push_back(("attribute " + name).str());
  }

  /// An access control list that the new file got from its directory.
  void removeOthers() {
    constexpr StringLiteral List = "system.posix_acl_access";
    if (!is_contained(names, List) && ::flistxattr(fd, nullptr, 0) > 0)
      ::fremovexattr(fd, List.data());
  }

  void copyCapabilities(bool keepsOwner) {
    if (keepsCapabilities && is_contained(names, Capabilities) &&
        !(keepsOwner && copy(Capabilities.data())))
      losses.push_back("capabilities");
  }

private:
  bool copy(const char *name) {
    AttributeValue value, own;
    if (!readAll(value, [&](char *to, size_t size) {
          return ::getxattr(path, name, to, size);
        }))
      return errno == ENODATA; // It has just gone.
    // A label may be right already where one mustn't set it.
    if (readAll(own,
                [&](char *to, size_t size) {
                  return ::fgetxattr(fd, name, to, size);
                }) &&
        own == value)
      return true;
    return ::fsetxattr(fd, name, value.data(), value.size(), 0) == 0;
  }

  int fd;
  const char *path;
  bool keepsCapabilities;
  std::vector<std::string> &losses;
  AttributeValue buffer; ///< Of the names, a zero byte behind each.
  SmallVector<StringRef, 4> names;
};

} // namespace

/// Whether a file that belongs to somebody else can't be moved or removed in
/// the directory of `path`, as in /tmp (but by root, or who has that right).
static bool keepsOthersFiles(StringRef path, uid_t self) {
  const StringRef directory = sys::path::parent_path(path);
  struct stat status;
  if (::stat(directory.empty() ? "." : directory.str().c_str(), &status) != 0)
    return true;
  if (!(status.st_mode & S_ISVTX) || status.st_uid == self)
    return false;
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  return ::syscall(SYS_capget, &header, data) != 0 ||
         !(data[0].effective & (1u << CAP_FOWNER));
}

int lld::cuda::copyFileAttributes(int fd, const char *path,
                                  const struct stat &old,
                                  bool keepsCapabilities,
                                  std::vector<std::string> &losses) {
  struct stat now;
  const mode_t permissions = old.st_mode & PermissionBits;
  if (::fstat(fd, &now) != 0 || ::fchmod(fd, permissions) != 0)
    return errno;
  if (now.st_uid != old.st_uid && keepsOthersFiles(path, now.st_uid)) {
    losses.push_back("owner " + utostr(old.st_uid));
    return EPERM;
  }
  const bool keepsGroup =
      now.st_gid == old.st_gid || ::fchown(fd, -1, old.st_gid) == 0;
  if (!keepsGroup)
    losses.push_back("group " + utostr(old.st_gid));
  const bool keepsOwner =
      now.st_uid == old.st_uid || ::fchown(fd, old.st_uid, -1) == 0;
  if (!keepsOwner)
    losses.push_back("owner " + utostr(old.st_uid));

  AttributeCopy attributes(fd, path, keepsCapabilities, losses);
  attributes.copyAll();
  attributes.removeOthers();
  const bool isSame = keepsOwner && keepsGroup;
  const mode_t lent = old.st_mode & LendingBits;
  // A process that has given the file to another owner or group may not set
  // these bits any more.
  if (lent && !(isSame && ::fchmod(fd, permissions | lent) == 0))
    losses.push_back("setuid and setgid bits");
  attributes.copyCapabilities(isSame);
  return 0;
}
