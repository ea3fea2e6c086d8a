//===- Relocations.cpp - Fields that relocations patch --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Looks up relocation types (R_CUDA_*, R_MERCURY_*) and reads and writes the
/// bits that a relocation patches. When the linker applies relocations to an
/// image's sections, its relocators (lld-cuda/Relocations) and DebugTables.cpp
/// call patchRelocation(), the only function that writes into a field; --check
/// reads the fields back. Which bits a type patches comes from Relocations.def
/// and MercuryRelocations.def. Each field lies within eight bytes from the
/// relocation's offset, and a value that is too large for it is cut
/// [relocation-values-cut].
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/BinaryFormat/Relocations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <cstring>

using namespace llvm;

namespace lld::cuda::elf {

/// Bits of a constant bank number.
constexpr unsigned BankWidth = 5;

constexpr std::array<RelocationInfo, CudaRelocationCount> CudaRelocationTable =
    {{
#define CUDA_RELOC(NAME, VALUE, ACTION, BIT, SHIFT, WIDTH, BANKBIT, FINAL)     \
  {"R_CUDA_" #NAME, RelocAction::ACTION, BIT, SHIFT, WIDTH,                    \
   BANKBIT,         R_CUDA_##FINAL},
#include "lld-cuda/BinaryFormat/Relocations.def"
    }};

constexpr std::array<RelocationInfo, MercuryRelocationCount>
    MercuryRelocationTable = {{
#define MERCURY_RELOC(NAME, VALUE, ACTION, SHIFT, BYTES, FINAL)                \
  {"R_MERCURY_" #NAME, RelocAction::ACTION, 0, SHIFT, 8 * BYTES, NoBank,       \
   R_MERCURY_##FINAL},
#include "lld-cuda/BinaryFormat/MercuryRelocations.def"
    }};

static constexpr uint32_t cudaTypes[] = {
#define CUDA_RELOC(NAME, VALUE, ACTION, BIT, SHIFT, WIDTH, BANKBIT, FINAL)     \
  VALUE,
#include "lld-cuda/BinaryFormat/Relocations.def"
};

static constexpr uint32_t mercuryTypes[] = {
#define MERCURY_RELOC(NAME, VALUE, ACTION, SHIFT, BYTES, FINAL) VALUE,
#include "lld-cuda/BinaryFormat/MercuryRelocations.def"
};

// The number is the index, and every field lies in the eight bytes from
// r_offset on: patchRelocation() depends on it.
template <size_t N>
static constexpr bool isSound(const std::array<RelocationInfo, N> &table,
                              const uint32_t (&types)[N], uint32_t first) {
  for (unsigned i = 0; i < N; ++i) {
    const RelocationInfo &info = table[i];
    if (types[i] != first + i || info.bit + info.width > 64 || info.shift > 63)
      return false;
    if (info.bankBit != NoBank && info.bankBit + BankWidth > 64)
      return false;
  }
  return true;
}

static_assert(isSound(CudaRelocationTable, cudaTypes, 0));
static_assert(isSound(MercuryRelocationTable, mercuryTypes,
                      FirstMercuryRelocation));

StringRef getRelocationName(uint32_t type) {
  const RelocationInfo *info = getRelocationInfo(type);
  return info ? StringRef(info->name) : StringRef();
}

static uint64_t lowBits(unsigned width) {
  return width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
}

static uint64_t extract(uint64_t word, unsigned bit, unsigned width) {
  return word >> bit & lowBits(width);
}

static uint64_t insert(uint64_t word, unsigned bit, unsigned width,
                       uint64_t value) {
  // A value that is too large is cut [relocation-values-cut].
  uint64_t mask = lowBits(width) << bit;
  return (word & ~mask) | (value << bit & mask);
}

/// CONST_FIELD19_28 is the only type that splits the bank number: four bits at
/// bankBit, the fifth at bit 26.
constexpr unsigned LowBankWidth = 4, HighBankBit = 26;
static bool hasSplitBank(const RelocationInfo &info) {
  return info.finalType == R_CUDA_CONST_FIELD19_28;
}

static uint64_t extractBank(uint64_t word, const RelocationInfo &info) {
  if (!hasSplitBank(info))
    return extract(word, info.bankBit, BankWidth);
  return extract(word, info.bankBit, LowBankWidth) |
         extract(word, HighBankBit, 1) << LowBankWidth;
}

static uint64_t insertBank(uint64_t word, const RelocationInfo &info,
                           uint64_t bank) {
  if (!hasSplitBank(info))
    return insert(word, info.bankBit, BankWidth, bank);
  word = insert(word, info.bankBit, LowBankWidth, bank);
  return insert(word, HighBankBit, 1, bank >> LowBankWidth);
}

/// The word with a relocation's field, and the bank if it has one, filled in.
static inline uint64_t patchWord(uint64_t word, const RelocationInfo &info,
                                 uint64_t value, uint8_t bank,
                                 bool implicitAddend) {
  uint64_t old = implicitAddend ? extract(word, info.bit, info.width) : 0;
  // In Byte types the old content is not shifted up first, so that it only
  // counts through a carry [relocation-fields].
  uint64_t field = info.action == RelocAction::Byte
                       ? (old + value) >> info.shift
                       : old + (value >> info.shift);
  word = insert(word, info.bit, info.width, field);
  if (info.bankBit != NoBank)
    word = insertBank(word, info,
                      bank + (implicitAddend ? extractBank(word, info) : 0));
  return word;
}

bool patchRelocation(MutableArrayRef<uint8_t> bytes, const RelocationInfo &info,
                     uint64_t value, uint8_t bank, bool implicitAddend) {
  if (info.width == 0)
    return false;
  uint8_t window[8] = {};
  if (bytes.size() >= sizeof(window)) {
    const uint64_t word = support::endian::read64le(bytes.data());
    support::endian::write64le(
        bytes.data(), patchWord(word, info, value, bank, implicitAddend));
    return true;
  }
  // Bits beyond the end are lost.
  llvm::copy(bytes, window);
  const uint64_t word = support::endian::read64le(window);
  support::endian::write64le(
      window, patchWord(word, info, value, bank, implicitAddend));
  std::copy_n(window, bytes.size(), bytes.begin());
  return true;
}

/// The eight bytes that a field lies in; those past the end are 0.
static uint64_t readWord(ArrayRef<uint8_t> bytes) {
  uint8_t window[8] = {};
  if (!bytes.empty())
    std::memcpy(window, bytes.data(), std::min(bytes.size(), sizeof(window)));
  return support::endian::read64le(window);
}

uint64_t readRelocationField(ArrayRef<uint8_t> bytes,
                             const RelocationInfo &info) {
  return info.width ? extract(readWord(bytes), info.bit, info.width) : 0;
}

uint8_t readRelocationBank(ArrayRef<uint8_t> bytes,
                           const RelocationInfo &info) {
  return info.bankBit == NoBank ? 0 : extractBank(readWord(bytes), info);
}

uint64_t getRelocationMask(const RelocationInfo &info) {
  if (info.width == 0)
    return 0;
  const uint64_t field = insert(0, info.bit, info.width, ~uint64_t(0));
  return info.bankBit == NoBank ? field
                                : insertBank(field, info, MaxRelocationBank);
}

} // namespace lld::cuda::elf
