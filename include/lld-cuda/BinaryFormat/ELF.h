//===- ELF.h - ELF constants of CUDA device code ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a cubin is, as numbers: header values, section types, symbol types and
/// memory spaces. No I/O, no state. Generic ELF constants come from
/// llvm/BinaryFormat/ELF.h; here is only what CUDA adds. Section types come
/// from the table SectionTypes.def.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINARYFORMAT_ELF_H
#define LLD_CUDA_BINARYFORMAT_ELF_H

#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include <cstdint>

namespace lld::cuda::elf {

using namespace llvm::ELF;

// ELF header (spec: ELF output, section 1).
enum : uint8_t {
  ELFOSABI_CUDA_12 = 0x33, ///< Cubins of CUDA 11 and 12.
  ELFOSABI_CUDA_13 = 0x41, ///< Cubins of CUDA 13.
  CUDA_ABI_VERSION = 8,    ///< EI_ABIVERSION of CUDA 13.
};

/// e_type of an extensible whole program (`ptxas -ewp`).
enum : uint16_t { ET_CUDA_EWP = 0xff00 };

/// Fields of e_flags: `cuinfoIndex << 24 | sm << 8 | view`. The top byte is
/// the section index of .note.nv.cuinfo in the same file.
enum : uint32_t {
  EF_CUDA_SASS = 0x04,    ///< The file holds native code only.
  EF_CUDA_MERCURY = 0x02, ///< The file holds a Mercury view, too (sm_100 on).
};

// Section types.
enum : uint32_t {
#define CUDA_SECTION_TYPE(NAME, VALUE, NOBITS, DESCRIPTION) NAME = VALUE,
#include "lld-cuda/BinaryFormat/SectionTypes.def"
};

/// Marks every section of the Mercury view.
enum : uint64_t { SHF_CUDA_MERCURY = 0x10000000 };

/// sh_flags of .text.F, bits 20..26: number of barriers (older toolkits).
enum : uint64_t { SHF_CUDA_BARRIER_SHIFT = 20, SHF_CUDA_BARRIER_MASK = 0x07f00000 };

/// Symbol types beyond the generic ones.
enum : uint8_t {
  STT_CUDA_TEXTURE = 10,
  STT_CUDA_SAMPLER = 11,
  STT_CUDA_SURFACE = 12,
  STT_CUDA_OBJECT = 13, ///< A variable whose address is not assigned yet.
};

/// st_other. The low two bits are the ELF visibility.
enum : uint8_t {
  STO_CUDA_MANAGED = 0x04,
  STO_CUDA_ENTRY = 0x10,      ///< Function: a kernel.
  STO_CUDA_SPACE_MASK = 0xe0, ///< Variable: memory space.
  STO_CUDA_GLOBAL = 0x20,
  STO_CUDA_SHARED = 0x40,
  STO_CUDA_CONSTANT = 0x80,
  STO_CUDA_RESERVED_SHARED = 0xa0,
};

/// First architecture with a .nv.compat section, REGCOUNT records instead of
/// counts in sh_info, and a reserved part in front of shared memory.
constexpr unsigned FirstCompatSM = 90;
/// First architecture whose cubins hold a Mercury view.
constexpr unsigned FirstMercurySM = 100;

/// True for section types that occupy no bytes in the file.
bool isNoBits(uint32_t sectionType);

/// True for SHT_CUDA_CONSTANT0 + bank, bank 0..17.
inline bool isConstantBank(uint32_t sectionType) {
  return sectionType >= SHT_CUDA_CONSTANT0 && sectionType <= SHT_CUDA_CONSTANT0 + 17;
}

/// The type's name without "SHT_", e.g. "CUDA_INFO"; empty when unknown.
llvm::StringRef getSectionTypeName(uint32_t sectionType);

} // namespace lld::cuda::elf

#endif
