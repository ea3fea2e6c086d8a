//===- NvJitLink.h - NVIDIA's library and what it makes ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LTO_NVJITLINK_H
#define LLD_CUDA_LTO_NVJITLINK_H

#include "Lto/LtoJob.h"

namespace lld::cuda {

/// Tells the job where libnvJitLink may be, the likeliest place first.
void addNvJitLinkCandidates(const Config &config, LtoJob &job);

/// The PTX with a target without suffix, as nvlink writes it for architectures
/// with one.
std::string withPlainTarget(std::string ptx);

/// Whether all functions that the program calls are in it.
bool isPtxComplete(llvm::StringRef ptx);

/// Whether nvlink cuts the program up with -split-compile-extended: if it has
/// more than ten functions. What comes out then changes from run to run; here
/// it is compiled as with -split-compile.
bool isPtxLarge(llvm::StringRef ptx);

} // namespace lld::cuda

#endif
