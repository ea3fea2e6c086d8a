//===- Targets.h - GPUs and driver to check for -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The GPUs and the driver that cubin-check checks files for. cubin-check.cpp
/// parses --gpu and --driver with these functions before it reads files; the
/// checks go through the list for each file.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_CHECK_TARGETS_H
#define LLD_CUDA_CUBIN_CHECK_TARGETS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lld::cuda {

/// A GPU, and the kinds of code that a file must have for it.
struct Target {
  unsigned number = 0;    ///< 90 for sm_90.
  bool wantsCode = false; ///< PTX alone isn't enough.
  bool wantsPtx = false;  ///< Machine code alone isn't enough.

  std::string name() const { return "sm_" + std::to_string(number); }
};

/// Parses "sm_80,90", "all", "all-major", or a list in CMake's form,
/// "cmake:80-real;90". An error names the word that is wrong.
llvm::Expected<std::vector<Target>> parseTargets(llvm::StringRef list);
/// Returns all GPUs that the newest known toolkit compiles for.
std::vector<Target> allTargets();

/// Returns the branch of a driver version: 570 for "570.86.10".
llvm::Expected<unsigned> parseDriver(llvm::StringRef version);

/// Formats numbers of GPUs as a list: "sm_80, sm_90, sm_120".
std::string listGpus(llvm::ArrayRef<unsigned> numbers);

} // namespace lld::cuda

#endif
