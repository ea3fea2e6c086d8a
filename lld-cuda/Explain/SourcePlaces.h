//===- SourcePlaces.h - Where in the source symbols are ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lines of functions and of the code that refers to something, from
/// .debug_line (-lineinfo, -G), and of variables, from .debug_info (-G). An
/// object's debug information is read when the first question about it comes,
/// so a link without messages pays nothing.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_EXPLAIN_SOURCEPLACES_H
#define LLD_CUDA_EXPLAIN_SOURCEPLACES_H

#include "Program.h"
#include "lld-cuda/FinalCode/VariableLines.h"
#include <map>

namespace lld::cuda {

class SourcePlaces {
public:
  /// Those of the link, made by the first who asks.
  static SourcePlaces &of(const Inputs &inputs, const Program &program);

  explicit SourcePlaces(const Program &program) : program(program) {}

  /// The line of the code at `offset` of a text section.
  std::optional<SourceLine> code(const ObjectFile &obj, unsigned section,
                                 uint64_t offset);
  /// Where an object defines a function, or declares a variable.
  std::optional<SourceLine> symbol(const ObjectFile &obj, llvm::StringRef name);
  /// Where the definition in force is.
  std::optional<SourceLine> definition(const Symbol &s);
  /// Where the code of a function first names a symbol.
  std::optional<SourceLine> reference(const Function &from, const Symbol &to);
  /// Where the code of a function calls through pointers, in the code's order
  /// and without repetition; of many the first ones. Which type of function
  /// each is for nobody says.
  std::vector<SourceLine> indirectCalls(const Function &from);

private:
  struct Object {
    explicit Object(const ObjectFile &obj);
    SourceLines lines;
    std::optional<VariableLines> variables; ///< Read when one is asked about.
    /// More questions than anybody reads answers to; each may cost a walk
    /// through a table that somebody made large.
    unsigned questionsLeft = 1000;
    /// Definitions of functions: input symbols.
    llvm::DenseMap<llvm::CachedHashStringRef, unsigned> functions;
  };
  Object &read(const ObjectFile &obj);
  /// For questions that come once for each message. Null: no more of them.
  Object *ask(const ObjectFile &obj);
  /// The section of the definition in force, or 0.
  unsigned textOf(const Function &f) const;

  const Program &program;
  std::map<unsigned, std::unique_ptr<Object>> objects; ///< By ordinal.
};

/// A pointer to the place, or null if there is none.
inline const SourceLine *orNull(const std::optional<SourceLine> &place) {
  return place ? &*place : nullptr;
}

/// BEFORE, "file:line" and AFTER; "" if there is no place.
std::string describePlace(llvm::StringRef before,
                          const std::optional<SourceLine> &place,
                          llvm::StringRef after = "");

/// Places as words of a message: "file:1, file:2 or file:3".
std::string describePlaces(llvm::ArrayRef<SourceLine> places);

} // namespace lld::cuda

#endif
