//===- FileAttributes.h - Copies a file's attributes ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function that gives a new file the owner, mode and extended attributes of
/// the file that it will replace. OutputFile.cpp calls it for each output that
/// will replace a file, as soon as the new contents have been written; the
/// files change places later, when all outputs of the program are ready.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_FILEATTRIBUTES_H
#define LLD_CUDA_SUPPORT_FILEATTRIBUTES_H

#include <string>
#include <sys/stat.h>
#include <vector>

namespace lld::cuda {

/// Copies to the complete new file `fd` what the file at `path` has, whose stat
/// is `status`: owner and group, extended attributes (access control lists and
/// security labels among them), then the mode. The setuid and setgid bits are
/// copied only if both owner and group could be: they would lend another
/// owner's rights. `keepsCapabilities` copies file capabilities, too, under the
/// same condition; it is for contents that were made from that file.
/// Returns 0, or an errno value if the new file must not be used, which
/// includes that it couldn't take the other's place. Adds to `losses` a name
/// for each attribute that couldn't be copied.
int copyFileAttributes(int fd, const char *path, const struct stat &status,
                       bool keepsCapabilities,
                       std::vector<std::string> &losses);

} // namespace lld::cuda

#endif
