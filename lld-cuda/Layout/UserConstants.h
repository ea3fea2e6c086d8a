//===- UserConstants.h - Bank 3 and symbol 0 --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A predicate on constant bank 3, the bank of __constant__ variables, that two
/// layout passes share: LayoutUserConstants.cpp, which lays the bank out, and
/// LayoutConstants.cpp, which lays out the compiler's constants (bank 2) after
/// that and asks whether symbol 0 of the output already has a value.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LAYOUT_USERCONSTANTS_H
#define LLD_CUDA_LAYOUT_USERCONSTANTS_H

namespace lld::cuda {

struct Inputs;
struct Program;

/// Returns whether the value of the output's symbol 0 is the offset of a
/// constant in bank 3. This is so if kernels are pruned and nvlink looked for
/// equal constants in the bank; then constants that are placed later don't
/// change the value (rule [null-symbol-value] of docs/reference).
bool isNullSymbolOfConstant(const Inputs &inputs, const Program &program);

} // namespace lld::cuda

#endif
