//===- Damaged.h - Errors of lib/FinalCode -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One way to make an error from a message about code or a table that isn't as
/// it should be. The caller adds the names of file and section.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_FINALCODE_DAMAGED_H
#define LLD_CUDA_LIB_FINALCODE_DAMAGED_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include <system_error>

namespace lld::cuda {

/// E.g. damaged("line table at offset {0:x} is cut off", offset).
template <typename... Ts> llvm::Error damaged(const char *format, Ts... args) {
  return llvm::createStringError(std::errc::invalid_argument,
                                 llvm::formatv(format, args...).str().c_str());
}

} // namespace lld::cuda

#endif
