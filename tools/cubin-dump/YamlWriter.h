//===- YamlWriter.h - A cubin as input of yaml2obj --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes YAML from which LLVM 19's yaml2obj makes the same file again, byte
/// for byte, but for one field: e_flags, which yaml2obj cannot set for EM_CUDA.
/// A comment at the top has the command that sets it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DUMP_YAMLWRITER_H
#define LLD_CUDA_CUBIN_DUMP_YAMLWRITER_H

#include "lld-cuda/Object/Cubin.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace lld::cuda {

/// Fails for files that yaml2obj cannot make; nothing has been written then.
llvm::Error writeYaml(const CubinFile &file, llvm::raw_ostream &os);

} // namespace lld::cuda

#endif
