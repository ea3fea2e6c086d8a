//===- ArchiveParts.h - Headers of an archive's members ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The layout of archives, header by header, for the two that know it:
/// Archive.cpp, which reads members, and ArchiveEdit.cpp, which writes an
/// archive with members changed.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_OBJECT_ARCHIVEPARTS_H
#define LLD_CUDA_LIB_OBJECT_ARCHIVEPARTS_H

#include "ObjectError.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace lld::cuda {

/// All fields are text, filled up with spaces.
struct MemberHeader {
  char name[16];
  char date[12];
  char user[6];
  char group[6];
  char mode[8];
  char size[10];
  char end[2];
};
static_assert(sizeof(MemberHeader) == 60);

/// A member as it stands in the archive: its name not yet looked up.
struct RawMember {
  uint64_t offset; ///< Of the header.
  uint64_t size;   ///< As the header says: with a BSD member's name.
  llvm::StringRef name;
  llvm::StringRef contents; ///< With the name in front, until splitBSDName().
  bool nameFromContents = false;

  bool isNameTable() const { return name == "//"; }
  /// Those of GNU ("/", "/SYM64/"), BSD and Darwin. Windows' "/<...>/" are of
  /// the same sort.
  bool isSymbolTable() const;
  /// Where the next header is; the padding in front of it may be missing at the
  /// end of the archive.
  uint64_t end() const;
};

/// Is called for each part of the archive before it is read.
using ArchiveLoader = llvm::function_ref<void(llvm::StringRef)>;

llvm::Expected<RawMember> readRawMember(llvm::StringRef archive,
                                        uint64_t offset,
                                        ArchiveLoader load = nullptr);

/// Takes the name of a BSD member off the front of its contents.
llvm::Error splitBSDName(RawMember &member, ArchiveLoader load = nullptr);

template <typename... Ts>
llvm::Error malformedMember(uint64_t offset, const char *format,
                            Ts &&...values) {
  return malformed("archive member at offset {0:x}: {1}", offset,
                   llvm::formatv(format, std::forward<Ts>(values)...));
}

} // namespace lld::cuda

#endif
