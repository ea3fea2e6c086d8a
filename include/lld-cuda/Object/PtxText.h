//===- PtxText.h - PTX as it is kept in fatbins -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What is asked of PTX as text, without compiling it: its version, and a
/// shorter form that means the same. The program in fatbinary's place packs
/// that form into fatbins; cubin-check tells by the version which drivers can
/// compile it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_PTXTEXT_H
#define LLD_CUDA_OBJECT_PTXTEXT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace lld::cuda {

/// Without comments, and without white space that means nothing
/// [fatbinary-ptx].
std::string shortenPtx(llvm::StringRef ptx);

/// Major and minor version of its `.version`, by fatbinary's rules
/// [fatbinary-ptx].
std::optional<std::pair<uint16_t, uint16_t>>
readPtxVersion(llvm::StringRef ptx);

} // namespace lld::cuda

#endif
