//===- Names.h - Functions by template and namespace ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Shortens C++ names for tables that sum up by function template
/// (--by=template). Called once for each function.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_SIZE_NAMES_H
#define LLD_CUDA_CUBIN_SIZE_NAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lld::cuda {

/// The name without template arguments, parameters and return type:
/// `void ns::f<float, (int)3>(float *)` becomes `ns::f`. What isn't a
/// function's name stays.
std::string getTemplateFamily(llvm::StringRef demangled);

} // namespace lld::cuda

#endif
