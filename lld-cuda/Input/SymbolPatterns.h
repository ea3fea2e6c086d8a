//===- SymbolPatterns.h - Names of symbols on command lines -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A pattern of --localize, --export or a version script. It is a glob pattern
/// and matches a symbol's name as the objects have it, or demangled, with
/// parameters or without: 'ns::*' matches _ZN2ns1fEi.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_SYMBOLPATTERNS_H
#define LLD_CUDA_INPUT_SYMBOLPATTERNS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"
#include <memory>
#include <optional>
#include <string>

namespace lld::cuda {

/// A symbol's name in all forms in which people write it.
class SymbolForms {
public:
  explicit SymbolForms(llvm::StringRef symbol) : symbol(symbol) {}
  llvm::StringRef mangled() const { return symbol; }
  /// The symbol, if it isn't mangled.
  llvm::StringRef demangled();
  /// Without return type and parameters.
  llvm::StringRef withoutParameters();

private:
  void demangle();

  llvm::StringRef symbol, shortForm;
  std::optional<std::string> longForm;
};

/// In which forms a pattern is looked for.
enum class NameForm : uint8_t { Any, Mangled, Demangled };

class SymbolPattern {
public:
  /// `text` has to stay. `isExact`: no character is special. An error for an
  /// open bracket and the like.
  static llvm::Expected<SymbolPattern> create(llvm::StringRef text,
                                              bool isExact = false,
                                              NameForm form = NameForm::Any);

  bool matches(SymbolForms &name) const;
  llvm::StringRef text() const { return written; }
  bool isExact() const { return !glob; }
  /// An exact name counts more than a pattern, and "*" less than all others.
  unsigned rank() const { return isExact() ? 2 : written == "*" ? 0 : 1; }

private:
  SymbolPattern() = default;
  bool matchesText(llvm::StringRef name) const {
    return glob ? glob->match(name) : name == written;
  }

  llvm::StringRef written;
  /// Null: an exact name, of which there may be very many.
  std::unique_ptr<llvm::GlobPattern> glob;
  NameForm form = NameForm::Any;
};

} // namespace lld::cuda

#endif
