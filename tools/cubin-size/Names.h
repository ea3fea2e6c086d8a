//===- Names.h - Shortens C++ names -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Shortens C++ names for tables with a row for each function template
/// (--by=template). Tables.cpp calls getTemplateFamily() once for each
/// function.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_SIZE_NAMES_H
#define LLD_CUDA_CUBIN_SIZE_NAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lld::cuda {

/// Returns the name without template arguments, parameters and return type:
/// `ns::f` for `void ns::f<float, (int)3>(float *)`. A text that isn't the name
/// of a function is returned unchanged.
std::string getTemplateFamily(llvm::StringRef demangled);

} // namespace lld::cuda

#endif
