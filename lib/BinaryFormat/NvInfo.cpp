//===- NvInfo.cpp - The table of .nv.info attributes ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expands the rows of NvInfo.def into a constant table of the attributes that
/// .nv.info sections hold (EIATTR_REGCOUNT and others), with the code as the
/// index. getNvInfoAttribute() (NvInfo.h) reads it: for the linker, which
/// merges and writes attributes by it (MergeMetadata.cpp, NvInfoOutput.cpp),
/// for cubin-dump, which prints their names, and for cubin-diff and
/// cubin-prune, which look for symbols in them. A row that is missing or out of
/// order doesn't compile, because every look-up would be off by one.
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
