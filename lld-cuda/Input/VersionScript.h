//===- VersionScript.h - The file of --version-script -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A version script as GNU ld and lld read it, of which device code has use for
/// one part: who is global and who is local.
///
///     V1.0 {
///       global:
///         api_*;                  # a glob pattern
///         extern "C++" { ns::*; "ns::f(int)"; };
///       local: *;
///     } V0.9;
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_VERSIONSCRIPT_H
#define LLD_CUDA_INPUT_VERSIONSCRIPT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lld::cuda {

struct VersionScript {
  struct Pattern {
    std::string text;
    bool isGlobal;
    bool isExact; ///< In quotes: no character is special.
    bool isCxx;   ///< In extern "C++": a demangled name is meant.
  };
  std::vector<Pattern> patterns;
  /// Names of versions, which symbols of device code don't have.
  std::vector<std::string> versions;
};

/// An error begins with line and column.
llvm::Expected<VersionScript> readVersionScript(llvm::StringRef text);

} // namespace lld::cuda

#endif
