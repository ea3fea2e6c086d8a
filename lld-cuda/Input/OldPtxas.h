//===- OldPtxas.h - PTX that is too new for the ptxas in use ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_OLDPTXAS_H
#define LLD_CUDA_INPUT_OLDPTXAS_H

#include "lld-cuda/Linker/Diagnostic.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace lld::cuda {

struct Ctx;

/// If ptxas has refused PTX because it is older than that: an error that
/// names the program. None for another failure, and where nvlink of this link's
/// release would have failed, too, and only its words are asked for. `output`
/// is what ptxas printed, `label` whose PTX it is. PtxCompiler.cpp.
std::optional<Diagnostic> findOldPtxas(const Ctx &ctx, const std::string &ptxas,
                                       llvm::StringRef output,
                                       llvm::StringRef label);

} // namespace lld::cuda

#endif
