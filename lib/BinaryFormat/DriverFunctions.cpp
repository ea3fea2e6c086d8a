//===- DriverFunctions.cpp - Functions that the driver defines ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A kernel that calls printf refers to vprintf, which no input defines. A
/// linked cubin keeps such symbols undefined, and the driver binds them when it
/// loads the image. mayStayUndefined() knows them by the names in
/// DriverFunctions.def and by the prefix __cuda_syscall, so the check for
/// undefined symbols (Analysis/Undefined.cpp) reports all other called
/// functions that nobody defines, unless they are weak.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/BinaryFormat/DriverFunctions.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lld::cuda::elf {

bool mayStayUndefined(StringRef functionName) {
  static constexpr StringLiteral Names[] = {
#define CUDA_DRIVER_FUNCTION(NAME) #NAME,
#include "lld-cuda/BinaryFormat/DriverFunctions.def"
  };
  return functionName.starts_with("__cuda_syscall") ||
         llvm::is_contained(Names, functionName);
}

} // namespace lld::cuda::elf
