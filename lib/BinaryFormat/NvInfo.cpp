//===- NvInfo.cpp - Attribute codes of .nv.info ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Look-up in NvInfo.def.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/BinaryFormat/NvInfo.h"
#include <iterator>

namespace lld::cuda::elf {

static constexpr NvInfoAttribute attributes[] = {
#define NV_INFO(NAME, CODE, SYMBOLS, OFFSETS, POLICY, DESCRIPTION)             \
  {"EIATTR_" #NAME, NvInfoSymbols::SYMBOLS, NvInfoOffsets::OFFSETS,            \
   NvInfoPolicy::POLICY, DESCRIPTION},
#include "lld-cuda/BinaryFormat/NvInfo.def"
};

// The code is the index.
static constexpr uint8_t codes[] = {
#define NV_INFO(NAME, CODE, SYMBOLS, OFFSETS, POLICY, DESCRIPTION) CODE,
#include "lld-cuda/BinaryFormat/NvInfo.def"
};

static constexpr bool isDense() {
  for (unsigned i = 0; i < std::size(codes); ++i)
    if (codes[i] != i)
      return false;
  return true;
}
static_assert(isDense(), "NvInfo.def has gaps or is not sorted");

const NvInfoAttribute *getNvInfoAttribute(uint8_t code) {
  return code < std::size(attributes) ? &attributes[code] : nullptr;
}

} // namespace lld::cuda::elf
