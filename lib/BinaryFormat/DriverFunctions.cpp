//===- DriverFunctions.cpp - Functions that the driver defines ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
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
