//===- NvInfo.h - Attribute codes of .nv.info -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The EIATTR_* attribute codes, their encoding and how a link merges them.
/// The facts stand in NvInfo.def.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINARYFORMAT_NVINFO_H
#define LLD_CUDA_BINARYFORMAT_NVINFO_H

#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstddef>
#include <cstdint>

namespace lld::cuda::elf {

/// First byte of a record: how its value is stored.
enum NvInfoFormat : uint8_t {
  EIFMT_NVAL = 1, ///< No value.
  EIFMT_BVAL = 2, ///< One byte in byte 2.
  EIFMT_HVAL = 3, ///< 16 bits in bytes 2 and 3.
  EIFMT_SVAL = 4, ///< Bytes 2 and 3 give the size of the payload that follows.
};

enum NvInfoCode : uint8_t {
#define NV_INFO(NAME, CODE, SYMBOLS, OFFSETS, POLICY, DESCRIPTION)             \
  EIATTR_##NAME = CODE,
#include "lld-cuda/BinaryFormat/NvInfo.def"
};

/// Which payload words are symbol indices.
enum class NvInfoSymbols : uint8_t { None, First, All };

/// Which payload words are offsets of the function's instructions. They follow
/// where a link moves code.
enum class NvInfoOffsets : uint8_t {
  None,
  Every,  ///< Each word.
  Second, ///< The first of two words, and so on.
  Third,
  Fourth,
  Branches,    ///< For each branch its offset, a word, and counted targets.
  Annotations, ///< Entries of four kinds.
  AfterKind,   ///< Each word but the first.
};

/// What a final link does beyond copying [attribute-table].
enum class NvInfoPolicy : uint8_t {
  Copy,
  Drop,      ///< Not written by a final link.
  Flag,      ///< A kernel gets it when a function it reaches has it.
  Maximum,   ///< Kernel: maximum over reached functions.
  Sum,       ///< Kernel: sum over reached functions.
  Mask,      ///< Kernel: OR, with 0x8000 if a function lacks the record.
  Path,      ///< Kernel: longest path sum over the call graph.
  Registers, ///< Kernel: maximum register count, in place.
  Frame,     ///< Per function; input of the kernel's minimal stack size.
  Union,     ///< Kernel: union of lists.
  Bits,      ///< Kernel: OR over reached functions.
  Largest,   ///< One record of the image, the maximum of all.
  Created,   ///< Only written by the linker.
};

struct NvInfoAttribute {
  llvm::StringLiteral name; ///< With prefix, e.g. "EIATTR_REGCOUNT".
  NvInfoSymbols symbols;
  NvInfoOffsets offsets;
  NvInfoPolicy policy;
  llvm::StringLiteral description; ///< Its value or payload.
};

constexpr size_t NvInfoAttributeCount = 0
#define NV_INFO(...) +1
#include "lld-cuda/BinaryFormat/NvInfo.def"
    ;
/// The code is the index.
extern const std::array<NvInfoAttribute, NvInfoAttributeCount>
    NvInfoAttributeTable;

/// The minimal stack size of a kernel of which nobody can know it.
constexpr uint32_t UnboundedStack = 0xffffffff;

/// Null for codes above the table (0x61..0xff): these are copied.
inline const NvInfoAttribute *getNvInfoAttribute(uint8_t code) {
  return code < NvInfoAttributeCount ? &NvInfoAttributeTable[code] : nullptr;
}

/// Records about a function as a whole that stand in the global section; those
/// of a losing definition are not read.
inline bool isFunctionSummary(uint8_t code) {
  return code == EIATTR_FRAME_SIZE || code == EIATTR_MAX_STACK_SIZE ||
         code == EIATTR_REGCOUNT || code == EIATTR_SAM_REGION_STACK_SIZE;
}

} // namespace lld::cuda::elf

#endif
