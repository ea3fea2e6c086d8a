//===- Compat.h - Compatibility attributes ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The compatibility attributes, i.e. the codes of the section .nv.compat,
/// which cubins have from sm_90 on: what each code means and how a link
/// combines the values of its inputs. The linker merges them when it writes the
/// image (CompatOutput.cpp), checks the result (OtherTables.cpp) and looks at
/// them when it reads a cubin; cubin-dump and cubin-diff print the names
/// (lib/Dump). The records have the form of NvInfoRecord and are read with
/// forEachNvInfoRecord(). The table's data is in Compat.def.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_COMPAT_H
#define LLD_CUDA_OBJECT_COMPAT_H

#include "lld-cuda/Object/NvInfo.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace lld::cuda {

/// How two inputs' values of a code are combined (rule [compat-table] of
/// docs/reference).
enum class CompatPolicy : uint8_t {
  Ignore,     ///< Not combined: the first value is kept.
  MinZeroMax, ///< 0 if either is 0, else the maximum.
  Or,
  /// 0 if either is 0; else as MinZeroMax, for bits 0-1 and for bits 2-3. Bits
  /// 4-7 are those of the first value.
  NibbleMax,
  SameOrOne, ///< The value if both are equal, else 1.
  Max,
  And,
};

/// At which place the output section has a code [compat-order].
enum class CompatPlace : uint8_t {
  First,      ///< Where it appeared first.
  End,        ///< There if the first input has it, else after all others.
  EveryInput, ///< Where it appeared first, and only if every input has it.
};

/// The codes, from Compat.def.
enum CompatCode : uint8_t {
#define CUDA_COMPAT(NAME, CODE, ...) COMPAT_##NAME = CODE,
#include "lld-cuda/BinaryFormat/Compat.def"
};

/// A row of Compat.def: what a link does with one code.
struct CompatAttribute {
  llvm::StringLiteral name;
  uint8_t code;
  /// The first toolkit, as version times ten, whose links merge it.
  unsigned since;
  CompatPolicy policy;
  CompatPlace place;
  uint8_t format; ///< The output record's format.
  /// The value that an input counts with if it has the section but not the
  /// code.
  std::optional<uint16_t> defaultValue;
  /// The first toolkit whose links don't write the default; 0 if all do.
  unsigned unwritten;
  llvm::StringLiteral description;
};

/// Returns all attributes, in the order in which defaults are merged.
llvm::ArrayRef<CompatAttribute> compatAttributes();

/// Returns the attribute with that code, or null for unknown codes.
const CompatAttribute *getCompatAttribute(uint8_t code);

/// Returns the value of a record as nvlink reads it: with the width of the
/// output record, whatever the record's own format is.
uint64_t getCompatValue(const CompatAttribute &attribute,
                        const NvInfoRecord &record);

/// Returns the combination of two values by `policy`.
uint64_t combineCompat(CompatPolicy policy, uint64_t first, uint64_t next);

} // namespace lld::cuda

#endif
