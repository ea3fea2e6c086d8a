//===- NvccCommand.h - Parser of nvcc's command line ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A parser of nvcc's command line, for the program that takes nvcc's place in
/// a build system. tools/lld-cuda/Nvcc.cpp and RunReplaced.cpp ask it at each
/// call of nvcc whether the call includes a device link, as nvcc -dlink and a
/// final link of objects do. ld.cuda does that device link. All other calls,
/// and those that the parser doesn't understand, are left to the real nvcc.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_NVCCCOMMAND_H
#define LLD_CUDA_DRIVER_NVCCCOMMAND_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace lld::cuda {

/// Which part of a call of nvcc ld.cuda does.
enum class NvccStep {
  HandOver,   ///< The real nvcc does everything.
  DeviceLink, ///< -dlink: the output is a host object.
  FinalLink   ///< A device link is followed by the host's linker.
};

/// What has to be done for a command line of nvcc.
struct NvccPlan {
  NvccStep step = NvccStep::HandOver;
  std::string reason;             ///< Why it is handed over.
  std::vector<std::string> words; ///< ld.cuda's arguments, without the output.
  std::string output;             ///< The host object, or the program.
  /// If true, `words` has options that nvlink's command line doesn't have. If
  /// false, all of `words` are valid arguments of nvlink, and messages have
  /// nvlink's form.
  bool isLld = false;
};

/// NVIDIA's nvcc, which the program in its place starts.
struct NvccProgram {
  std::string path;   ///< libcudadevrt is searched relative to it.
  unsigned major = 0; ///< The major release; 0 if it isn't known.
};

/// Returns what has to be done for a call of nvcc with the arguments `words`,
/// without the program's name.
NvccPlan planNvccCommand(llvm::ArrayRef<const char *> words,
                         const NvccProgram &nvcc);

} // namespace lld::cuda

#endif
