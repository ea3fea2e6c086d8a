//===- Compat.cpp - Compatibility attributes ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Look-up in Compat.def and the rules by which values are combined (spec:
/// nv.info, section 9).
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/Compat.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

const CompatAttribute *getCompatAttribute(uint8_t code) {
  switch (code) {
#define CUDA_COMPAT(NAME, CODE, POLICY, FORMAT, DEFAULT, DESCRIPTION)          \
  case CODE: {                                                                 \
    static constexpr CompatAttribute attribute = {                             \
        #NAME, CompatPolicy::POLICY, FORMAT, DEFAULT, DESCRIPTION};            \
    return &attribute;                                                         \
  }
#include "lld-cuda/BinaryFormat/Compat.def"
  }
  return nullptr;
}

uint16_t getCompatValue(const CompatAttribute &attribute,
                        const NvInfoRecord &record) {
  return attribute.format == EIFMT_BVAL ? record.value & 0xff : record.value;
}

static uint16_t maximumUnlessZero(uint16_t first, uint16_t next) {
  return first == 0 || next == 0 ? 0 : std::max(first, next);
}

uint16_t combineCompat(CompatPolicy policy, uint16_t first, uint16_t next) {
  switch (policy) {
  case CompatPolicy::Ignore:
    return first;
  case CompatPolicy::MinZeroMax:
    return maximumUnlessZero(first, next);
  case CompatPolicy::Or:
    return first | next;
  case CompatPolicy::NibbleMax:
    if ((first & 0xff) == 0 || (next & 0xff) == 0)
      return 0;
    // Bits 4 to 7 are those of the first input.
    return (first & 0xf0) | maximumUnlessZero(first & 0x3, next & 0x3) |
           maximumUnlessZero(first & 0xc, next & 0xc);
  case CompatPolicy::SameOrOne:
    return first == next ? first : 1;
  case CompatPolicy::Max:
    return std::max(first, next);
  }
  llvm_unreachable("unknown policy");
}

} // namespace lld::cuda
