//===- StableNames.h - Names without hashes ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function that removes hashes from names, so that names of two builds can
/// be compared. Compilers put hashes (of a section's contents, or of a source
/// file's path and contents) into names that must differ between files, so in
/// the next build the same thing has another name. cubin-diff's sources call it
/// for sections, symbols, lines of PTX and the names by which images are
/// paired.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_STABLENAMES_H
#define LLD_CUDA_CUBIN_DIFF_STABLENAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lld::cuda {

/// Returns the name of a section or a symbol with "*" for each hash:
/// ".nv_debug_ptx_txt.*", "__nv_static_25__*_4_a_cu__Z1kv_table".
std::string withoutHashes(llvm::StringRef name);

} // namespace lld::cuda

#endif
