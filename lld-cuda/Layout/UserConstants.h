//===- UserConstants.h - The bank of __constant__ variables -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A question that the two passes for constant bank 3 share,
/// LayoutUserConstants.cpp and LayoutConstants.cpp.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LAYOUT_USERCONSTANTS_H
#define LLD_CUDA_LAYOUT_USERCONSTANTS_H

namespace lld::cuda {

struct Inputs;
struct Program;

/// Whether symbol 0 says where a constant stands that nvlink compared with
/// others: then nothing that is placed besides counts [null-symbol-value].
bool isNullSymbolOfConstant(const Inputs &inputs, const Program &program);

} // namespace lld::cuda

#endif
