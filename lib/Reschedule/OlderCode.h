//===- OlderCode.h - Code of older compilers --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions of objects that an older compiler of CUDA 13 has made: nvlink
/// gives them what its own compiler gives [scoreboards-older-code],
/// [code-additions], [code-fp64-delays], [code-self-moves].
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_OLDERCODE_H
#define LLD_CUDA_LIB_RESCHEDULE_OLDERCODE_H

#include "lld-cuda/FinalCode/Rescheduler.h"

namespace lld::cuda {

/// What becomes of the code of an older compiler, before its edit.
struct RenewedCode {
  llvm::MutableArrayRef<uint8_t> native;   ///< Changed in place.
  llvm::SmallVector<uint8_t, 0> mercury{}; ///< Empty: stays.
  bool isChanged = false;
  /// The scoreboards are allocated for all that will become of the function.
  bool isAllocated = false;
};

/// Renews `code`, a copy of the function's. A function of a newer compiler, or
/// in a link by the rules of 13.0, stays as it is.
void renewOlderCode(const FunctionToSchedule &f, RenewedCode &code);

} // namespace lld::cuda

#endif
