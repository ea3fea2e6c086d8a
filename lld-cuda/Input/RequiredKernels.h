//===- RequiredKernels.h - Kernels of --require-kernels ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The list of kernels that must be in the image, from --require-kernels or a
/// file that it names. Link.cpp reads it before the inputs are loaded; at the
/// end Explain/ExplainRequired.cpp reports an error for each missing kernel and
/// says why it is missing. The list doesn't change the link otherwise.
///
/// A kernel is named by its mangled or its demangled name, the latter with or
/// without parameters. Blanks are ignored.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_REQUIREDKERNELS_H
#define LLD_CUDA_INPUT_REQUIREDKERNELS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lld::cuda {

struct InputUnit;
struct Inputs;

/// Splits a list at its commas, except those in brackets.
std::vector<std::string> splitKernelList(llvm::StringRef list);
/// Returns the names in a file, one on each line; '#' begins a comment. An
/// error message begins with the line number.
llvm::Expected<std::vector<std::string>> readKernelFile(llvm::StringRef text);

/// The list, in the order in which the names were given.
class RequiredKernels {
public:
  void add(llvm::ArrayRef<std::string> list);
  /// Returns the names as the user wrote them, without repetition.
  llvm::ArrayRef<std::string> names() const { return written; }
  /// Returns the indices in names() of those that mean this symbol.
  std::vector<size_t> find(llvm::StringRef symbol) const;

  /// Notes which of the kernels an archive member defines that isn't linked.
  /// LazyMembers.cpp calls it before the member is released.
  void noteUntaken(const InputUnit &unit);
  /// Returns the label of such a member that defines names()[kernel], or "".
  llvm::StringRef findUntaken(size_t kernel) const {
    return kernel < untaken.size() ? llvm::StringRef(untaken[kernel]) : "";
  }

private:
  std::vector<std::string> written, untaken;
  llvm::StringMap<size_t> numbers; ///< Indexed by name, without blanks.
};

/// Reads the options into inputs.requiredKernels. Returns false after an error,
/// which is reported.
bool readRequiredKernels(Inputs &inputs);

} // namespace lld::cuda

#endif
