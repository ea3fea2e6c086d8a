//===- Compilers.h - NVIDIA's compilers for PTX and LTO IR ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Where they are is found out once in a process: by the environment, then in
/// NVIDIA's Python packages beside this library, then in CUDA_HOME and
/// /usr/local/cuda. Always by absolute path: by its name the loader would take
/// this library for NVIDIA's.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_NVJITLINK_COMPILERS_H
#define LLD_CUDA_BINDINGS_NVJITLINK_COMPILERS_H

#include "Interface.h"
#include <string>

namespace lld::cuda::nvjitlink {

/// What the environment says. A process with more rights than its user has
/// doesn't look at it (AT_SECURE).
struct CompilerEnvironment {
  std::string ptxas;     ///< LLDCUDA_PTXAS
  std::string nvJitLink; ///< LLDCUDA_NVJITLINK
  std::string cudaHome;  ///< CUDA_HOME
  std::string cache;     ///< LLDCUDA_CACHE_DIR
  bool compat = false;   ///< LLDCUDA_COMPAT: NVIDIA's note, not ours.
};

const CompilerEnvironment &environment();

/// The path of the ptxas that compiles PTX. Empty: there is none.
const std::string &findPtxas();

/// NVIDIA's library; its functions are null where it hasn't got them.
struct NvidiaLibrary {
  std::string path;
  unsigned major = 0, minor = 0;
  CreateFn *create = nullptr;
  DestroyFn *destroy = nullptr;
  AddDataFn *addData = nullptr;
  CompleteFn *complete = nullptr;
  SizeFn *cubinSize = nullptr, *ptxSize = nullptr, *ltoIRSize = nullptr,
         *errorLogSize = nullptr, *infoLogSize = nullptr;
  ContentFn *cubin = nullptr, *ltoIR = nullptr;
  TextFn *ptx = nullptr, *errorLog = nullptr, *infoLog = nullptr;
  void *(*privateApi)(int) = nullptr;

  /// Links with -r; with -lto, too, only later releases do.
  bool linksRelocatably() const { return major >= 13; }
  bool linksLtoRelocatably() const {
    return major > 13 || (major == 13 && minor >= 3);
  }
};

/// Loads it at the first call. Null: there is none; `problem` says so, in words
/// that follow "no PTX compiler: ".
const NvidiaLibrary *findNvidiaLibrary(std::string *problem = nullptr);

} // namespace lld::cuda::nvjitlink

#endif
