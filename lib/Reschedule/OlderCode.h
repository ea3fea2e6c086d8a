//===- OlderCode.h - Code of older compilers of CUDA 13 ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pass that turns a function which an older compiler of CUDA 13 has made
/// into what nvlink makes of it: the code that the compiler of nvlink's own
/// release makes. Reschedule.cpp calls it for each function of a final link,
/// before the function's edit (CodeEdit.h) is carried out (rules
/// [scoreboards-older-code], [code-additions], [code-fp64-delays] and
/// [code-self-moves] of docs/reference).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_OLDERCODE_H
#define LLD_CUDA_LIB_RESCHEDULE_OLDERCODE_H

#include "lld-cuda/FinalCode/Rescheduler.h"

namespace lld::cuda {

/// A function's code as the pass changes it.
struct RenewedCode {
  llvm::MutableArrayRef<uint8_t> native;   ///< The machine code, which is
                                           ///< changed in place.
  llvm::SmallVector<uint8_t, 0> mercury{}; ///< The new contents of
                                           ///< .nv.capmerc.text; empty if
                                           ///< unchanged.
  bool isChanged = false;
  /// Whether scoreboards have been allocated, with the edit taken into account,
  /// so that no allocation is needed after it.
  bool isAllocated = false;
};

/// Changes `code`, which holds a copy of the code of `f`. Does nothing to a
/// function of a newer compiler, or in a link by the rules of 13.0.
void renewOlderCode(const FunctionToSchedule &f, RenewedCode &code);

} // namespace lld::cuda

#endif
