//===- Fact.h - An entry of a cubin in readable form ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A fact is one entry of a table or one record of a section of a cubin, with
/// its indices replaced by names. The readers in lib/Dump make facts (Facts.h)
/// when cubin-dump prints a cubin, cubin-diff compares two, or cubin-prune
/// verifies its result. The readers don't know the output format; cubin-dump's
/// sinks print facts as text or JSON.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DUMP_FACT_H
#define LLD_CUDA_DUMP_FACT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace lld::cuda {

/// The value of a field. Only the members that `kind` calls for are set.
struct Value {
  enum Kind : uint8_t {
    Name,    ///< A name, printed by printWord(). In `text`.
    Text,    ///< Free text, always quoted. In `text`.
    Hex,     ///< A number whose bits or bytes matter.
    Decimal, ///< A number that counts something.
    Signed,  ///< A number in two's complement, printed as -0x10.
    Names,   ///< A list of names.
    Hexes,   ///< A list of numbers, printed in hexadecimal.
  };
  Kind kind = Decimal;
  uint64_t number = 0;
  std::string text;
  std::vector<std::string> names;
  std::vector<uint64_t> numbers;

  /// Prints the value so that a FileCheck pattern can match it: names are
  /// printed by printWord(), an empty list as "none".
  void print(llvm::raw_ostream &os) const;
};

/// A key and its value.
struct Field {
  llvm::StringRef key; ///< Not copied: must be a string literal.
  Value value;
  bool bare = false;     ///< Printed without its key in text output.
  bool position = false; ///< A place in the file; comparisons ignore it.
};

/// One entry or record. The functions name() to hexes() append a field to it.
struct Fact {
  std::string subject; ///< What the fact is about; may be empty.
  llvm::SmallVector<Field, 8> fields;

  Fact() = default;
  explicit Fact(const llvm::Twine &subject) : subject(subject.str()) {}

  Fact &name(llvm::StringRef key, llvm::StringRef word);
  /// Like name(), but printed without its key in text. For the field that says
  /// what kind of record this is.
  Fact &what(llvm::StringRef key, llvm::StringRef word);
  Fact &text(llvm::StringRef key, llvm::StringRef text);
  Fact &hex(llvm::StringRef key, uint64_t number);
  Fact &decimal(llvm::StringRef key, uint64_t number);
  Fact &signedHex(llvm::StringRef key, int64_t number);
  Fact &names(llvm::StringRef key, std::vector<std::string> words);
  Fact &hexes(llvm::StringRef key, std::vector<uint64_t> numbers);

  /// Marks the last field, which must exist, as a position.
  Fact &asPosition() {
    fields.back().position = true;
    return *this;
  }

  /// Prints "key=value key=value", without the subject and without a newline.
  void printFields(llvm::raw_ostream &os) const;
  std::string fieldText() const;
};

/// Receives each fact, and may take it over.
using FactVisitor = llvm::function_ref<void(Fact &&)>;

/// Prints a name: as it is, or quoted and escaped if it is empty or has blanks,
/// quotes, commas or unprintable characters.
void printWord(llvm::raw_ostream &os, llvm::StringRef word);
/// Prints a text in quotes, with quotes, backslashes and unprintable characters
/// escaped.
void printQuoted(llvm::raw_ostream &os, llvm::StringRef text);

} // namespace lld::cuda

#endif
