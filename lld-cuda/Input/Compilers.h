//===- Compilers.h - Running the compilers of the toolkit -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds and runs the programs that compile inputs: ptxas, and helpers that lie
/// beside the linker. PtxCompiler.cpp calls it for each input that is PTX, the
/// LTO passes for what they optimize.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_COMPILERS_H
#define LLD_CUDA_INPUT_COMPILERS_H

#include "lld-cuda/Support/Subprocess.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace lld::cuda {

struct Config;
struct Inputs;

/// What came of a text of PTX.
struct CompiledText {
  ToolResult tool;
  std::shared_ptr<llvm::MemoryBuffer> cubin; ///< Null: there is none.
  std::error_code noDirectory; ///< For temporary files; ptxas didn't run.
};

/// Compiles PTX, or takes over what an earlier link has made of it. What the
/// result's note and messages tell of files is what nvlink's own ptxas has
/// there.
CompiledText compileText(const Inputs &inputs, const std::string &ptxas,
                         llvm::StringRef text, std::vector<std::string> words);

/// The program of that name in PATH; empty if there is none. A path is taken as
/// it is.
std::string findInPath(const Config &config, llvm::StringRef name);

/// That of the toolkit that the command line names, itself or by one of its
/// libraries; then the one beside the linker, that of CUDA_HOME or CUDA_PATH,
/// and PATH's. Empty if there is none.
std::string findPtxas(const Config &config);

/// The program of that name beside the linker's file, then in PATH.
std::string findHelper(const Config &config, llvm::StringRef name);

} // namespace lld::cuda

#endif
