//===- main.cpp - The program lld-cuda ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The linker as a program. Also installed as ld.cuda and nvlink.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Linker.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  return !lld::cuda::link(llvm::ArrayRef(argv, argc), llvm::outs(),
                          llvm::errs(),
                          /*exitEarly=*/true, /*disableOutput=*/false);
}
