//===- PeFile.h - Checksum and signature of PE files ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function that keeps a Windows program or DLL valid when some of its bytes
/// are replaced. Its checksum, which linkers set on request, depends on all
/// bytes. It may also be signed (Authenticode): its last bytes are then a table
/// of certificates, and the signature covers all bytes except these and the
/// checksum. PruneFile.cpp calls it once it knows which bytes cubin-prune
/// replaces.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_PEFILE_H
#define LLD_CUDA_CUBIN_PRUNE_PEFILE_H

#include "lld-cuda/Support/Replacement.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace lld::cuda {

/// Adds to `list`, the replacements in ascending order, those that must
/// accompany them: the checksum, if the old one is right, and with
/// `removesSignature` the removal of the signature and of its entry in the
/// header. Fails for a signed file without `removesSignature`.
llvm::Error addPeChanges(llvm::StringRef file, bool removesSignature,
                         std::vector<Replacement> &list);

} // namespace lld::cuda

#endif
