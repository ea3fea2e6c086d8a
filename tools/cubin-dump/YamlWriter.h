//===- YamlWriter.h - A cubin as input of yaml2obj --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes YAML from which LLVM 19's yaml2obj makes the same file again, byte
/// for byte, but for two fields that yaml2obj cannot set: e_flags of EM_CUDA
/// files, and e_version where it isn't 1 (CUDA 11 and 12). Comments at the top
/// have the commands that set them.
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
