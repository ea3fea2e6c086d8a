//===- NameHash.h - The hash of names ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The hash by which the tables of a link find names: those of the Program,
/// which the merge fills, and the string tables of the output. They all have
/// the same, so that a name is hashed once. LLVM 19's own hash of a StringRef
/// takes three times as long for names of 30 to 100 bytes, as most are.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_NAMEHASH_H
#define LLD_CUDA_NAMEHASH_H

#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/xxhash.h"
#include <cstdint>

namespace lld::cuda {

inline uint32_t hashOfName(llvm::StringRef name) {
  return uint32_t(llvm::xxh3_64bits(name));
}
/// Returns a name with its hash, as it is looked up.
inline llvm::CachedHashStringRef hashed(llvm::StringRef name) {
  return {name, hashOfName(name)};
}

} // namespace lld::cuda

#endif
