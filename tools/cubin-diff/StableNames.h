//===- StableNames.h - Names without hashes ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compilers put hashes into names that must differ between files: of what a
/// section holds, of a source file's path and contents. The same thing has
/// another name in the next build then.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_STABLENAMES_H
#define LLD_CUDA_CUBIN_DIFF_STABLENAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lld::cuda {

/// The name of a section or a symbol, with "*" for each hash:
/// ".nv_debug_ptx_txt.*", "__nv_static_25__*_4_a_cu__Z1kv_table".
std::string withoutHashes(llvm::StringRef name);

} // namespace lld::cuda

#endif
