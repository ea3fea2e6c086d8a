//===- ShortenObject.h - An object with a shorter section -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes relocatable objects smaller when the fatbin in one of their sections
/// has become shorter. PruneFile.cpp calls it for members of archives and
/// objects; ELF in ShortenObject.cpp, COFF in ShortenCoff.cpp.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_SHORTENOBJECT_H
#define LLD_CUDA_CUBIN_PRUNE_SHORTENOBJECT_H

#include "lld-cuda/Object/DeviceCode.h"
#include "llvm/ADT/SmallVector.h"

namespace lld::cuda {

/// The relocatable object `file` with `contents` in place of the section that
/// begins with `old`. Each section behind it moves to the next place that its
/// alignment lets it have; nothing else changes. (LLVM's objcopy makes
/// ordinary groups of COMDAT groups whose symbol is local, which GCC writes for
/// constructors.)
llvm::Expected<llvm::SmallVector<char, 0>>
shortenSection(llvm::StringRef file, const EmbeddedFatbin &old,
               llvm::StringRef contents);

/// Shortens a COFF object: device code that was removed takes no room in it.
llvm::Expected<llvm::SmallVector<char, 0>>
shortenCoffSection(llvm::StringRef file, const EmbeddedFatbin &old,
                   llvm::StringRef contents);

} // namespace lld::cuda

#endif
