//===- ObjectError.h - Errors of the readers of files -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What all readers of files in this folder share: a function that makes an
/// error of a message, and a check of bounds. They call these when an input
/// isn't valid. The file's name is not part of the message: the caller knows
/// whether it is a file, an archive member or a fatbin entry, and adds it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_OBJECT_OBJECTERROR_H
#define LLD_CUDA_LIB_OBJECT_OBJECTERROR_H

#include "lld-cuda/Support/FormatText.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <system_error>

namespace lld::cuda {

/// Returns an error with a text of formatText(), e.g.
/// malformed("record at offset {0:x} is cut off", offset).
template <typename... Ts>
llvm::Error malformed(llvm::StringRef format, const Ts &...values) {
  return llvm::make_error<llvm::StringError>(
      formatText(format, {FormatValue(values)...}),
      std::make_error_code(std::errc::invalid_argument));
}

/// Returns whether the bytes from `offset` to `offset + length` are inside of
/// `size` bytes. No sum overflows.
inline bool isInside(uint64_t offset, uint64_t length, uint64_t size) {
  return offset <= size && length <= size - offset;
}

} // namespace lld::cuda

#endif
