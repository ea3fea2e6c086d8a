//===- YamlWriter.h - Writes a cubin as YAML --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function that writes a cubin as YAML. LLVM 19's yaml2obj makes the same
/// file of it again, byte for byte except for two fields that it can't set:
/// e_flags of EM_CUDA files, and e_version where it isn't 1 (CUDA 11 and 12).
/// Comments at the top of the YAML have the commands that set them.
/// cubin-dump's main function calls it for each cubin if the command line asks
/// for YAML, in place of a dump.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DUMP_YAMLWRITER_H
#define LLD_CUDA_CUBIN_DUMP_YAMLWRITER_H

#include "lld-cuda/Object/Cubin.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace lld::cuda {

/// Writes the cubin. Fails for a file that yaml2obj can't make; nothing has
/// been written then.
llvm::Error writeYaml(const CubinFile &file, llvm::raw_ostream &os);

} // namespace lld::cuda

#endif
