//===- Archive.h - Members of static libraries ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Members of an archive (GNU, BSD or thin), in archive order. The reader is
/// our own, because llvm::object::Archive refuses what a device linker must
/// take (archives without a symbol table whose first member isn't an object)
/// and brings the bitcode reader with it. For the linker's inputs and for the
/// tools that look into static libraries.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_ARCHIVE_H
#define LLD_CUDA_OBJECT_ARCHIVE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <string>
#include <vector>

namespace lld::cuda {

struct ArchiveMember {
  std::string name;     ///< As in messages "lib.a:name".
  uint64_t offset = 0;  ///< Where the member's header is in the archive.
  llvm::StringRef data; ///< Contents; empty for members of thin archives.
  /// Thin archives: the file that holds the contents, relative to the
  /// archive's own directory already resolved. Empty for others.
  std::string thinPath;
  /// Thin archives: if not 0, `thinPath` is an archive itself, and the contents
  /// are those of its member whose header is here (see readArchiveMemberAt).
  uint64_t thinOffset = 0;
};

/// True for "!<arch>\n" and "!<thin>\n".
bool isArchive(llvm::StringRef data);

/// True for "!<thin>\n", whose members are files of their own.
bool isThinArchive(llvm::StringRef data);

/// All members but symbol tables and name tables. `load` is called for each
/// part of the buffer before it is read: headers, names, and of members so much
/// that one sees what they are.
llvm::Expected<std::vector<ArchiveMember>>
readArchiveMembers(llvm::MemoryBufferRef buffer,
                   llvm::function_ref<void(llvm::StringRef)> load = nullptr);

/// Contents of the one member of a regular archive whose header is at `offset`.
llvm::Expected<llvm::StringRef>
readArchiveMemberAt(llvm::MemoryBufferRef buffer, uint64_t offset,
                    llvm::function_ref<void(llvm::StringRef)> load = nullptr);

} // namespace lld::cuda

#endif
