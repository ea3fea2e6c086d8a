//===- FormatText.h - Texts with numbers and names --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes the texts of errors in the readers of files. llvm::formatv() would do,
/// but liblld-cuda uses the readers, too: there a job may run out of memory at
/// any place (lldcuda_options.memory_limit), which is an exception, and LLVM's
/// functions, built without exceptions, never free what they hold then.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_FORMATTEXT_H
#define LLD_CUDA_SUPPORT_FORMATTEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <type_traits>

namespace lld::cuda {

/// A number or a text, to which it refers.
class FormatValue {
public:
  template <typename T, typename = std::enable_if_t<
                            std::is_convertible_v<T, uint64_t> &&
                            !std::is_convertible_v<T, llvm::StringRef>>>
  FormatValue(const T &value)
      : isNumber(true), isNegative(isBelowZero(value)), number(value) {}
  FormatValue(llvm::StringRef text) : text(text) {}
  FormatValue(const std::string &text) : text(text) {}
  FormatValue(const char *text) : text(text) {}

  /// Appends a text, or a number: in decimal, or with 0x in hexadecimal, where
  /// a negative one has 64 bits.
  void append(std::string &to, bool isHexadecimal) const;

private:
  template <typename T> static bool isBelowZero(const T &value) {
    if constexpr (std::is_signed_v<T>)
      return value < 0;
    return false;
  }

  bool isNumber = false, isNegative = false;
  uint64_t number = 0;
  llvm::StringRef text;
};

/// Returns `format` with the values in place of {0}, {1}, ... or, for numbers
/// in hexadecimal, {0:x}. A brace that isn't the beginning of one of these
/// stays.
std::string formatText(llvm::StringRef format,
                       llvm::ArrayRef<FormatValue> values);

} // namespace lld::cuda

#endif
