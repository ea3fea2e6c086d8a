//===- Flavor.cpp - Whose command line a program's name stands for --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"

using namespace llvm;

namespace lld::cuda {

/// Any name is nvlink's but those under which lld and clang look for a linker.
Flavor flavorOf(StringRef programPath) {
  const StringRef name = programPath.drop_front(programPath.rfind('/') + 1);
  return name.contains("ld.cuda") || name.contains("clang-nvlink-wrapper")
             ? Flavor::LLD
             : Flavor::Nvlink;
}

} // namespace lld::cuda
