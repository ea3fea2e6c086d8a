//===- DriverFunctions.h - Functions that the driver defines -- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The names of functions that the CUDA driver defines when it loads an image,
/// such as malloc and vprintf. The linker asks when it would report an
/// undefined symbol, and cubin-check when it looks for symbols that nobody
/// defines.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINARYFORMAT_DRIVERFUNCTIONS_H
#define LLD_CUDA_BINARYFORMAT_DRIVERFUNCTIONS_H

#include "llvm/ADT/StringRef.h"

namespace lld::cuda::elf {

/// Returns whether the driver provides the function, so that it may stay
/// undefined in linked images (rule [undefined-symbols] of docs/reference).
bool mayStayUndefined(llvm::StringRef functionName);

} // namespace lld::cuda::elf

#endif
