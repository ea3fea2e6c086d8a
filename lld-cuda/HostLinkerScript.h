//===- HostLinkerScript.h - -ghls: scripts for the host linker --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_HOSTLINKERSCRIPT_H
#define LLD_CUDA_HOSTLINKERSCRIPT_H

#include "llvm/ADT/StringRef.h"

namespace lld::cuda {

struct Ctx;

/// lcs-aug, or lcs-abs if `isWhole`. An empty `ccbin` is gcc, an empty `output`
/// standard output.
void writeHostLinkerScript(Ctx &ctx, bool isWhole, llvm::StringRef ccbin,
                           llvm::StringRef output);

} // namespace lld::cuda

#endif
