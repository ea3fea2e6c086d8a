//===- NvccCommand.h - Device links on nvcc's command line ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Build systems ask nvcc for device links. What it is asked is read here, as
/// far as it is a device link: nvcc -dlink, or a final link of objects. All
/// else, and what isn't understood, is left to the real nvcc.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_NVCCCOMMAND_H
#define LLD_CUDA_DRIVER_NVCCCOMMAND_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace lld::cuda {

enum class NvccStep {
  HandOver,   ///< The real nvcc does it all.
  DeviceLink, ///< -dlink: a host object is the output.
  FinalLink   ///< A device link, then the host's linker.
};

/// What is to be done for a command line of nvcc's.
struct NvccPlan {
  NvccStep step = NvccStep::HandOver;
  std::string reason;             ///< Why it is handed over.
  std::vector<std::string> words; ///< For ld.cuda, without the output.
  std::string output;             ///< The host object, or the program.
  /// The words have options that nvlink's command line lacks. Else they are
  /// nvlink's, and so are the messages.
  bool isLld = false;
};

/// NVIDIA's nvcc, which the program in its place starts.
struct NvccProgram {
  std::string path;   ///< Beside it libcudadevrt is looked for.
  unsigned major = 0; ///< Its release; 0: nobody has said.
};

NvccPlan planNvccCommand(llvm::ArrayRef<const char *> words,
                         const NvccProgram &nvcc);

} // namespace lld::cuda

#endif
