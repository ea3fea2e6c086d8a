//===- CubinParts.h - What the bytes of a cubin are for ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Divides the bytes of one cubin among functions and uses, so that each byte
/// is counted exactly once. Measure.cpp calls divideCubin() for each cubin that
/// cubin-size measures.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_SIZE_CUBINPARTS_H
#define LLD_CUDA_CUBIN_SIZE_CUBINPARTS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace lld::cuda {

/// What the bytes of a cubin are for.
enum class Use : uint8_t {
  Code,
  Mercury, ///< The code's Mercury form beside the native one (from sm_100 on).
  Constants,
  Data,
  Records, ///< .nv.info, call graph, notes.
  Relocations,
  Symbols, ///< Symbol tables and the names in string tables.
  Debug,
  Headers, ///< ELF's own tables, and padding.
  None,    ///< The bytes don't belong to a cubin.
};
llvm::StringRef getUseName(Use use);

/// Bytes of a cubin that have one use and belong to one function.
struct CubinPart {
  Use use;
  std::string function; ///< Mangled; empty if no function owns the bytes.
  std::string source;   ///< The source file of code, if the line table says it.
  uint64_t size;        ///< In bytes.
  /// Size and hash of a whole function's code, in its first part; otherwise 0.
  uint64_t codeSize, codeHash;
};

struct CubinParts {
  std::vector<CubinPart> parts; ///< Their sizes add up to the cubin's size.
  bool isRelocatable = false;
};

/// Divides the cubin `data`. With `bySource`, code is divided by the source
/// files that its line table names. Returns an error for a damaged cubin.
llvm::Expected<CubinParts> divideCubin(llvm::StringRef data, bool bySource);

} // namespace lld::cuda

#endif
