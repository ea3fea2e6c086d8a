//===- NearNames.h - Comparison of similar names ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Comparison of names, to guess what a mistyped option or an undefined symbol
/// was meant to be. The readers of the command line (Options.cpp,
/// LldOptions.cpp, Suggestions.cpp) and Explain/ExplainUndefined.cpp use it
/// after an error, for the note that suggests a name.
///
/// People get one part of a C++ name wrong: the last component, its parameters,
/// or the namespace that it is in. So symbols are compared part by part, and
/// how similar they are as a whole doesn't matter.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_EXPLAIN_NEARNAMES_H
#define LLD_CUDA_EXPLAIN_NEARNAMES_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace lld::cuda {

/// Returns whether a word at this distance (in edits) from another is likely a
/// misspelling of it: there is at most one edit in three characters, and there
/// are at most two.
bool isLikelyTypo(llvm::StringRef word, unsigned distance);

/// Returns the number of edits from one word to the other, or max + 1 if there
/// are more than `max`. A swap of two neighbouring characters is one edit.
unsigned countEdits(llvm::StringRef word, llvm::StringRef other, unsigned max);

/// A symbol's name in parts: ns::foo(int) has the scope "ns", the base "foo"
/// and the parameters "(int)".
struct NameParts {
  /// Splits a symbol's name, mangled or not. The base stays empty for operators
  /// and lambdas.
  static NameParts of(llvm::StringRef symbol);

  std::string scope, base, parameters;
  bool isMangled = false;
  bool isTemplate = false; ///< An instance of a function template.
};

/// Splits the name of a symbol that is local to a file. The scope that the
/// compiler made for the file is removed, as the source doesn't have it.
NameParts partsOfStatic(llvm::StringRef symbol);

/// How the name that was meant differs from the one that was written.
struct NearName {
  enum Kind {
    Spelling,
    Parameters,
    Scope,
    Linkage, ///< extern "C" on one side only.
  };
  Kind kind;
  unsigned cost; ///< A lower cost means that the name is more likely meant.
};

/// Returns how `wanted` differs from `other`, or nullopt if `other` is unlikely
/// to be meant.
std::optional<NearName> compareNames(const NameParts &wanted,
                                     const NameParts &other);

/// Returns whether a symbol contains a name that is similar to `base`, without
/// demangling it: a cheap test before compareNames().
bool mayBeNear(llvm::StringRef symbol, llvm::StringRef base);

} // namespace lld::cuda

#endif
