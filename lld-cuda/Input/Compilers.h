//===- Compilers.h - Finds and runs compilers of inputs ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that find and run the programs that compile inputs: ptxas, and
/// helper programs beside the linker. PtxCompiler.cpp calls them for each input
/// that is PTX while inputs are loaded; the sources in Lto/ call them later for
/// the code that link-time optimization has produced.
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

/// The result of compiling a text of PTX.
struct CompiledText {
  ToolResult tool;
  std::shared_ptr<llvm::MemoryBuffer> cubin; ///< Null after an error.
  /// The error if the folder for temporary files couldn't be made; ptxas didn't
  /// run then.
  std::error_code noDirectory;
};

/// Compiles PTX with the program `ptxas` and the options `words`, or reuses the
/// result of an earlier link (CompileCache.h). File names in the cubin's note
/// and in messages are those that appear when nvlink runs ptxas.
CompiledText compileText(const Inputs &inputs, const std::string &ptxas,
                         llvm::StringRef text, std::vector<std::string> words);

/// Returns the path of the program `name` in PATH, or "" if there is none. If
/// `name` is a path, PATH isn't searched.
std::string findInPath(const Config &config, llvm::StringRef name);

/// Returns the path of ptxas, or "" if there is none: the one that the options
/// name, or that of the toolkit that they name, directly or by one of its
/// libraries. Links with a command line then search the linker's folder, the
/// toolkits of CUDA_HOME and CUDA_PATH, PATH and /usr/local/cuda/bin.
std::string findPtxas(const Config &config);

/// Returns the path of the program `name` in the linker's folder or, if it
/// isn't there, in PATH; "" if there is none.
std::string findHelper(const Config &config, llvm::StringRef name);

} // namespace lld::cuda

#endif
