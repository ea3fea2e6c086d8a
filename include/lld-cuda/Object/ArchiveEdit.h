//===- ArchiveEdit.h - Other contents for an archive's members --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What of an archive's bytes changes if members get other contents: these,
/// their sizes, and the offsets in the archive's symbol tables. All else stays
/// as it is: names, dates, owners, and which symbols the tables have.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_ARCHIVEEDIT_H
#define LLD_CUDA_OBJECT_ARCHIVEEDIT_H

#include "lld-cuda/Support/Replacement.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace lld::cuda {

struct NewMemberContents {
  uint64_t offset; ///< ArchiveMember::offset
  llvm::SmallVector<char, 0> contents;
};

/// In the order of their offsets. `members`: in archive order. Fails for a thin
/// archive, and for a symbol table that is damaged.
llvm::Expected<std::vector<Replacement>>
replaceMembers(llvm::StringRef archive,
               llvm::MutableArrayRef<NewMemberContents> members);

} // namespace lld::cuda

#endif
