//===- ArchiveParts.h - Layout of an archive's members ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The layout of archives (ar), header by header. Archive.cpp uses it when an
/// input's members are read; ArchiveEdit.cpp when an archive is written with
/// members changed, as cubin-prune does.
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

/// A member's header. All fields are text, padded with spaces.
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

/// A member as the archive has it, before its name is looked up. Refers to the
/// archive, which must outlive it.
struct RawMember {
  uint64_t offset; ///< Offset of the header in the archive, in bytes.
  uint64_t size;   ///< Size by the header, including a BSD member's name.
  llvm::StringRef name;
  llvm::StringRef contents; ///< Begins with a BSD member's name until
                            ///< splitBSDName() is called.
  bool nameFromContents = false;

  bool isNameTable() const { return name == "//"; }
  /// Returns whether it is a symbol table of GNU ("/", "/SYM64/"), BSD or
  /// Darwin, or one of the tables of Windows ("/<...>/").
  bool isSymbolTable() const;
  /// Returns the offset of the next header. The padding before it may be
  /// missing at the end of the archive.
  uint64_t end() const;
};

/// Called with each part of the archive before that part is read.
using ArchiveLoader = llvm::function_ref<void(llvm::StringRef)>;

/// Reads the member whose header is at `offset`. Fails if the header is cut off
/// or malformed, or if the contents don't fit into the archive.
llvm::Expected<RawMember> readRawMember(llvm::StringRef archive,
                                        uint64_t offset,
                                        ArchiveLoader load = nullptr);

/// Moves the name of a BSD member from the front of its contents to `name`.
/// Does nothing to other members. Fails if the length of the name isn't valid.
llvm::Error splitBSDName(RawMember &member, ArchiveLoader load = nullptr);

/// Returns an error about the member whose header is at `offset`.
template <typename... Ts>
llvm::Error malformedMember(uint64_t offset, llvm::StringRef format,
                            const Ts &...values) {
  return malformed("archive member at offset {0:x}: {1}", offset,
                   formatText(format, {FormatValue(values)...}));
}

} // namespace lld::cuda

#endif
