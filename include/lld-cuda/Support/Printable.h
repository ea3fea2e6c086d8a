//===- Printable.h - Names that can do no harm when shown -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Names of symbols, sections and files come from inputs and may hold any
/// bytes. Some of them would do something where they are shown: an escape
/// character begins a command to the terminal, a line feed a line that looks
/// like another message, and a mark for the writing direction makes letters
/// appear in another order. Such characters are shown as the hexadecimal
/// numbers of their bytes, "\1B", and so is what is no UTF-8. All other text
/// stays as it is.
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

/// Whether all of it can be shown as it is.
bool isPrintable(llvm::StringRef text);

/// What is shown for a name, or for a text of one line.
std::string printable(llvm::StringRef text);

/// Lines that another program said, as they may be shown; they may have tabs.
std::string printableLines(llvm::StringRef text);

/// JSON without what a terminal would act on: such characters become "\\u009b"
/// and the like, which means the same to those who read it.
std::string printableJson(llvm::StringRef json);

/// Prints a text as it may be shown: `os << asPrintable(name)`.
struct asPrintable {
  explicit asPrintable(llvm::StringRef text) : text(text) {}
  llvm::StringRef text;
};
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, asPrintable shown);

} // namespace lld::cuda

#endif
