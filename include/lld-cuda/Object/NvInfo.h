//===- NvInfo.h - Reader and writer of .nv.info records ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reader and writer of attribute records: those of .nv.info,
/// .nv.info.<function> and .nv.compat, and of these sections' Mercury forms
/// (from sm_100 on a cubin holds its code in two forms, see
/// docs/reference/mercury.md). Passes of the linker call it for each object
/// when they read and merge attributes (MergeMetadata.cpp), and for the image
/// when they write it (NvInfoOutput.cpp, CompatOutput.cpp) or check it;
/// cubin-prune, cubin-diff, lib/Resources and lib/Dump read the records of
/// cubins. The layout is in docs/reference (rule [attribute-table]). A section
/// is a sequence of records without padding, little-endian:
///
///   offset 0  u8   format (EIFMT_*)
///   offset 1  u8   code   (EIATTR_*; in .nv.compat a compatibility code)
///   offset 2  u16  value, or with EIFMT_SVAL the payload's size in bytes
///   offset 4  payload, only with EIFMT_SVAL
///
/// With any other format than EIFMT_SVAL a record has 4 bytes.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_NVINFO_H
#define LLD_CUDA_OBJECT_NVINFO_H

#include "lld-cuda/BinaryFormat/NvInfo.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cassert>
#include <cstring>

namespace lld::cuda {

/// One attribute record, in .nv.info or .nv.compat.
struct NvInfoRecord {
  uint8_t format = elf::EIFMT_NVAL;
  uint8_t code = 0;
  uint16_t value = 0; ///< Payload size in bytes with EIFMT_SVAL.
  /// Empty unless EIFMT_SVAL; refers to the section.
  llvm::ArrayRef<uint8_t> payload;

  bool hasPayload() const { return format == elf::EIFMT_SVAL; }
  unsigned wordCount() const { return payload.size() / 4; }
  uint32_t word(unsigned i) const {
    return llvm::support::endian::read32le(payload.data() + 4 * i);
  }
};

constexpr size_t NvInfoHeaderSize = 4;

/// Returns the record at `at`, which must be complete.
inline NvInfoRecord readNvInfoRecord(const uint8_t *at) {
  NvInfoRecord record;
  record.format = at[0];
  record.code = at[1];
  record.value = llvm::support::endian::read16le(at + 2);
  if (record.hasPayload())
    record.payload = {at + NvInfoHeaderSize, record.value};
  return record;
}

/// Returns the size in bytes of the record at `at`, which must be complete.
inline size_t sizeOfNvInfoRecord(const uint8_t *at) {
  return at[0] == elf::EIFMT_SVAL
             ? NvInfoHeaderSize + llvm::support::endian::read16le(at + 2)
             : NvInfoHeaderSize;
}

/// For each code, whether a pass wants to see its records.
using NvInfoCodes = std::array<bool, 256>;

/// Returns the error for a section that ends within the record at `offset`.
llvm::Error describeCutOffRecord(llvm::ArrayRef<uint8_t> section,
                                 size_t offset);

/// Calls `visit(offset, record)` for each record whose code is in `codes`, and
/// `pass(offset)` for all others. Stops at the first error: one that `visit`
/// returns, or a header or payload that extends past the section's end (the
/// message names the offset).
template <typename Visit, typename Pass>
llvm::Error forEachNvInfoRecordOf(const NvInfoCodes &codes,
                                  llvm::ArrayRef<uint8_t> section, Visit visit,
                                  Pass pass) {
  for (size_t offset = 0; offset < section.size();) {
    const uint8_t *at = section.data() + offset;
    const size_t rest = section.size() - offset;
    if (rest < NvInfoHeaderSize || rest < sizeOfNvInfoRecord(at))
      return describeCutOffRecord(section, offset);
    if (!codes[at[1]])
      pass(offset);
    else if (llvm::Error e = visit(offset, readNvInfoRecord(at)))
      return e;
    offset += sizeOfNvInfoRecord(at);
  }
  return llvm::Error::success();
}

constexpr NvInfoCodes makeAllNvInfoCodes() {
  NvInfoCodes all = {};
  for (bool &isIn : all)
    isIn = true;
  return all;
}
constexpr NvInfoCodes AllNvInfoCodes = makeAllNvInfoCodes();

/// Calls `visit(offset, record)` for each record; the errors are those of
/// forEachNvInfoRecordOf().
template <typename Visit>
llvm::Error forEachNvInfoRecord(llvm::ArrayRef<uint8_t> section, Visit visit) {
  return forEachNvInfoRecordOf(AllNvInfoCodes, section, visit, [](size_t) {});
}

/// Appends the bytes of a record to `out`.
inline void writeNvInfoRecord(const NvInfoRecord &record,
                              llvm::SmallVectorImpl<char> &out) {
  assert(record.hasPayload() || record.payload.empty());
  const size_t begin = out.size(), size = record.payload.size();
  out.resize_for_overwrite(begin + NvInfoHeaderSize + size);
  char *at = out.data() + begin;
  at[0] = char(record.format);
  at[1] = char(record.code);
  llvm::support::endian::write16le(at + 2, record.hasPayload() ? uint16_t(size)
                                                               : record.value);
  if (size)
    std::memcpy(at + NvInfoHeaderSize, record.payload.data(), size);
}

/// Appends a record with a payload of that many bytes to `out` and returns the
/// place of the payload, which isn't initialized.
inline char *addNvInfoPayload(uint8_t code, uint16_t size,
                              llvm::SmallVectorImpl<char> &out) {
  const size_t begin = out.size();
  out.resize_for_overwrite(begin + NvInfoHeaderSize + size);
  char *at = out.data() + begin;
  at[0] = elf::EIFMT_SVAL;
  at[1] = char(code);
  llvm::support::endian::write16le(at + 2, size);
  return at + NvInfoHeaderSize;
}

} // namespace lld::cuda

#endif
