//===- ArchiveEdit.h - Replaces members of an archive -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Changes the contents of some members of an archive. cubin-prune
/// (PruneFile.cpp) calls replaceMembers() for a static library after it has
/// removed device code from its members. The result lists the bytes that
/// change: the members' contents and sizes, and the offsets in the archive's
/// symbol tables. All other bytes, such as names, dates, owners and the symbols
/// in the tables, stay as they are.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_ARCHIVEEDIT_H
#define LLD_CUDA_OBJECT_ARCHIVEEDIT_H

#include "lld-cuda/Support/Replacement.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace lld::cuda {

/// The new contents of one member.
struct NewMemberContents {
  uint64_t offset; ///< The value of ArchiveMember::offset.
  llvm::SmallVector<char, 0> contents;
};

/// Returns the changes in the order of their offsets. `members` must be in
/// archive order; their contents are moved from. Fails for a thin archive, for
/// a damaged member header or symbol table, if no member begins at an offset,
/// and if contents are too large for an archive.
llvm::Expected<std::vector<Replacement>>
replaceMembers(llvm::StringRef archive,
               llvm::MutableArrayRef<NewMemberContents> members);

} // namespace lld::cuda

#endif
