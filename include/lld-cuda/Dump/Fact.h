//===- Fact.h - One thing that a cubin says, in words -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A fact is one entry of a table or one record of a section, with its indices
/// replaced by names: what cubin-dump prints and what cubin-diff compares. The
/// readers that make facts don't know in which form they are written.
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

struct Value {
  enum Kind : uint8_t {
    Name,    ///< A word, printed as it is if it has no unusual characters.
    Text,    ///< Free text, always quoted.
    Hex,     ///< A number whose bits or bytes matter.
    Decimal, ///< A number that counts something.
    Signed,  ///< A signed number, in hexadecimal.
    Names,   ///< A list of words.
    Hexes,   ///< A list of numbers.
  };
  Kind kind = Decimal;
  uint64_t number = 0;
  std::string text;
  std::vector<std::string> names;
  std::vector<uint64_t> numbers;

  /// One word for FileCheck: names with unusual characters are quoted, an
  /// empty list is "none".
  void print(llvm::raw_ostream &os) const;
};

struct Field {
  llvm::StringRef key; ///< A literal; the key in JSON.
  Value value;
  bool bare = false;     ///< In text: without the key.
  bool position = false; ///< A place in the file; says nothing about meaning.
};

struct Fact {
  std::string subject; ///< What the fact is about; may be empty.
  llvm::SmallVector<Field, 8> fields;

  Fact() = default;
  explicit Fact(const llvm::Twine &subject) : subject(subject.str()) {}

  Fact &name(llvm::StringRef key, llvm::StringRef word);
  /// As name(), but printed without its key: what kind of record it is.
  Fact &what(llvm::StringRef key, llvm::StringRef word);
  Fact &text(llvm::StringRef key, llvm::StringRef text);
  Fact &hex(llvm::StringRef key, uint64_t number);
  Fact &decimal(llvm::StringRef key, uint64_t number);
  Fact &signedHex(llvm::StringRef key, int64_t number);
  Fact &names(llvm::StringRef key, std::vector<std::string> words);
  Fact &hexes(llvm::StringRef key, std::vector<uint64_t> numbers);

  /// Marks the last field as a position.
  Fact &asPosition() {
    fields.back().position = true;
    return *this;
  }

  /// "key=value key=value", on one line.
  void printFields(llvm::raw_ostream &os) const;
  std::string fieldText() const;
};

using FactVisitor = llvm::function_ref<void(Fact &&)>;

/// Prints a name: as it is, or quoted and escaped if it is empty or has blanks,
/// quotes, commas or unprintable characters.
void printWord(llvm::raw_ostream &os, llvm::StringRef word);
/// Prints a text in quotes, whatever is in it.
void printQuoted(llvm::raw_ostream &os, llvm::StringRef text);

} // namespace lld::cuda

#endif
