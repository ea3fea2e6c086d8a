//===- Zip.h - Members of wheels and other zip files ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reader of zip files of any size (ZIP64), whose members are stored or
/// deflated.
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

struct ZipMember {
  std::string name;
  uint16_t method;
  uint32_t crc;
  uint64_t size;        ///< Unpacked, as claimed.
  llvm::StringRef data; ///< As stored.

  bool isPacked() const { return method != 0; }
};

/// True for what begins with a member.
bool isZip(llvm::StringRef data);

/// All members but directories, in the order of the file's directory. They are
/// slices of the file, which don't overlap.
llvm::Expected<std::vector<ZipMember>> readZipMembers(llvm::StringRef data);

/// The first bytes of a member, unpacked; fewer if it has no more or is
/// damaged.
std::string peekZipMember(const ZipMember &member, size_t count);

/// A member, unpacked: what is stored is a slice of the file. What is deflated
/// goes to a file without a name in `folder`, and from there into the address
/// space. Fails unless size and checksum are as said, and if it would have more
/// bytes than `limit`, or than there is room for.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openZipMember(const ZipMember &member, llvm::StringRef folder,
              std::optional<uint64_t> limit);

} // namespace lld::cuda

#endif
