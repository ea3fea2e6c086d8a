//===- Options.h - Options of nvJitLinkCreate() -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The options that a program gives to nvJitLinkCreate(), as a struct. Job.cpp
/// reads them once, when it creates the link behind a handle, before any input
/// is added.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_NVJITLINK_OPTIONS_H
#define LLD_CUDA_BINDINGS_NVJITLINK_OPTIONS_H

#include "Interface.h"
#include "Log.h"
#include <string>
#include <vector>

namespace lld::cuda::nvjitlink {

struct Options {
  /// The target, such as "sm_90", also if the option is -arch=lto_90 or, with
  /// -ptx, compute_90.
  std::string arch;
  bool lto = false;
  bool ptx = false; ///< The result is PTX.
  bool relocatable = false;
  bool debug = false; ///< Goes to ptxas with the link.
  bool time = false;
  bool verbose = false;
  std::vector<std::string> kernelsUsed, variablesUsed;
  std::vector<std::string> ptxas; ///< Arguments for ptxas.
  /// The options for NVIDIA's library if it does a part of the link: all that
  /// the program gave, in other words where that library needs them.
  std::vector<std::string> given;
};

/// Reads the options. Each mistake gets a line in the log; returns the result
/// of the first one.
Result readOptions(Options &options, uint32_t count, const char *const *words,
                   Log &log);

/// Reports that the linker doesn't know an architecture, and returns the result
/// for that.
Result refuseArch(const std::string &arch, Log &log);

} // namespace lld::cuda::nvjitlink

#endif
