//===- Targets.h - The GPUs and the driver that are asked about -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The GPUs that cubin-check is asked about. Read from --gpu before the files
/// are; each check goes over them.
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

/// A GPU, and what has to be there for it.
struct Target {
  unsigned number = 0;
  bool wantsCode = false; ///< PTX alone isn't enough.
  bool wantsPtx = false;  ///< Machine code alone isn't enough.

  std::string name() const { return "sm_" + std::to_string(number); }
};

/// "sm_80,90", "all", "all-major", or a list of CMake's, "cmake:80-real;90".
llvm::Expected<std::vector<Target>> parseTargets(llvm::StringRef list);
/// All GPUs that the newest toolkits compile for.
std::vector<Target> allTargets();

/// The first number of "570.86.10".
llvm::Expected<unsigned> parseDriver(llvm::StringRef version);

/// Architectures as a list in a sentence: "sm_80, sm_90, sm_120".
std::string listGpus(llvm::ArrayRef<unsigned> numbers);

} // namespace lld::cuda

#endif
