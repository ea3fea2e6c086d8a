//===- PtxText.h - Version and shorter text of PTX --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Questions about PTX that can be answered without compiling it: its version,
/// and a shorter text of the same meaning. The program in fatbinary's place
/// (Fatbinary.cpp) packs the shorter text into fatbins; cubin-check (Facts.cpp)
/// tells by the version which drivers can compile the PTX.
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

/// Returns the PTX without comments, and without white space that has no
/// meaning (rule [fatbinary-ptx] of docs/reference).
std::string shortenPtx(llvm::StringRef ptx);

/// Returns the major and minor version of the first `.version` directive, by
/// fatbinary's rules [fatbinary-ptx]: the minor version is one digit. Returns
/// nullopt if there is no directive or no version in it.
std::optional<std::pair<uint16_t, uint16_t>>
readPtxVersion(llvm::StringRef ptx);

} // namespace lld::cuda

#endif
