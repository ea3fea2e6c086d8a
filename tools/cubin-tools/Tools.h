//===- Tools.h - Main functions of the cubin tools --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The main functions of the five tools for cubins. Each is called by main() of
/// the program of its name, and by cubin-tools.cpp, one program that contains
/// all five. They take main()'s arguments, with the tool's name first, and
/// return the exit status.
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
