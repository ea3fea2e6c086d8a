//===- VisitEntries.h - Walk over capmerc entries ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A walk over the entries of a .nv.capmerc.text section, which say which
/// instructions of a function belong to one instruction of NVIDIA's "Mercury"
/// form of the code (docs/reference/mercury.md). The sources that find
/// instructions for a link to remove (ExitBarriers.cpp, OldestChanges.cpp,
/// Reconvergence.cpp, SelfMoves.cpp) use it when CodeEdit.cpp plans the edit of
/// a function, after a look at the code alone has shown that the section has to
/// be read: most functions have nothing to be found.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_VISITENTRIES_H
#define LLD_CUDA_LIB_FINALCODE_VISITENTRIES_H

#include "lld-cuda/Object/Mercury.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace lld::cuda {

/// Calls `visit` for each entry of `capmerc` that has instructions, all of them
/// among the first `used` ones of `code`. Fails as readCapmercText() does.
llvm::Error visitEntries(llvm::ArrayRef<uint8_t> code, uint32_t used,
                         llvm::ArrayRef<uint8_t> capmerc,
                         llvm::function_ref<void(const CapmercEntry &)> visit);

} // namespace lld::cuda

#endif
