//===- RegisterRules.h - Call frame rules for moved registers ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the rules for .debug_frame that say where the values are that
/// registers had at a function's entry. Compilers and linkers since 13.4 write
/// such rules for two kinds of moves (rule [debug-register-rules] of
/// docs/reference): those that join two registers into a pair, such as the
/// halves of a shared variable's generic address, and those in code that elects
/// one thread of a warp (elect.sync). The linker's DebugFrame.cpp calls this
/// when it rewrites the call frames of functions that an older compiler made,
/// for sm_100 and later.
///
/// A pair is one instruction of NVIDIA's Mercury form of the code
/// (docs/reference/mercury.md), and two MOVs in native code, or one if the
/// other half is already in place.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_REGISTERRULES_H
#define LLD_CUDA_FINALCODE_REGISTERRULES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace lld::cuda {

/// A rule of a call frame, and the byte offset of the MOV from which on it
/// holds.
struct RegisterRule {
  uint64_t offset;
  /// A DWARF call frame instruction.
  llvm::SmallVector<uint8_t, 16> instruction;
};

/// Returns the rules for `code`, sorted by offset. `capmerc` is its
/// .nv.capmerc.text section. Fails as readCapmercText() does.
llvm::Expected<std::vector<RegisterRule>>
findRegisterRules(llvm::ArrayRef<uint8_t> code,
                  llvm::ArrayRef<uint8_t> capmerc);

} // namespace lld::cuda

#endif
