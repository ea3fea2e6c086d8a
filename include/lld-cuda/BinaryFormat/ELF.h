//===- ELF.h - ELF constants of CUDA device code ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The ELF constants that CUDA adds for cubins: header values, section types,
/// symbol types, memory spaces and note types, with functions that give their
/// names. All code that reads or writes a cubin includes it: the linker, the
/// readers in lib/Object, and the cubin-* tools. Generic ELF constants come
/// from llvm/BinaryFormat/ELF.h. The lists come from the tables FileFlags.def,
/// SectionTypes.def, SymbolTypes.def and NoteTypes.def.
///
/// From sm_100 on, a cubin holds its code twice: as native code ("native
/// view"), and in NVIDIA's "Mercury" form ("Mercury view"), from which nvlink
/// makes the native code anew (docs/reference/mercury.md).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINARYFORMAT_ELF_H
#define LLD_CUDA_BINARYFORMAT_ELF_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include <cstdint>

namespace lld::cuda::elf {

using namespace llvm::ELF;

/// EI_OSABI and EI_ABIVERSION: CUDA_12 is the layout that CUDA 11 and 12 use
/// for architectures below sm_100, CUDA_13 that of all other cubins (rule
/// [file-header] of docs/reference).
enum : uint8_t {
#define CUDA_FILE_HEADER(LAYOUT, OSABI, ABIVERSION)                            \
  ELFOSABI_##LAYOUT = OSABI, ABIVERSION_##LAYOUT = ABIVERSION,
#include "lld-cuda/BinaryFormat/FileFlags.def"
};

/// e_type of an extensible whole program (`ptxas -ewp`).
enum : uint16_t { ET_CUDA_EWP = 0xff00 };

/// Bits of e_flags, e.g. EF_CUDA_13_MERCURY.
enum : uint32_t {
#define CUDA_FILE_FLAG(LAYOUT, NAME, VALUE, DESCRIPTION)                       \
  EF_##LAYOUT##_##NAME = VALUE,
#include "lld-cuda/BinaryFormat/FileFlags.def"
};

/// A field of several bits in e_flags, e.g. EF_CUDA_13_ARCHITECTURE.
struct FileFlagsField {
  unsigned shift, width;
  constexpr uint32_t get(uint32_t flags) const {
    return flags >> shift & ((1u << width) - 1);
  }
  constexpr uint32_t put(uint32_t value) const { return value << shift; }
};
#define CUDA_FILE_FIELD(LAYOUT, NAME, SHIFT, WIDTH, DESCRIPTION)               \
  constexpr FileFlagsField EF_##LAYOUT##_##NAME = {SHIFT, WIDTH};
#include "lld-cuda/BinaryFormat/FileFlags.def"

// Section types.
enum : uint32_t {
#define CUDA_SECTION_TYPE(NAME, VALUE, NOBITS, DESCRIPTION) NAME = VALUE,
#include "lld-cuda/BinaryFormat/SectionTypes.def"
};

/// A flag in sh_flags that every section of the Mercury view has.
enum : uint64_t { SHF_CUDA_MERCURY = 0x10000000 };

/// Flags in sh_flags that tell the kinds of SHT_NOTE sections apart.
enum : uint64_t { SHF_CUDA_CUINFO = 0x1000000, SHF_CUDA_TKINFO = 0x2000000 };

/// Older toolkits store a function's number of barriers in bits 20 to 26 of the
/// sh_flags of its section .text.F.
enum : uint64_t {
  SHF_CUDA_BARRIER_SHIFT = 20,
  SHF_CUDA_BARRIER_MASK = 0x07f00000
};

/// Symbol types beyond the generic ones.
enum : uint8_t {
#define CUDA_SYMBOL_TYPE(NAME, VALUE, DESCRIPTION) STT_##NAME = VALUE,
#include "lld-cuda/BinaryFormat/SymbolTypes.def"
};

/// Bits of st_other. Its low two bits are the ELF visibility.
enum : uint8_t {
  STO_CUDA_MANAGED = 0x04,
  STO_CUDA_UNIFIED_FUNCTION = 0x04,
  STO_CUDA_UNIFIED = 0x10,    ///< Variable.
  STO_CUDA_ENTRY = 0x10,      ///< Function: a kernel.
  STO_CUDA_SPACE_MASK = 0xe0, ///< Variable: memory space.
#define CUDA_SYMBOL_SPACE(NAME, VALUE, DESCRIPTION) STO_##NAME = VALUE,
#include "lld-cuda/BinaryFormat/SymbolTypes.def"
};

// Types of notes, all with the name "NVIDIA Corp".
enum : uint32_t {
#define CUDA_NOTE(NAME, VALUE, DESCRIPTION) NT_##NAME = VALUE,
#include "lld-cuda/BinaryFormat/NoteTypes.def"
};

/// First architecture with a .nv.compat section, REGCOUNT records instead of
/// counts in sh_info, and a reserved part in front of shared memory.
constexpr unsigned FirstCompatSM = 90;
/// First architecture whose cubins hold a Mercury view.
constexpr unsigned FirstMercurySM = 100;

/// Returns the names of the bits that are set in e_flags, without
/// "EF_CUDA_1x_". Clears these bits and all fields in `flags`, so that only
/// unknown bits are left.
llvm::SmallVector<llvm::StringRef, 4> takeFileFlagNames(bool hasOldHeader,
                                                        uint32_t &flags);

/// Returns true for section types that occupy no bytes in the file.
inline bool isNoBits(uint32_t sectionType) {
  switch (sectionType) {
  case SHT_NOBITS:
    return true;
#define CUDA_SECTION_TYPE(NAME, VALUE, NOBITS, DESCRIPTION)                    \
  case NAME:                                                                   \
    return NOBITS;
#include "lld-cuda/BinaryFormat/SectionTypes.def"
  }
  return false;
}

/// Returns true for sections that occupy no bytes in the file. Sections of the
/// Mercury view always occupy bytes, even .nv.merc.nv.shared.reserved.0, whose
/// type says otherwise [mercury-appended].
inline bool isNoBits(uint32_t sectionType, uint64_t flags) {
  // SHT_NOBITS is the only such type among the generic ones.
  return !(flags & SHF_CUDA_MERCURY) &&
         (sectionType < SHT_CUDA_INFO ? sectionType == SHT_NOBITS
                                      : isNoBits(sectionType));
}

/// Returns true for the section types of the constant banks 0 to 17.
inline bool isConstantBank(uint32_t sectionType) {
  return sectionType >= SHT_CUDA_CONSTANT_B0 &&
         sectionType <= SHT_CUDA_CONSTANT_B0 + 17;
}

/// Returns true for the tables of unified functions and variables.
inline bool isUnifiedTable(uint32_t sectionType) {
  return sectionType == SHT_CUDA_UFT_ENTRY || sectionType == SHT_CUDA_UDT_ENTRY;
}

/// Returns the type's name without "SHT_", e.g. "CUDA_INFO", generic types
/// included; empty when unknown.
llvm::StringRef getSectionTypeName(uint32_t sectionType);

/// Returns the type's name without "STT_", e.g. "FUNC", "CUDA_OBJECT"; empty
/// when unknown.
llvm::StringRef getSymbolTypeName(uint8_t type);

/// Returns the name of the memory space in st_other, without "STO_", e.g.
/// "CUDA_SHARED"; empty if there is none or it is unknown.
llvm::StringRef getSymbolSpaceName(uint8_t other);

/// Returns the type's name without "NT_", e.g. "CUDA_TKINFO"; empty when
/// unknown.
llvm::StringRef getNoteTypeName(uint32_t type);

} // namespace lld::cuda::elf

#endif
