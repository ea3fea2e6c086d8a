//===- NvInfo.cpp - Errors of the .nv.info reader -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Describes where a section of attribute records (.nv.info, .nv.compat) ends
/// within a record. forEachNvInfoRecordOf() of NvInfo.h, by which the linker
/// reads the attributes of each input, and the tools those of the cubins that
/// they show, calls describeCutOffRecord() for such a damaged section. The
/// reader itself is in the header, so that the compiler can inline it; a link
/// reads all records of all its inputs.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/NvInfo.h"
#include "ObjectError.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

Error describeCutOffRecord(ArrayRef<uint8_t> section, size_t offset) {
  ArrayRef<uint8_t> rest = section.drop_front(offset);
  if (rest.size() < NvInfoHeaderSize)
    return malformed("record at offset {0:x} is cut off: {1} bytes left",
                     offset, rest.size());
  return malformed("record at offset {0:x} (code {1:x}) is cut off: "
                   "payload of {2} bytes, {3} left",
                   offset, rest[1], support::endian::read16le(rest.data() + 2),
                   rest.size() - NvInfoHeaderSize);
}

} // namespace lld::cuda
