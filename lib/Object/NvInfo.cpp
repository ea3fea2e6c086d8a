//===- NvInfo.cpp - Records of .nv.info -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The record format is described in NvInfo.h.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/NvInfo.h"
#include "ObjectError.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

constexpr size_t RecordHeaderSize = 4;

Error forEachNvInfoRecord(
    ArrayRef<uint8_t> section,
    function_ref<Error(size_t offset, const NvInfoRecord &)> visit) {
  for (size_t offset = 0; offset < section.size();) {
    ArrayRef<uint8_t> rest = section.drop_front(offset);
    if (rest.size() < RecordHeaderSize)
      return malformed("record at offset {0:x} is cut off: {1} bytes left",
                       offset, rest.size());
    NvInfoRecord record;
    record.format = rest[0];
    record.code = rest[1];
    record.value = support::endian::read16le(rest.data() + 2);
    rest = rest.drop_front(RecordHeaderSize);
    if (record.hasPayload()) {
      if (rest.size() < record.value)
        return malformed("record at offset {0:x} (code {1:x}) is cut off: "
                         "payload of {2} bytes, {3} left",
                         offset, record.code, record.value, rest.size());
      record.payload = rest.take_front(record.value);
    }
    if (Error e = visit(offset, record))
      return e;
    offset += RecordHeaderSize + record.payload.size();
  }
  return Error::success();
}

void writeNvInfoRecord(const NvInfoRecord &record, SmallVectorImpl<char> &out) {
  assert(record.hasPayload() || record.payload.empty());
  char header[RecordHeaderSize] = {char(record.format), char(record.code)};
  uint16_t value = record.hasPayload() ? record.payload.size() : record.value;
  support::endian::write16le(header + 2, value);
  out.append(std::begin(header), std::end(header));
  out.append(record.payload.begin(), record.payload.end());
}

} // namespace lld::cuda
