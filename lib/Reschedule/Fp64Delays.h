//===- Fp64Delays.h - NOPs between FP64 instructions ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that find the NOPs that older compilers put between FP64
/// instructions, and that schedule code as if these NOPs weren't there.
/// Compilers up to 13.3 keep two instructions for the slow FP64 unit of sm_103
/// and later 64 cycles apart: the one before the second stalls for 15 cycles,
/// as do NOPs after it, the last of them for the rest. Later compilers don't,
/// and nvlink since 13.4 drops the NOPs of older code (rule [code-fp64-delays]
/// of docs/reference). Reschedule.cpp calls findFp64Delays() when CodeEdit.cpp
/// plans a function's edit; OlderCode.cpp calls closeFp64Delays() before that
/// edit is carried out.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LIB_RESCHEDULE_FP64DELAYS_H
#define LLD_CUDA_LIB_RESCHEDULE_FP64DELAYS_H

#include "lld-cuda/Sass/Code.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace lld::cuda {

/// Returns the indices of these NOPs, in ascending order.
std::vector<uint32_t> findFp64Delays(llvm::ArrayRef<sass::Instruction> code);

/// Sets stalls in code for sm_<sm> as if the instructions `removed`, NOPs and
/// moves, weren't there. They remain in `code`. An unknown instruction stalls
/// for as long as it may have to, and so does the end of a block.
void closeFp64Delays(llvm::MutableArrayRef<sass::Instruction> code,
                     llvm::ArrayRef<uint32_t> removed, unsigned sm);

} // namespace lld::cuda

#endif
