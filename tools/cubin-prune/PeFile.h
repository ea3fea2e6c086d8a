//===- PeFile.h - What goes with changed bytes of a PE file -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A program or DLL of Windows has a checksum, which linkers set if asked, and
/// may be signed (Authenticode): its last bytes are a table of certificates,
/// and the signature is over all bytes but these and the checksum.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_PEFILE_H
#define LLD_CUDA_CUBIN_PRUNE_PEFILE_H

#include "lld-cuda/Support/Replacement.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace lld::cuda {

/// Adds to what is replaced in a PE file, in order, what has to change with it:
/// the checksum, if the old one is right, and with `removesSignature` what says
/// that the file is signed, and the signature. Fails for a signed file
/// otherwise.
llvm::Error addPeChanges(llvm::StringRef file, bool removesSignature,
                         std::vector<Replacement> &list);

} // namespace lld::cuda

#endif
