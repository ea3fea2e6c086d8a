//===- NvInfo.h - Table of .nv.info attributes ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The attributes of .nv.info sections (EIATTR_*): their codes, the encoding of
/// their values, and how a link merges them. The linker asks this table when it
/// merges inputs (MergeMetadata.cpp) and writes the output's records
/// (NvInfoOutput.cpp); CodeEditRecords.cpp asks it for the instruction offsets
/// to adjust when code moves; cubin-dump, cubin-diff and cubin-prune ask it for
/// names and symbol indices. The data is in NvInfo.def; the rules are in
/// docs/reference (rule [attribute-table]).
///
/// A record is: byte 0, the format; byte 1, the code; bytes 2 and 3, a value or
/// the size of the payload. All numbers are little-endian, and words are of 32
/// bits.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINARYFORMAT_NVINFO_H
#define LLD_CUDA_BINARYFORMAT_NVINFO_H

#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstddef>
#include <cstdint>

namespace lld::cuda::elf {

/// Byte 0 of a record: how its value is stored.
enum NvInfoFormat : uint8_t {
  EIFMT_NVAL = 1, ///< No value.
  EIFMT_BVAL = 2, ///< A value of 8 bits, in byte 2.
  EIFMT_HVAL = 3, ///< A value of 16 bits, in bytes 2 and 3.
  /// Bytes 2 and 3 hold the size in bytes of the payload that follows.
  EIFMT_SVAL = 4,
};

/// Byte 1 of a record: what it says. In .nv.info, not in .nv.compat.
enum NvInfoCode : uint8_t {
#define NV_INFO(NAME, CODE, SYMBOLS, OFFSETS, POLICY, DESCRIPTION)             \
  EIATTR_##NAME = CODE,
#include "lld-cuda/BinaryFormat/NvInfo.def"
};

/// Which payload words are symbol indices.
enum class NvInfoSymbols : uint8_t { None, First, All };

/// Which payload words are byte offsets of instructions in the function. A link
/// that moves code adjusts them.
enum class NvInfoOffsets : uint8_t {
  None,
  Every,  ///< Each word.
  Second, ///< The first word of each pair.
  Third,
  Fourth,
  Branches,    ///< For each branch: its offset, another word, the number of
               ///< targets, and the targets.
  Annotations, ///< Entries of several kinds; see CodeEditRecords.cpp.
  AfterKind,   ///< Each word except the first.
};

/// How a final link treats an attribute [attribute-table].
enum class NvInfoPolicy : uint8_t {
  Copy,
  Drop,    ///< Not written by a final link.
  Flag,    ///< A kernel gets it if a function that it reaches has it.
  Maximum, ///< Kernel: maximum over reached functions.
  Sum,     ///< Kernel: sum over reached functions.
  Mask,    ///< Kernel: bitwise OR over reached functions, with 0x8000 if one of
           ///< them lacks the record.
  Path,    ///< Kernel: largest sum along a path of the call graph.
  Registers, ///< Kernel: its own record gets the maximum register count.
  Frame, ///< Kept for each function; used to compute the kernel's minimal stack
         ///< size.
  Union, ///< Kernel: union of lists.
  Bits,  ///< Kernel: bitwise OR over reached functions.
  Largest, ///< One record for the image, with the maximum of all.
  Created, ///< Only written by the linker.
};

/// A row of NvInfo.def: what is known of the records with one code.
struct NvInfoAttribute {
  llvm::StringLiteral name; ///< With prefix, e.g. "EIATTR_REGCOUNT".
  NvInfoSymbols symbols;
  NvInfoOffsets offsets;
  NvInfoPolicy policy;
  llvm::StringLiteral description; ///< Describes its value or payload.
};

constexpr size_t NvInfoAttributeCount = 0
#define NV_INFO(...) +1
#include "lld-cuda/BinaryFormat/NvInfo.def"
    ;
/// Indexed by code; NvInfo.def has no gaps.
extern const std::array<NvInfoAttribute, NvInfoAttributeCount>
    NvInfoAttributeTable;

/// The minimal stack size of a kernel whose stack use can't be bounded.
constexpr uint32_t UnboundedStack = 0xffffffff;

/// Returns null for codes beyond the table. Such attributes are copied.
inline const NvInfoAttribute *getNvInfoAttribute(uint8_t code) {
  return code < NvInfoAttributeCount ? &NvInfoAttributeTable[code] : nullptr;
}

/// Returns whether the attribute describes a function as a whole and has its
/// records in the global .nv.info section. Records of a definition that another
/// one has replaced are not read.
constexpr bool isFunctionSummary(uint8_t code) {
  return code == EIATTR_FRAME_SIZE || code == EIATTR_MAX_STACK_SIZE ||
         code == EIATTR_REGCOUNT || code == EIATTR_SAM_REGION_STACK_SIZE;
}

} // namespace lld::cuda::elf

#endif
