//===- Relocations.h - Relocation types of cubins ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// R_CUDA_* (native code) and R_MERCURY_* relocations: name, the bits they
/// patch and what a link does with them. The facts stand in Relocations.def and
/// MercuryRelocations.def.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINARYFORMAT_RELOCATIONS_H
#define LLD_CUDA_BINARYFORMAT_RELOCATIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace lld::cuda::elf {

enum RelocationType : uint32_t {
#define CUDA_RELOC(NAME, VALUE, ACTION, BIT, SHIFT, WIDTH, BANKBIT, FINAL)     \
  R_CUDA_##NAME = VALUE,
#include "lld-cuda/BinaryFormat/Relocations.def"
#define MERCURY_RELOC(NAME, VALUE, ACTION, SHIFT, BYTES, FINAL)                \
  R_MERCURY_##NAME = VALUE,
#include "lld-cuda/BinaryFormat/MercuryRelocations.def"
};

/// What a final link does with an entry whose symbol is not a function, not
/// global memory and not reserved shared memory (those are always kept; see
/// the relocation pass).
enum class RelocAction : uint8_t {
  Ignore,   ///< Dropped, bytes untouched.
  Clear32,  ///< Dropped; clears 32 bits if the symbol was deleted.
  Clear64,  ///< Dropped; clears 64 bits if the symbol was deleted.
  Keep,     ///< Written to the output's relocation section.
  Field,    ///< Patches bits [Bit, Bit+Width) with (S+A) >> Shift.
  Byte,     ///< As Field; with REL the old content is added before shifting.
  Constant, ///< As Field, and a 5-bit constant bank number at BankBit.
  PCRel,    ///< Only valid within one section; otherwise a fatal error.
  FuncDesc, ///< Function descriptors: not supported in this position.
  Invalid,  ///< Not a relocation type that can be resolved: an error.
};

/// RelocationInfo::bankBit of types without a bank part.
constexpr uint8_t NoBank = 0xff;

struct RelocationInfo {
  llvm::StringLiteral name; ///< With prefix, e.g. "R_CUDA_ABS32_LO_32".
  RelocAction action;
  uint8_t bit, shift, width; ///< In bits, from r_offset, little endian.
  uint8_t bankBit;           ///< NoBank: no bank part.
  /// The type that takes this one's place in a final link (UNIFIED types);
  /// itself for all others.
  uint32_t finalType;
};

/// Null for types outside the tables.
const RelocationInfo *getRelocationInfo(uint32_t type);

/// Never null: "Unknown (0x..)" style text is the caller's; empty when unknown.
llvm::StringRef getRelocationName(uint32_t type);

/// Patches the field of a relocation that is resolved. `bytes` begins at
/// r_offset and ends with the section; bits past the end are lost, as in
/// nvlink. `value` is S + A, or with `implicitAddend` (REL) S alone: there the
/// old content of the field is the addend, and is added after S is shifted
/// (before, for Byte types). Nothing is checked for overflow, but every write
/// is masked to its field. `bank` is the constant bank number of the symbol's
/// section, modulo 32 [relocation-fields], [relocation-values].
///
/// False, with nothing written, if the type has no field.
bool patchRelocation(llvm::MutableArrayRef<uint8_t> bytes,
                     const RelocationInfo &info, uint64_t value, uint8_t bank,
                     bool implicitAddend);

/// What the field of a type holds, bank number aside; 0 for types without one.
uint64_t readRelocationField(llvm::ArrayRef<uint8_t> bytes,
                             const RelocationInfo &info);

/// The constant bank number beside it; 0 for types without one.
constexpr uint8_t MaxRelocationBank = 31;
uint8_t readRelocationBank(llvm::ArrayRef<uint8_t> bytes,
                           const RelocationInfo &info);

/// The bits of the eight bytes from r_offset on, little endian, that
/// patchRelocation() writes.
uint64_t getRelocationMask(const RelocationInfo &info);

} // namespace lld::cuda::elf

#endif
