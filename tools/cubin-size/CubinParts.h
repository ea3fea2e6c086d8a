//===- CubinParts.h - What the bytes of a cubin are for ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Divides a cubin's bytes among functions and uses. Each byte is counted once.
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
  Mercury, ///< The second view of code, for the finalizer (sm_100 and later).
  Constants,
  Data,
  Records, ///< .nv.info, call graph, notes.
  Relocations,
  Symbols, ///< With names.
  Debug,
  Headers, ///< ELF's own tables, and padding.
  None,    ///< Not of a cubin.
};
llvm::StringRef getUseName(Use use);

struct CubinPart {
  Use use;
  std::string function; ///< Mangled; empty if the bytes are nobody's.
  std::string source;   ///< The file that code was made of, where it is known.
  uint64_t size;
  /// Only code has it, and only the first part of a function's.
  uint64_t codeSize, codeHash;
};

struct CubinParts {
  std::vector<CubinPart> parts; ///< The sizes' sum is the cubin's.
  bool isRelocatable = false;
};

/// Fails if the cubin is damaged. `bySource`: code is divided by the source
/// files that its line table tells.
llvm::Expected<CubinParts> divideCubin(llvm::StringRef data, bool bySource);

} // namespace lld::cuda

#endif
