//===- Compat.h - Compatibility attributes ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Codes of .nv.compat (sm_90 and later). The records have the shape of
/// NvInfoRecord; read them with forEachNvInfoRecord(). Facts: Compat.def.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_COMPAT_H
#define LLD_CUDA_OBJECT_COMPAT_H

#include "lld-cuda/Object/NvInfo.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace lld::cuda {

/// How two inputs' values of a code are combined [compat-table].
enum class CompatPolicy : uint8_t {
  Ignore,     ///< Not merged.
  MinZeroMax, ///< 0 absorbs, else the maximum.
  Or,
  NibbleMax, ///< 0 absorbs; bits 0-1 and 2-3 each: 0 absorbs, else maximum.
  SameOrOne, ///< Equal values stay, different ones give 1.
  Max,
  And,
};

/// Where the output has a code [compat-order].
enum class CompatPlace : uint8_t {
  First,      ///< Where it appeared first.
  End,        ///< There if the first input has it, else after all.
  EveryInput, ///< Where it appeared first, and only if every input has it.
};

enum CompatCode : uint8_t {
#define CUDA_COMPAT(NAME, CODE, ...) COMPAT_##NAME = CODE,
#include "lld-cuda/BinaryFormat/Compat.def"
};

struct CompatAttribute {
  llvm::StringLiteral name;
  uint8_t code;
  unsigned since; ///< The first toolkit whose links merge it.
  CompatPolicy policy;
  CompatPlace place;
  uint8_t format; ///< The output record's format.
  /// Value of an input that has the section but not the code.
  std::optional<uint16_t> defaultValue;
  /// The first toolkit whose links don't write the default; 0: all do.
  unsigned unwritten;
  llvm::StringLiteral description;
};

/// In the order in which defaults are merged.
llvm::ArrayRef<CompatAttribute> compatAttributes();

/// Null for codes outside the table.
const CompatAttribute *getCompatAttribute(uint8_t code);

/// The value of a record as nvlink takes it: whatever the record's own format,
/// the width is that of the output record.
uint64_t getCompatValue(const CompatAttribute &attribute,
                        const NvInfoRecord &record);

/// The combination of two values by `policy`.
uint64_t combineCompat(CompatPolicy policy, uint64_t first, uint64_t next);

} // namespace lld::cuda

#endif
