//===- Toml.h - Parser of a part of TOML ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parser of the part of TOML that this project's own files need: tables, keys
/// whose values are integers, booleans or strings, and comments. The linker
/// reads resource budgets with it (ResourceBudget.cpp), cubin-check its
/// policies (Policy.cpp). Everything else is an error that names the line.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_TOML_H
#define LLD_CUDA_SUPPORT_TOML_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace lld::cuda {

/// The value of a key. None is set for a value of another type, which the
/// caller has to refuse.
struct TomlValue {
  std::optional<int64_t> integer;
  std::optional<bool> flag;
  std::optional<std::string> text;
};

/// Calls `table` for each [name] or ["name"], and `value` for each key. An
/// error that one of them returns ends the reading and gets the line's number.
llvm::Error readToml(
    llvm::StringRef text,
    llvm::function_ref<llvm::Error(llvm::StringRef name)> table,
    llvm::function_ref<llvm::Error(llvm::StringRef key, const TomlValue &value)>
        value);

} // namespace lld::cuda

#endif
