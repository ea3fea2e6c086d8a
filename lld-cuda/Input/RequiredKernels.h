//===- RequiredKernels.h - --require-kernels --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Kernels that have to be in the image, as the command line or a file lists
/// them. They change nothing in the link: what isn't there is an error, which
/// says why (Explain/ExplainRequired.cpp).
///
/// A kernel is named as the objects have it, or as people write it, with its
/// parameters or without. Blanks don't count.
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

/// The names in a list with commas, those in brackets aside.
std::vector<std::string> splitKernelList(llvm::StringRef list);
/// The names in a file, one a line; '#' begins a comment. An error begins with
/// the line.
llvm::Expected<std::vector<std::string>> readKernelFile(llvm::StringRef text);

class RequiredKernels {
public:
  void add(llvm::ArrayRef<std::string> list);
  /// As the user wrote them, each once.
  llvm::ArrayRef<std::string> names() const { return written; }
  /// Which of them mean this symbol.
  std::vector<size_t> find(llvm::StringRef symbol) const;

  /// A member of an archive that nothing needs, before it is forgotten.
  void noteUntaken(const InputUnit &unit);
  /// The member's label, of the kernel with that number; "" if there is none.
  llvm::StringRef findUntaken(size_t kernel) const {
    return kernel < untaken.size() ? llvm::StringRef(untaken[kernel]) : "";
  }

private:
  std::vector<std::string> written, untaken;
  llvm::StringMap<size_t> numbers; ///< By the name without blanks.
};

/// Reads what the options say. False: there is an error.
bool readRequiredKernels(Inputs &inputs);

} // namespace lld::cuda

#endif
