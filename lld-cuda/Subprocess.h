//===- Subprocess.h - Running the compilers of the toolkit ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUBPROCESS_H
#define LLD_CUDA_SUBPROCESS_H

#include "InputFiles.h"
#include "llvm/ADT/SmallString.h"
#include <memory>
#include <string>
#include <vector>

namespace lld::cuda {

struct Config;

/// A directory that goes with everything in it.
class TemporaryDirectory {
public:
  TemporaryDirectory() = default;
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;
  ~TemporaryDirectory();
  std::error_code create();
  std::string file(llvm::StringRef name) const {
    return (path + "/" + name).str();
  }
  llvm::StringRef str() const { return path; }

private:
  llvm::SmallString<128> path;
};

struct ToolResult {
  int status = -1;
  std::string output;  ///< What it printed; paths of `directory` are cut off.
  std::string problem; ///< Why it couldn't be started, or how it died.
};

/// Runs a program to its end; both its streams become `output`.
ToolResult runTool(const TemporaryDirectory &directory, llvm::StringRef name,
                   const std::string &program,
                   llvm::ArrayRef<std::string> words);

/// Compiles PTX. What the result's note and messages tell of files is what
/// nvlink's own ptxas has there. The cubin is `ptxasOutput(directory)`.
ToolResult runPtxas(const TemporaryDirectory &directory, const Config &config,
                    const std::string &ptxas, llvm::StringRef text,
                    std::vector<std::string> words);
std::string ptxasOutput(const TemporaryDirectory &directory);

/// Beside the linker first, unless a toolkit is named: there it has it. Empty
/// if there is none.
std::string findPtxas(const Config &config);

/// The program of that name beside the linker's file, then in PATH.
std::string findHelper(const Config &config, llvm::StringRef name);

} // namespace lld::cuda

#endif
