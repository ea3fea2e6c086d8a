//===- NvJitLink.h - NVIDIA's library and what it makes ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions that tell libnvJitLink, NVIDIA's library for link-time
/// optimization, how to optimize as nvlink does: which library, which options,
/// which kernels are used. LtoNvidia.cpp calls them for the job (LtoJob.h) of
/// lld-cuda-lto, after inputs are read, and looks at the result with the
/// others.
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

/// The major release of CUDA whose LTO IR the units have; 0 if none of them
/// says so. Nothing, and an error, if it can't be linked: releases are mixed,
/// or it isn't that of the rules [lto-major].
std::optional<unsigned> readLtoMajor(const Inputs &inputs,
                                     llvm::ArrayRef<InputUnit *> units);

/// Adds to the job the paths at which libnvJitLink of that major release (0 for
/// any) may be, the likeliest first.
void addNvJitLinkCandidates(const Config &config, unsigned major, LtoJob &job);

/// The target's real architecture: a virtual one is optimized for like that.
std::string nativeArch(const Config &config);

/// Threads that -split-compile-extended allows; with one it does nothing.
int extendedThreads(const Config &config);

/// Adds the library's options that stand for ours. -Ofc, -Xnvvm and
/// -nvvm-latest aren't among those that are documented; it treats them as
/// nvlink does, messages included. `moduleOptions`: what the modules were
/// compiled with. False after an error.
bool addLibraryOptions(const Inputs &inputs,
                       llvm::ArrayRef<llvm::StringRef> moduleOptions,
                       LtoJob &job);

/// Tells the job what host code refers to. If it refers to any kernel, then
/// kernels and variables that it doesn't name are the optimizer's own
/// [lto-options]. -kernels-used and -variables-used say the same by hand.
void addReferences(const Inputs &inputs, LtoJob &job);

/// Whether the cubin that is to be the output is one of the release that was
/// asked for; an error if ptxas is of CUDA 13 and the release of CUDA 12.
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

/// Whether nvlink cuts the program up with -split-compile-extended: if it has
/// more than ten functions. What comes out then changes from run to run; here
/// it is compiled as with -split-compile.
bool isPtxLarge(llvm::StringRef ptx);

} // namespace lld::cuda

#endif
