//===- RegisterRules.h - What frames say of moved registers -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compilers and linkers since 13.4 say in .debug_frame where the values are
/// that registers had at a function's entry, as far as two kinds of moves go
/// [debug-register-rules]: those of the Mercury instruction that joins two
/// registers into a pair, such as the halves of a shared variable's generic
/// address, and those of the election of a thread. The first is
/// two MOVs, or one if the other half is in its place.
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

/// A rule of a frame, and the offset of the MOV from which it holds.
struct RegisterRule {
  uint64_t offset;
  llvm::SmallVector<uint8_t, 16> instruction; ///< In DWARF's form.
};

/// The rules for `code`, in its order. `capmerc` is its .nv.capmerc.text
/// section. Fails as readCapmercText() does.
llvm::Expected<std::vector<RegisterRule>>
findRegisterRules(llvm::ArrayRef<uint8_t> code,
                  llvm::ArrayRef<uint8_t> capmerc);

} // namespace lld::cuda

#endif
