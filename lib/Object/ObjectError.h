//===- ObjectError.h - Errors of the readers --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What readers of files share: one way to make an error from a message, and
/// the check of bounds. The file's name is not part of it:
/// the caller knows whether it is a file, an archive member or a fatbin entry.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_OBJECT_OBJECTERROR_H
#define LLD_CUDA_LIB_OBJECT_OBJECTERROR_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstdint>
#include <system_error>

namespace lld::cuda {

/// E.g. malformed("record at offset {0:x} is cut off", offset).
template <typename... Ts>
llvm::Error malformed(const char *format, Ts &&...values) {
  return llvm::make_error<llvm::StringError>(
      llvm::formatv(format, std::forward<Ts>(values)...).str(),
      std::make_error_code(std::errc::invalid_argument));
}

/// Whether a part lies in something of `size` bytes; no sum overflows.
inline bool isInside(uint64_t offset, uint64_t length, uint64_t size) {
  return offset <= size && length <= size - offset;
}

} // namespace lld::cuda

#endif
