//===- NvJitLink.h - Jobs for libnvJitLink ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions that make libnvJitLink, NVIDIA's library for link-time
/// optimization, optimize as nvlink does. They choose the library, its options
/// and the kernels that count as used, and write them into the job (LtoJob.h)
/// of the program lld-cuda-lto, which loads the library. The others examine the
/// result: PTX, or the cubin that ptxas makes of it. LtoNvidia.cpp calls all of
/// them, in links with -lto, after inputs are read and before the merge.
///
/// Tags such as [lto-major] are rules of docs/reference.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LTO_NVJITLINK_H
#define LLD_CUDA_LTO_NVJITLINK_H

#include "Lto/LtoJob.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace lld::cuda {

struct Inputs;
struct InputUnit;

/// Returns the major release of CUDA (12 or 13) that made the LTO IR of the
/// units; 0 if it doesn't say so. Returns nullopt, with an error reported, if
/// the IR can't be linked: releases are mixed, or the link follows the rules of
/// another one [lto-major].
std::optional<unsigned> readLtoMajor(const Inputs &inputs,
                                     llvm::ArrayRef<InputUnit *> units);

/// Adds to the job the paths at which libnvJitLink of that major release (0 for
/// any) may be, the likeliest first.
void addNvJitLinkCandidates(const Config &config, unsigned major, LtoJob &job);

/// Returns the real architecture (sm_NN) to optimize for if the target is
/// virtual (compute_NN), and the target itself otherwise.
std::string nativeArch(const Config &config);

/// Returns the number of threads that -split-compile-extended allows; 1 if the
/// option has no effect.
int extendedThreads(const Config &config);

/// Adds to the job the library's options that correspond to the link's. The
/// library accepts -Ofc, -Xnvvm and -nvvm-latest, which aren't documented, with
/// the same effects and messages as nvlink. `moduleOptions` are the options
/// with which the modules were compiled. Returns false if an error was
/// reported.
bool addLibraryOptions(const Inputs &inputs,
                       llvm::ArrayRef<llvm::StringRef> moduleOptions,
                       LtoJob &job);

/// Adds to the job the kernels and variables to which host code refers, or
/// those that -kernels-used and -variables-used name. If there are kernels
/// among them, the optimizer may remove all other kernels and variables
/// [lto-options].
void addReferences(const Inputs &inputs, LtoJob &job);

/// Returns whether the cubin that is to be the output is a file of the release
/// that was asked for. Returns false, with an error reported, if that is one of
/// CUDA 12 and ptxas of CUDA 13 made the cubin.
bool checkFinalCubin(const Inputs &inputs, llvm::StringRef cubin);

/// Returns whether the target of the PTX keeps the suffix of the link's target
/// (rule [lto-target-suffix] of docs/reference).
bool keepsTargetSuffix(const Inputs &inputs);

/// Returns the PTX with the suffix of its target removed.
std::string withPlainTarget(std::string ptx);

/// Returns whether the text is a whole program: it has a kernel, and all
/// functions that it calls are in it. Any other program is linked with
/// libcudadevrt [lto-without-kernel]. `hadKernel` says that it had kernels that
/// were not asked for.
bool isPtxComplete(llvm::StringRef ptx, bool hadKernel);

/// Returns whether nvlink divides the PTX into parts with
/// -split-compile-extended: it does so if there are more than ten functions.
/// Its result then differs from run to run, so this linker compiles such PTX as
/// with -split-compile.
bool isPtxLarge(llvm::StringRef ptx);

} // namespace lld::cuda

#endif
