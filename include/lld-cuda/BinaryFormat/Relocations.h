//===- Relocations.h - Table of relocation types ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The table of relocation types, R_CUDA_* (native code) and R_MERCURY_*
/// (NVIDIA's Mercury form of the code, see docs/reference/mercury.md): their
/// names, the bits that they patch, and what a link does with them. The linker
/// decides by it which relocations stay
/// (lld-cuda/Relocations/RelocationFate.cpp) and applies the others (the
/// relocators there) when it writes sections; cubin-prune and the dump library
/// ask it for fields and names. The data is in Relocations.def and
/// MercuryRelocations.def.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINARYFORMAT_RELOCATIONS_H
#define LLD_CUDA_BINARYFORMAT_RELOCATIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>

namespace lld::cuda::elf {

/// The type in r_info of a relocation entry.
enum RelocationType : uint32_t {
#define CUDA_RELOC(NAME, VALUE, ACTION, BIT, SHIFT, WIDTH, BANKBIT, FINAL)     \
  R_CUDA_##NAME = VALUE,
#include "lld-cuda/BinaryFormat/Relocations.def"
#define MERCURY_RELOC(NAME, VALUE, ACTION, SHIFT, BYTES, FINAL)                \
  R_MERCURY_##NAME = VALUE,
#include "lld-cuda/BinaryFormat/MercuryRelocations.def"
};

/// What a final link does with a relocation whose symbol is not a function, not
/// in global memory and not in reserved shared memory. Relocations for those
/// are always kept.
enum class RelocAction : uint8_t {
  Ignore,  ///< Removed; the bytes stay unchanged.
  Clear32, ///< Removed; clears 32 bits if the symbol was deleted.
  Clear64, ///< Removed; clears 64 bits if the symbol was deleted.
  Keep,    ///< Written to the output's relocation section.
  Field,   ///< Patches bits [Bit, Bit+Width) with (S+A) >> Shift.
  Byte, ///< Like Field, but with REL the old content is added before shifting.
  Constant, ///< Like Field, and writes a 5-bit constant bank number at BankBit.
  PCRel,    ///< Only valid within one section; otherwise a fatal error.
  FuncDesc, ///< Function descriptors: not supported in this position.
  Invalid,  ///< Not a relocation type that can be resolved: an error.
};

/// RelocationInfo::bankBit of types without a bank part.
constexpr uint8_t NoBank = 0xff;

/// A row of the tables: what is known of one relocation type.
struct RelocationInfo {
  llvm::StringLiteral name; ///< With prefix, e.g. "R_CUDA_ABS32_LO_32".
  RelocAction action;
  uint8_t bit, shift, width; ///< In bits, from r_offset, little endian.
  uint8_t bankBit;           ///< NoBank if there is no bank part.
  /// The type that replaces this one in a final link (for UNIFIED types); the
  /// type itself for all others.
  uint32_t finalType;
};

constexpr size_t CudaRelocationCount = 0
#define CUDA_RELOC(...) +1
#include "lld-cuda/BinaryFormat/Relocations.def"
    ;
constexpr size_t MercuryRelocationCount = 0
#define MERCURY_RELOC(...) +1
#include "lld-cuda/BinaryFormat/MercuryRelocations.def"
    ;
constexpr uint32_t FirstMercuryRelocation = R_MERCURY_NONE;
/// Indexed by type; those of Mercury code by type less FirstMercuryRelocation.
extern const std::array<RelocationInfo, CudaRelocationCount>
    CudaRelocationTable;
extern const std::array<RelocationInfo, MercuryRelocationCount>
    MercuryRelocationTable;

/// Returns null for types outside the tables.
inline const RelocationInfo *getRelocationInfo(uint32_t type) {
  if (type < CudaRelocationCount)
    return &CudaRelocationTable[type];
  if (type >= FirstMercuryRelocation &&
      type - FirstMercuryRelocation < MercuryRelocationCount)
    return &MercuryRelocationTable[type - FirstMercuryRelocation];
  return nullptr;
}

/// Returns the name with its prefix; empty if the type is unknown.
llvm::StringRef getRelocationName(uint32_t type);

/// Patches the field of a relocation that is resolved. `bytes` begins at
/// r_offset and ends at the end of the section; bits beyond it are lost, as in
/// nvlink. `value` is S + A, or S alone with `implicitAddend` (REL). In that
/// case the old content of the field is the addend, which is added after S is
/// shifted (for Byte types, before). Nothing is checked for overflow, but every
/// write is masked to its field. `bank` is the constant bank number of the
/// symbol's section, modulo 32 [relocation-fields], [relocation-values].
///
/// Returns false, with nothing written, if the type has no field.
bool patchRelocation(llvm::MutableArrayRef<uint8_t> bytes,
                     const RelocationInfo &info, uint64_t value, uint8_t bank,
                     bool implicitAddend);

/// Returns the content of a type's field, without the bank number; 0 for types
/// without a field.
uint64_t readRelocationField(llvm::ArrayRef<uint8_t> bytes,
                             const RelocationInfo &info);

/// The largest constant bank number that fits.
constexpr uint8_t MaxRelocationBank = 31;
/// Returns the constant bank number in the field; 0 for types without one.
uint8_t readRelocationBank(llvm::ArrayRef<uint8_t> bytes,
                           const RelocationInfo &info);

/// Returns the bits of the eight bytes from r_offset on, little endian, that
/// patchRelocation() writes.
uint64_t getRelocationMask(const RelocationInfo &info);

} // namespace lld::cuda::elf

#endif
