//===- FinalCode.h - A function's code as it is written ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The last step of a function of sm_100 and later: once relocations have been
/// applied, the planned edit is carried out (CodeEdit.h), and code of CUDA 12
/// is written as CUDA 13 writes it (OldestCode.h).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_FINALCODE_H
#define LLD_CUDA_FINALCODE_FINALCODE_H

#include "lld-cuda/FinalCode/CodeEdit.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace lld::cuda {

/// A function whose relocations have been applied.
struct FunctionCode {
  llvm::ArrayRef<uint8_t> native;
  llvm::ArrayRef<uint8_t> mercury; ///< Its .nv.capmerc.text section.
  const CodeEdit *edit = nullptr;  ///< Null: nothing is removed or inserted.
  bool isOldest = false;           ///< Mercury code of version 1.0.
};

/// What is written instead. What is empty stays as it is.
struct FinalCode {
  llvm::MutableArrayRef<uint8_t> native;
  llvm::MutableArrayRef<uint8_t> mercury;
};

/// Returns memory for so many bytes, which lives as long as the result is used.
using AllocateBytes = llvm::function_ref<uint8_t *(size_t)>;

/// A copy of `bytes` in such memory.
llvm::MutableArrayRef<uint8_t> copyBytes(llvm::ArrayRef<uint8_t> bytes,
                                         AllocateBytes allocate);

/// Makes a function's native code from its parts. Fails where editCapmerc()
/// does.
llvm::Error finalizeFunction(const FunctionCode &f, AllocateBytes allocate,
                             FinalCode &out);

} // namespace lld::cuda

#endif
