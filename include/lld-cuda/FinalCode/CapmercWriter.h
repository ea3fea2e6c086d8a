//===- CapmercWriter.h - Writer of .nv.capmerc.text -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A writer of the .nv.capmerc.text section of a function, which says how the
/// native instructions correspond to the function's Mercury code
/// (docs/reference/mercury.md). The section has a bit for each entry, an
/// instruction or a run of them, and records for those whose bit is clear.
/// CodeEditRecords.cpp and lib/Reschedule (AdditionRecords.cpp) use it at the
/// end of a link, after code edits have inserted or removed instructions.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_CAPMERCWRITER_H
#define LLD_CUDA_FINALCODE_CAPMERCWRITER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <vector>

namespace lld::cuda {

/// Collects the entries in order; finish() puts the section together, once.
class CapmercWriter {
public:
  CapmercWriter(llvm::ArrayRef<uint8_t> header) : out(header) {}

  void addPlain() { hasRecord.push_back(false); }
  /// Adds the 16-bit header of an entry. A record for a single instruction has
  /// none; its bytes are appended to bytes() by the caller.
  void addEntry(uint32_t instructions, bool record) {
    hasRecord.push_back(true);
    if (record && instructions == 1)
      return;
    constexpr unsigned RunMark = 0x50, CountBit = 7;
    uint16_t header = instructions << CountBit | RunMark | unsigned(record);
    records.push_back(header & 0xff);
    records.push_back(header >> 8);
  }
  void addCopy(llvm::ArrayRef<uint8_t> record) {
    hasRecord.push_back(true);
    append_range(records, record);
  }
  llvm::SmallVectorImpl<uint8_t> &bytes() { return records; }

  llvm::SmallVector<uint8_t, 0> finish() {
    constexpr size_t CountOffset = 8;
    llvm::support::endian::write32le(out.data() + CountOffset,
                                     hasRecord.size());
    size_t bitmap = out.size();
    out.resize(bitmap + 4 * llvm::divideCeil(hasRecord.size(), 32));
    for (size_t i = 0; i < hasRecord.size(); ++i)
      if (!hasRecord[i])
        out[bitmap + i / 8] |= 1 << (i % 8);
    out.append(records.begin(), records.end());
    return std::move(out);
  }

private:
  llvm::SmallVector<uint8_t, 0> out;
  llvm::SmallVector<uint8_t, 0> records;
  std::vector<bool> hasRecord;
};

} // namespace lld::cuda

#endif
