//===- ShortenObject.h - Makes host objects smaller -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that make a relocatable host object smaller when the fatbin in one
/// of its sections has become shorter. PruneFile.cpp calls them for objects and
/// for members of archives; ELF is in ShortenObject.cpp, COFF in
/// ShortenCoff.cpp.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_SHORTENOBJECT_H
#define LLD_CUDA_CUBIN_PRUNE_SHORTENOBJECT_H

#include "lld-cuda/Object/DeviceCode.h"
#include "llvm/ADT/SmallVector.h"

namespace lld::cuda {

/// Returns the ELF object `file` with `contents` in place of the section that
/// begins with the fatbin `old`. Each section after it moves to the next offset
/// that its alignment allows; nothing else changes. (LLVM's objcopy isn't used:
/// it makes ordinary groups of COMDAT groups whose symbol is local, which GCC
/// writes for constructors.)
llvm::Expected<llvm::SmallVector<char, 0>>
shortenSection(llvm::StringRef file, const EmbeddedFatbin &old,
               llvm::StringRef contents);

/// Like shortenSection(), for a COFF object.
llvm::Expected<llvm::SmallVector<char, 0>>
shortenCoffSection(llvm::StringRef file, const EmbeddedFatbin &old,
                   llvm::StringRef contents);

} // namespace lld::cuda

#endif
