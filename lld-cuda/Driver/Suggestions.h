//===- Suggestions.h - What a word was meant to be --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_SUGGESTIONS_H
#define LLD_CUDA_DRIVER_SUGGESTIONS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lld::cuda {

/// Whether a word that is so many edits from another is likely to mean it:
/// one edit in three characters, and two at most.
bool isLikelyTypo(llvm::StringRef word, unsigned distance);

/// "sm_75, sm_80, ...": all that any release links for, without suffixes.
std::string listArchitectures();

} // namespace lld::cuda

#endif
