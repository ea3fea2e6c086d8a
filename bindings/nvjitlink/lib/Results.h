//===- Results.h - Numbers and names of results -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The numbers by which libnvJitLink reports results, and the names that its
/// header gives them. Nvidia.cpp calls resultOf() for each answer of NVIDIA's
/// library; Job.cpp and Delegate.cpp name results and input types in messages.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_NVJITLINK_RESULTS_H
#define LLD_CUDA_BINDINGS_NVJITLINK_RESULTS_H

#include "Interface.h"
#include <string>

namespace lld::cuda::nvjitlink {

/// Returns what NVIDIA's library of the same major release means by a number.
Result resultOf(int code);

/// Returns a result's name in NVIDIA's header, such as
/// "NVJITLINK_ERROR_INVALID_INPUT".
std::string nameOf(Result result);

/// Returns the name of an input type: "CUBIN" for NVJITLINK_INPUT_CUBIN; empty
/// if there is no such type.
std::string nameOfType(int type);

} // namespace lld::cuda::nvjitlink

#endif
