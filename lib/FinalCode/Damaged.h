//===- Damaged.h - Errors about malformed code ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function that makes an error of a message about malformed code or a
/// malformed debug table. CodeEdit.cpp and the readers of debug information in
/// this folder (Debug.cpp, Lines.cpp, LineProgram.cpp) return such errors when
/// a final link reads an input. Their callers add the names of file and
/// section.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_DAMAGED_H
#define LLD_CUDA_LIB_FINALCODE_DAMAGED_H

#include "lld-cuda/Support/FormatText.h"
#include "llvm/Support/Error.h"
#include <system_error>

namespace lld::cuda {

/// Returns an error with a text of formatText(), e.g.
/// damaged("line table at offset {0:x} is cut off", offset).
template <typename... Ts>
llvm::Error damaged(llvm::StringRef format, const Ts &...values) {
  return llvm::make_error<llvm::StringError>(
      formatText(format, {FormatValue(values)...}),
      std::make_error_code(std::errc::invalid_argument));
}

} // namespace lld::cuda

#endif
