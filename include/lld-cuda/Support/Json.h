//===- Json.h - JSON that others have written -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_JSON_H
#define LLD_CUDA_SUPPORT_JSON_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace lld::cuda {

/// LLVM's parser calls itself for each array or object within another, so that
/// deep ones would overflow the stack. No file that is read here has more than
/// ten.
constexpr unsigned MaxJsonDepth = 64;

/// As json::parse(); deeper nesting is an error.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace lld::cuda

#endif
