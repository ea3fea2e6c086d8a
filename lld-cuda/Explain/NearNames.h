//===- NearNames.h - Which names are like another ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a mistyped word or a missed symbol was meant to be. People get a part
/// of a C++ name wrong: the last component, its parameters, or the namespace it
/// is in. So names are compared part by part; how long the rest is, or how much
/// alike, says nothing.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_EXPLAIN_NEARNAMES_H
#define LLD_CUDA_EXPLAIN_NEARNAMES_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace lld::cuda {

/// Whether a word that is so many edits from another is likely to mean it:
/// one edit in three characters, and two at most.
bool isLikelyTypo(llvm::StringRef word, unsigned distance);

/// The edits from one word to the other; two neighbours that changed places are
/// one. More than `max` are max + 1.
unsigned countEdits(llvm::StringRef word, llvm::StringRef other, unsigned max);

/// A symbol's name in parts: ns::foo(int) has the scope "ns", the base "foo"
/// and the parameters "(int)".
struct NameParts {
  /// Without a base if it has none, as operators and lambdas.
  static NameParts of(llvm::StringRef symbol);

  std::string scope, base, parameters;
  bool isMangled = false;
  bool isTemplate = false; ///< An instance of a function template.
};

/// The parts of a symbol of one file only, as the source has them: the scope
/// that the compiler made for the file is gone.
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
  unsigned cost; ///< What is less is more likely.
};

/// None: nobody would mean `other` by `wanted`.
std::optional<NearName> compareNames(const NameParts &wanted,
                                     const NameParts &other);

/// Cheap: whether some name in a symbol is like `base` at all, so that the
/// symbol is worth taking apart.
bool mayBeNear(llvm::StringRef symbol, llvm::StringRef base);

} // namespace lld::cuda

#endif
