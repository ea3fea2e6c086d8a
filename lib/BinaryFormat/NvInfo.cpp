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

constexpr std::array<NvInfoAttribute, NvInfoAttributeCount>
    NvInfoAttributeTable = {{
#define NV_INFO(NAME, CODE, SYMBOLS, OFFSETS, POLICY, DESCRIPTION)             \
  {"EIATTR_" #NAME, NvInfoSymbols::SYMBOLS, NvInfoOffsets::OFFSETS,            \
   NvInfoPolicy::POLICY, DESCRIPTION},
#include "lld-cuda/BinaryFormat/NvInfo.def"
    }};

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

} // namespace lld::cuda::elf
