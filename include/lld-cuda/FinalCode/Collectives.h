//===- Collectives.h - Offsets of collective operations ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Corrections for code of ptxas 13.0.48, which records a wrong offset for some
/// warp-collective operations. A collective part of native code begins with
/// WARPSYNC.COLLECTIVE and ends with ENDCOLLECTIVE. If the operation in it, a
/// BAR, REDUX or CREDUX, takes several instructions, ptxas 13.0.48 records the
/// offset of the WARPSYNC; later compilers record that of the operation (rule
/// [collective-places] of docs/reference). For objects of that compiler, the
/// linker's NvInfoOutput.cpp corrects attributes, and DebugFrame.cpp call
/// frames, when it writes them; the linker's self-check (Check/Records.cpp)
/// does the same.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_COLLECTIVES_H
#define LLD_CUDA_FINALCODE_COLLECTIVES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace lld::cuda {

/// Returns the offset of the BAR, REDUX or CREDUX in the collective part that
/// begins at `offset`; `offset` itself if no part begins there or it has no
/// such operation. Offsets are in bytes.
uint64_t findCollectiveOperation(llvm::ArrayRef<uint8_t> code, uint64_t offset);

/// Replaces each word (32 bits) of a payload, an offset, by the result of
/// findCollectiveOperation(). An incomplete word at the end stays.
void moveIntoCollectives(llvm::ArrayRef<uint8_t> code,
                         llvm::MutableArrayRef<uint8_t> payload);

} // namespace lld::cuda

#endif
