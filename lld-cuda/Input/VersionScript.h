//===- VersionScript.h - Parser of version scripts --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The parser of version scripts, the files that ld.cuda's --version-script
/// names. SymbolControl.cpp calls it while it reads the options on symbols,
/// before objects are merged. The syntax is that of GNU ld and lld. Device code
/// uses one part of it: which symbols are global and which are local.
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

/// The parsed script. It owns its texts.
struct VersionScript {
  /// A pattern of symbol names after "global:" or "local:".
  struct Pattern {
    std::string text;
    bool isGlobal;
    bool isExact; ///< It is in quotes, so that no character is special.
    bool isCxx;   ///< It is in extern "C++" and matches demangled names.
  };
  std::vector<Pattern> patterns;
  /// The names of versions. Symbols of device code have no versions.
  std::vector<std::string> versions;
};

/// Parses the text of a version script. The message of an error begins with the
/// line and the column.
llvm::Expected<VersionScript> readVersionScript(llvm::StringRef text);

} // namespace lld::cuda

#endif
