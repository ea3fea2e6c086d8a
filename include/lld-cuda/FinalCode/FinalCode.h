//===- FinalCode.h - Last step for a function's code ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The last step that a link does to a function's code of sm_100 and later. The
/// linker's Finalizer.cpp calls finalizeFunction() for each function, in
/// parallel, once relocations have been applied: it carries out the planned
/// edit (CodeEdit.h), and changes code of CUDA 12 to what CUDA 13 writes
/// (OldestCode.h). A Rescheduler calls it too, and also schedules the function.
///
/// From sm_100 on, a cubin holds its code twice: as native code, and in
/// NVIDIA's "Mercury" form (docs/reference/mercury.md).
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
  const CodeEdit *edit = nullptr;  ///< Null if nothing changes.
  bool isOldest = false; ///< The Mercury code has version 1.0, that of CUDA 12.
};

/// The new contents, in memory of AllocateBytes. An empty member means that the
/// old contents stay.
struct FinalCode {
  llvm::MutableArrayRef<uint8_t> native;
  llvm::MutableArrayRef<uint8_t> mercury;
};

/// Returns memory of the given size in bytes. It must live as long as the
/// result is used.
using AllocateBytes = llvm::function_ref<uint8_t *(size_t)>;

/// Returns a copy of `bytes` in memory of `allocate`.
llvm::MutableArrayRef<uint8_t> copyBytes(llvm::ArrayRef<uint8_t> bytes,
                                         AllocateBytes allocate);

/// Carries out the edit and sets the members of `out` that change. Fails as
/// editCapmerc() does.
llvm::Error finalizeFunction(const FunctionCode &f, AllocateBytes allocate,
                             FinalCode &out);

} // namespace lld::cuda

#endif
