//===- OldPtxas.h - PTX that is too new for the ptxas in use ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Recognizes one failure of ptxas, the most frequent one: the PTX is of a
/// later toolkit. Asked by PtxCompiler.cpp and the LTO passes after ptxas has
/// failed, to say so in plain words.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_OLDPTXAS_H
#define LLD_CUDA_INPUT_OLDPTXAS_H

#include "lld-cuda/Linker/Diagnostic.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace lld::cuda {

struct Inputs;

/// PTX of a later toolkit than ptxas.
struct OldPtxas {
  Diagnostic error; ///< Names the program, and both versions.
  /// nvlink of this link's release fails as well, with ptxas's words alone.
  bool isAsNvlink;
};

/// None if ptxas has failed for another reason. `output` is what it printed,
/// `label` whose PTX it is. PtxCompiler.cpp.
std::optional<OldPtxas> findOldPtxas(const Inputs &inputs,
                                     const std::string &ptxas,
                                     llvm::StringRef output,
                                     llvm::StringRef label);

} // namespace lld::cuda

#endif
