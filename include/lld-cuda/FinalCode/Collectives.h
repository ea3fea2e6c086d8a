//===- Collectives.h - Places in collective parts of code -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A collective part begins with WARPSYNC.COLLECTIVE and ends with
/// ENDCOLLECTIVE. Where the operation between the two takes several
/// instructions, a BAR, REDUX or CREDUX, ptxas 13.0.48 says that it stands at
/// the WARPSYNC; later ones name the operation [collective-places].
/// The finalizer's passes call this for objects of that compiler, to correct
/// attributes and call frames.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_COLLECTIVES_H
#define LLD_CUDA_FINALCODE_COLLECTIVES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace lld::cuda {

/// Where the BAR, REDUX or CREDUX of the collective part stands that begins at
/// the offset; the offset itself if none begins there, or none is in it. In
/// bytes.
uint64_t findCollectiveOperation(llvm::ArrayRef<uint8_t> code, uint64_t offset);

/// Replaces all words of a payload, which are offsets, by those of
/// findCollectiveOperation(). One that is cut off stays.
void moveIntoCollectives(llvm::ArrayRef<uint8_t> code,
                         llvm::MutableArrayRef<uint8_t> payload);

} // namespace lld::cuda

#endif
