//===- Compat.cpp - Combines compatibility attributes ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Knows the codes of .nv.compat (table Compat.def) and how a link combines the
/// values of two inputs. The linker's CompatOutput.cpp calls combineCompat()
/// for each code of each input and then writes the image's section; with
/// --check, OtherTables.cpp computes the values again. cubin-dump and
/// cubin-diff get the codes' names here. For example, policy MinZeroMax takes
/// the larger value, but 0 if any input has 0 [compat-table].
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Object/Compat.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace lld::cuda::elf;

namespace lld::cuda {

static constexpr CompatAttribute Attributes[] = {
#define CUDA_COMPAT(NAME, CODE, SINCE, POLICY, PLACE, FORMAT, DEFAULT,         \
                    UNWRITTEN, DESCRIPTION)                                    \
  {#NAME,  CODE,    SINCE,     CompatPolicy::POLICY, CompatPlace::PLACE,       \
   FORMAT, DEFAULT, UNWRITTEN, DESCRIPTION},
#include "lld-cuda/BinaryFormat/Compat.def"
};

ArrayRef<CompatAttribute> compatAttributes() { return Attributes; }

const CompatAttribute *getCompatAttribute(uint8_t code) {
  for (const CompatAttribute &attribute : Attributes)
    if (attribute.code == code)
      return &attribute;
  return nullptr;
}

uint64_t getCompatValue(const CompatAttribute &attribute,
                        const NvInfoRecord &record) {
  switch (attribute.format) {
  case EIFMT_BVAL:
    return record.value & 0xff;
  case EIFMT_SVAL:
    return record.payload.size() < sizeof(uint64_t)
               ? 0
               : support::endian::read64le(record.payload.data());
  default:
    return record.value;
  }
}

static uint64_t maximumUnlessZero(uint64_t first, uint64_t next) {
  return first == 0 || next == 0 ? 0 : std::max(first, next);
}

uint64_t combineCompat(CompatPolicy policy, uint64_t first, uint64_t next) {
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
  case CompatPolicy::And:
    return first & next;
  }
  llvm_unreachable("unknown policy");
}

} // namespace lld::cuda
