//===- SourcePlaces.h - Source positions of symbols -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The source positions (file and line) of functions and of code, from
/// .debug_line (-lineinfo, -G), and of variables, from .debug_info (-G).
/// Explain/ asks for them for the notes below errors, and Report/Why.h for the
/// reports about why something is linked. An object's debug information is read
/// at the first question about it, so that a link without such notes and
/// reports doesn't read any.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_EXPLAIN_SOURCEPLACES_H
#define LLD_CUDA_EXPLAIN_SOURCEPLACES_H

#include "lld-cuda/FinalCode/VariableLines.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

struct Function;
struct Inputs;
struct ObjectFile;
struct Program;
struct Symbol;

/// Keeps what was read of each object. Not thread-safe.
class SourcePlaces {
public:
  /// Returns the object that all of a link shares; the first call makes it.
  static SourcePlaces &of(const Inputs &inputs, const Program &program);

  explicit SourcePlaces(const Program &program) : program(program) {}

  // All functions return nullopt, or an empty list, if nothing is known.

  /// Returns the position of the code at `offset` (bytes) of a text section.
  std::optional<SourceLine> code(const ObjectFile &obj, unsigned section,
                                 uint64_t offset);
  /// Returns where an object defines a function, or declares a variable.
  std::optional<SourceLine> symbol(const ObjectFile &obj, llvm::StringRef name);
  /// Returns where the definition is that the link uses.
  std::optional<SourceLine> definition(const Symbol &s);
  /// Returns where the code of a function first refers to a symbol.
  std::optional<SourceLine> reference(const Function &from, const Symbol &to);
  /// Returns where the code of a function calls through pointers, in the code's
  /// order, without repetition, and only the first ones if there are many.
  /// Which prototype each call has isn't known.
  std::vector<SourceLine> indirectCalls(const Function &from);

private:
  struct Object {
    explicit Object(const ObjectFile &obj);
    SourceLines lines;
    std::optional<VariableLines> variables; ///< Read at the first question.
    /// A limit on the questions: each may cost a walk through a table that a
    /// hostile input has made large.
    unsigned questionsLeft = 1000;
    /// The input symbols that define functions, by name.
    llvm::DenseMap<llvm::CachedHashStringRef, unsigned> functions;
  };
  Object &read(const ObjectFile &obj);
  /// Counts a question, and returns null if there were too many.
  Object *ask(const ObjectFile &obj);
  /// Returns the input section of the definition that the link uses, or 0.
  unsigned textOf(const Function &f) const;

  const Program &program;
  /// Indexed by ObjectFile::ordinal.
  std::map<unsigned, std::unique_ptr<Object>> objects;
};

/// Returns a pointer to the position in `place`, or null if there is none.
inline const SourceLine *orNull(const std::optional<SourceLine> &place) {
  return place ? &*place : nullptr;
}

/// Returns `before`, "file:line" and `after`, or "" if there is no position.
std::string describePlace(llvm::StringRef before,
                          const std::optional<SourceLine> &place,
                          llvm::StringRef after = "");

/// Returns positions as a message lists them: "file:1, file:2 or file:3".
std::string describePlaces(llvm::ArrayRef<SourceLine> places);

} // namespace lld::cuda

#endif
