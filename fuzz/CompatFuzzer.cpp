//===- CompatFuzzer.cpp - Fuzzes the merging of .nv.compat ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the rules by which a link combines compatibility attributes
/// (lib/Object/Compat.h). libFuzzer calls LLVMFuzzerTestOneInput() with each
/// input that it makes, in runs of scripts/fuzz.sh; an input is the contents of
/// a section .nv.compat, whose records are merged with each other. A value that
/// is merged with itself must stay the same.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Object/Compat.h"
#include <optional>

using namespace lld::cuda;
using namespace lld::cuda::fuzz;

/// Merges the records of one section with each other.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  std::optional<uint64_t> values[256];
  llvm::Error error = forEachNvInfoRecord(
      {bytes, size}, [&](size_t, const NvInfoRecord &record) {
        const CompatAttribute *attribute = getCompatAttribute(record.code);
        if (!attribute)
          return llvm::Error::success();
        uint64_t next = getCompatValue(*attribute, record);
        require(attribute->format != elf::EIFMT_BVAL || next <= 0xff);
        std::optional<uint64_t> &value = values[record.code];
        value = value ? combineCompat(attribute->policy, *value, next) : next;
        // A value that comes again changes nothing more.
        uint64_t again = combineCompat(attribute->policy, *value, *value);
        require(again == *value);
        return llvm::Error::success();
      });
  if (error)
    requireText(std::move(error));
  return 0;
}
