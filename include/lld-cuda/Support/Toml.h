//===- Toml.h - Tables of numbers, words and flags --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of TOML that files for users need: tables, and keys whose values
/// are integers, true and false, or strings; comments. Everything else is an
/// error that names its line.
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

struct TomlValue {
  std::optional<int64_t> integer;
  std::optional<bool> flag;
  std::optional<std::string> text;
};

/// Calls `table` for each ["name"] or [name], `value` for each key. What they
/// return is told with its line.
llvm::Error readToml(
    llvm::StringRef text,
    llvm::function_ref<llvm::Error(llvm::StringRef name)> table,
    llvm::function_ref<llvm::Error(llvm::StringRef key, const TomlValue &value)>
        value);

} // namespace lld::cuda

#endif
