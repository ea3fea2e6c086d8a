//===- ObjectError.h - Errors of the readers --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One way to make an error from a message. The file's name is not part of it:
/// the caller knows whether it is a file, an archive member or a fatbin entry.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_OBJECT_OBJECTERROR_H
#define LLD_CUDA_LIB_OBJECT_OBJECTERROR_H

#include "llvm/Object/Error.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

namespace lld::cuda {

/// E.g. malformed("record at offset {0:x} is cut off", offset).
template <typename... Ts>
llvm::Error malformed(const char *format, Ts &&...values) {
  return llvm::make_error<llvm::StringError>(
      llvm::formatv(format, std::forward<Ts>(values)...).str(),
      llvm::object::make_error_code(llvm::object::object_error::parse_failed));
}

} // namespace lld::cuda

#endif
