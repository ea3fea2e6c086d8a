//===- Zip.h - Reader of zip files ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reader of zip files of any size (ZIP64), whose members are stored or
/// deflated. Files.cpp calls it when a user of a cubin-* tool names a wheel (a
/// Python package is a zip file) or another zip file, to look for device code
/// in the members.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINISHED_ZIP_H
#define LLD_CUDA_FINISHED_ZIP_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

/// A member of a zip file, as its directory describes it.
struct ZipMember {
  std::string name;
  uint16_t method;
  uint32_t crc;
  uint64_t size;        ///< Size unpacked, as the directory says.
  llvm::StringRef data; ///< As stored; a slice of the zip file.

  bool isPacked() const { return method != 0; }
};

/// Returns whether the data begins with the header of a member.
bool isZip(llvm::StringRef data);

/// Returns all members except folders, in the order of the central directory.
/// Their data refers to `data`, which must outlive them. Fails on a damaged
/// file, and on members that overlap, are encrypted, or use another
/// compression.
llvm::Expected<std::vector<ZipMember>> readZipMembers(llvm::StringRef data);

/// Returns the first `count` bytes of a member, unpacked; fewer if the member
/// is shorter or damaged.
std::string peekZipMember(const ZipMember &member, size_t count);

/// Unpacks a member. For a stored member the buffer refers to the zip file,
/// which must outlive it. A deflated member is unpacked to an unnamed file in
/// `folder`, which is mapped into memory. Fails if size or checksum don't
/// match, or if the member has more bytes than `limit` or than the file system
/// of `folder` has free.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openZipMember(const ZipMember &member, llvm::StringRef folder,
              std::optional<uint64_t> limit);

} // namespace lld::cuda

#endif
