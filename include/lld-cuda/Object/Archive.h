//===- Archive.h - Parser of archives ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parser of archives (static libraries; GNU, BSD or thin): lists the members
/// in archive order. The linker calls it for each library (Libraries.cpp,
/// InputFiles.cpp, InputStore.cpp); cubin-dump, cubin-prune and DeviceCode.cpp
/// call it for archives that they look into. It is used instead of
/// llvm::object::Archive, which refuses archives that a device linker must
/// accept (without a symbol table, and with a first member that isn't an
/// object) and brings LLVM's bitcode reader with it.
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

/// A member of an archive, without symbol tables and name tables.
struct ArchiveMember {
  std::string name;    ///< As messages print it: "lib.a:name".
  uint64_t offset = 0; ///< Offset of the member's header in the archive.
  /// Contents, in the archive's buffer; empty in thin archives.
  llvm::StringRef data;
  /// In a thin archive, the path of the file that has the contents; a path
  /// relative to the archive's directory is already resolved. Else empty.
  std::string thinPath;
  /// In a thin archive, if not 0: `thinPath` is an archive itself, and the
  /// contents are those of its member whose header is at this offset (see
  /// readArchiveMemberAt()).
  uint64_t thinOffset = 0;
};

/// Returns whether `data` begins with "!<arch>\n" or "!<thin>\n".
bool isArchive(llvm::StringRef data);

/// Returns whether `data` begins with "!<thin>\n": the members are files of
/// their own.
bool isThinArchive(llvm::StringRef data);

/// Returns all members except symbol tables and name tables. If given, `load`
/// is called for each part of the buffer before it is read: headers, names, and
/// as much of each member as is needed to see what it is. The buffer must
/// outlive the members.
llvm::Expected<std::vector<ArchiveMember>>
readArchiveMembers(llvm::MemoryBufferRef buffer,
                   llvm::function_ref<void(llvm::StringRef)> load = nullptr);

/// Returns the contents of the member of a regular archive whose header is at
/// `offset`.
llvm::Expected<llvm::StringRef>
readArchiveMemberAt(llvm::MemoryBufferRef buffer, uint64_t offset,
                    llvm::function_ref<void(llvm::StringRef)> load = nullptr);

} // namespace lld::cuda

#endif
