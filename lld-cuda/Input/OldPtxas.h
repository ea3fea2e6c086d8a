//===- OldPtxas.h - Detects a ptxas that is too old -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The detector of the most frequent failure of ptxas: the PTX was made by a
/// later toolkit. PtxCompiler.cpp and the LTO passes (LtoLlvm.cpp,
/// LtoNvidia.cpp) call findOldPtxas() after ptxas has failed, to report the
/// cause in plain words.
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

/// Says that the PTX is of a later toolkit than ptxas.
struct OldPtxas {
  Diagnostic error; ///< Names the program, and both versions.
  /// nvlink of this link's release fails as well, and prints only ptxas's text.
  bool isAsNvlink;
};

/// Returns nullopt if ptxas has failed for another reason. `output` is what it
/// printed; `label` names the input with the PTX. Defined in PtxCompiler.cpp.
std::optional<OldPtxas> findOldPtxas(const Inputs &inputs,
                                     const std::string &ptxas,
                                     llvm::StringRef output,
                                     llvm::StringRef label);

} // namespace lld::cuda

#endif
