//===- Tools.h - The tools of one program -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each is what main() of a program would be. Its first word is its own name.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_TOOLS_TOOLS_H
#define LLD_CUDA_CUBIN_TOOLS_TOOLS_H

namespace lld::cuda {

int runCubinCheck(int argc, char **argv);
int runCubinDiff(int argc, char **argv);
int runCubinDump(int argc, char **argv);
int runCubinPrune(int argc, char **argv);
int runCubinSize(int argc, char **argv);

} // namespace lld::cuda

#endif
