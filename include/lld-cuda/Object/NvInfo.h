//===- NvInfo.h - Records of .nv.info ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reader and writer of attribute records (.nv.info, .nv.info.<function>,
/// .nv.compat and their Mercury twins). A section is a plain concatenation of
/// records without padding:
///
///   offset 0  u8   format (EIFMT_*)
///   offset 1  u8   code   (EIATTR_*; in .nv.compat a compatibility code)
///   offset 2  u16  value, or with EIFMT_SVAL the payload's size in bytes
///   offset 4  payload, only with EIFMT_SVAL
///
/// Any other format byte than EIFMT_SVAL makes a 4-byte record
/// [attribute-table].
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_NVINFO_H
#define LLD_CUDA_OBJECT_NVINFO_H

#include "lld-cuda/BinaryFormat/NvInfo.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"

namespace lld::cuda {

struct NvInfoRecord {
  uint8_t format = elf::EIFMT_NVAL;
  uint8_t code = 0;
  uint16_t value = 0;              ///< Payload size with EIFMT_SVAL.
  llvm::ArrayRef<uint8_t> payload; ///< Empty unless EIFMT_SVAL.

  bool hasPayload() const { return format == elf::EIFMT_SVAL; }
  unsigned wordCount() const { return payload.size() / 4; }
  uint32_t word(unsigned i) const {
    return llvm::support::endian::read32le(payload.data() + 4 * i);
  }
};

/// Calls `visit(offset, record)` for each record. Stops at the first error: a
/// header or payload that runs past the section's end (the message names the
/// offset), or an error returned by `visit`.
llvm::Error forEachNvInfoRecord(
    llvm::ArrayRef<uint8_t> section,
    llvm::function_ref<llvm::Error(size_t offset, const NvInfoRecord &)> visit);

/// Appends the bytes of a record of .nv.info to `out`.
void writeNvInfoRecord(const NvInfoRecord &record,
                       llvm::SmallVectorImpl<char> &out);

} // namespace lld::cuda

#endif
