//===- RecordWays.h - How records of .nv.info are written -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For each code of an attribute record, what writing such a record takes.
/// NvInfoOutput.cpp asks these tables for every record of a link, so that it
/// looks closer only at the few that may change.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OUTPUT_RECORDWAYS_H
#define LLD_CUDA_OUTPUT_RECORDWAYS_H

#include "Analysis/Resources.h"
#include "lld-cuda/BinaryFormat/NvInfo.h"
#include <array>
#include <cstdint>

namespace lld::cuda {

enum class RecordWay : uint8_t {
  Copy,   ///< A function's record is copied, if code stays where it is.
  Drop,   ///< The record isn't written.
  Symbol, ///< Its first word names a symbol.
  Other,  ///< It depends on more, or the code is unknown.
};
/// Indexed by code.
using RecordWays = std::array<RecordWay, 256>;

inline constexpr RecordWays makeRecordWays(bool isFinal) {
  RecordWays ways = {};
  for (RecordWay &way : ways)
    way = RecordWay::Other;
#define NV_INFO(NAME, CODE, SYMBOLS, OFFSETS, POLICY, DESCRIPTION)             \
  if (isFinal && elf::NvInfoPolicy::POLICY == elf::NvInfoPolicy::Drop)         \
    ways[CODE] = RecordWay::Drop;                                              \
  else if (elf::NvInfoSymbols::SYMBOLS == elf::NvInfoSymbols::First)           \
    ways[CODE] = RecordWay::Symbol;                                            \
  else if (elf::NvInfoSymbols::SYMBOLS == elf::NvInfoSymbols::None &&          \
           elf::NvInfoPolicy::POLICY == elf::NvInfoPolicy::Copy &&             \
           createdIndex(CODE) < 0)                                             \
    ways[CODE] = RecordWay::Copy;
#include "lld-cuda/BinaryFormat/NvInfo.def"
  ways[0] = RecordWay::Drop; // No link writes records with code 0.
  return ways;
}
inline constexpr RecordWays FinalRecordWays = makeRecordWays(true);
inline constexpr RecordWays RelocatableRecordWays = makeRecordWays(false);

/// Copies the record at `at`, which must be complete, to `to`, and returns the
/// end of the copy. Most records have 4 to 16 bytes, for which a call of
/// memcpy() would be most of the work.
inline char *copyRecord(const uint8_t *at, char *to) {
  const size_t size = sizeOfNvInfoRecord(at);
  constexpr size_t Half = sizeof(uint64_t);
  if (size == NvInfoHeaderSize) {
    std::memcpy(to, at, NvInfoHeaderSize);
  } else if (size >= Half && size <= 2 * Half) {
    std::memcpy(to, at, Half);
    std::memcpy(to + size - Half, at + size - Half, Half);
  } else {
    std::memcpy(to, at, size);
  }
  return to + size;
}

} // namespace lld::cuda

#endif
