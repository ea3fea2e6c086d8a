//===- Printable.h - Escaping text for terminals ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Escapes text that comes from inputs, such as names of symbols, sections and
/// files, before it is shown. All programs call it for messages (Printers.cpp),
/// maps and reports. Such text may have any bytes: an escape character would
/// begin a command to the terminal, a line feed would begin a line that looks
/// like another message, and a mark for the writing direction would show
/// letters in another order. Such characters, and bytes that aren't UTF-8, are
/// shown as hexadecimal numbers, "\1B". All other text is unchanged.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_PRINTABLE_H
#define LLD_CUDA_SUPPORT_PRINTABLE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class raw_ostream;
}

namespace lld::cuda {

/// Returns whether the whole text can be shown unchanged.
bool isPrintable(llvm::StringRef text);

/// Returns a name, or a text of one line, as it can be shown.
std::string printable(llvm::StringRef text);

/// Returns lines of text, e.g. what another program printed, as they can be
/// shown. Unlike printable() it leaves line feeds and tabs as they are.
std::string printableLines(llvm::StringRef text);

/// Returns JSON without characters that a terminal would act on: they become
/// escapes such as "\\u009b", which mean the same to JSON parsers.
std::string printableJson(llvm::StringRef json);

/// Prints a text as printable() returns it: `os << asPrintable(name)`. It
/// refers to `text`.
struct asPrintable {
  explicit asPrintable(llvm::StringRef text) : text(text) {}
  llvm::StringRef text;
};
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, asPrintable shown);

} // namespace lld::cuda

#endif
