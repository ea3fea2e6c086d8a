//===- FileAttributes.h - What a file has besides its contents --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gives a new file the owner, mode and attributes of the one that it will
/// replace. OutputFile.cpp calls it when the new contents are complete, just
/// before the exchange.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_FILEATTRIBUTES_H
#define LLD_CUDA_SUPPORT_FILEATTRIBUTES_H

#include <string>
#include <sys/stat.h>
#include <vector>

namespace lld::cuda {

/// Gives a new file that is complete what the one at `path` has, which it will
/// replace: owner and group, extended attributes (access control lists and
/// labels among them), then the mode. Bits that lend the owner's or group's
/// rights (setuid, setgid) only if both could be kept: another owner would lend
/// what is his. `keepsCapabilities` lends as they do; it is for contents that
/// came from that file.
/// Returns 0 or errno, where the new file must not be used: also where it
/// couldn't take the other's place. What couldn't be kept is named in `losses`.
int copyFileAttributes(int fd, const char *path, const struct stat &status,
                       bool keepsCapabilities,
                       std::vector<std::string> &losses);

} // namespace lld::cuda

#endif
