//===- SymbolPatterns.h - Patterns of symbols in options --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Patterns of symbol names: those of --localize, --export and version scripts.
/// SymbolControl.cpp and SymbolScopes.cpp read and match them before objects
/// are merged. A pattern is a glob pattern. It matches a symbol's name as the
/// objects have it, or the demangled name with or without parameters: 'ns::*'
/// matches _ZN2ns1fEi. RequiredKernels.cpp uses SymbolForms alone.
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

/// A symbol's name in all forms in which people write it. A form is computed
/// when it is first asked for. The text of the name must outlive the object.
class SymbolForms {
public:
  explicit SymbolForms(llvm::StringRef symbol) : symbol(symbol) {}
  llvm::StringRef mangled() const { return symbol; }
  /// Returns the demangled name, or the name itself if it isn't mangled. The
  /// result is valid as long as this object.
  llvm::StringRef demangled();
  /// Returns the demangled name without return type and parameters.
  llvm::StringRef withoutParameters();

private:
  void demangle();

  llvm::StringRef symbol, shortForm;
  std::optional<std::string> longForm;
};

/// The forms of a name with which a pattern is compared.
enum class NameForm : uint8_t { Any, Mangled, Demangled };

/// One pattern, compiled.
class SymbolPattern {
public:
  /// Compiles a pattern. `text` must outlive it. With `isExact` no character is
  /// special. Returns an error if `text` isn't a valid glob pattern, e.g.
  /// because of an open bracket.
  static llvm::Expected<SymbolPattern> create(llvm::StringRef text,
                                              bool isExact = false,
                                              NameForm form = NameForm::Any);

  bool matches(SymbolForms &name) const;
  llvm::StringRef text() const { return written; }
  bool isExact() const { return !glob; }
  /// Returns the pattern's precedence where several match: an exact name has
  /// precedence over a glob pattern, and "*" the lowest.
  unsigned rank() const { return isExact() ? 2 : written == "*" ? 0 : 1; }

private:
  SymbolPattern() = default;
  bool matchesText(llvm::StringRef name) const {
    return glob ? glob->match(name) : name == written;
  }

  llvm::StringRef written;
  /// The pattern, or null if `written` is an exact name. There may be very many
  /// exact names.
  std::unique_ptr<llvm::GlobPattern> glob;
  NameForm form = NameForm::Any;
};

} // namespace lld::cuda

#endif
