//===- Compilers.h - Search for NVIDIA's compilers --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The search for the two NVIDIA compilers that this stand-in for libnvJitLink
/// needs: ptxas for PTX, and NVIDIA's own libnvJitLink for LTO IR. Job.cpp asks
/// for ptxas when a program creates a handle; Delegate.cpp asks for the library
/// when an input needs it. The first answer holds for the whole process.
/// The environment is searched first, then NVIDIA's Python packages beside this
/// library, then CUDA_HOME and /usr/local/cuda. Paths are always absolute: by
/// its name alone the loader would take this library for NVIDIA's.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_NVJITLINK_COMPILERS_H
#define LLD_CUDA_BINDINGS_NVJITLINK_COMPILERS_H

#include "Interface.h"
#include <string>

namespace lld::cuda::nvjitlink {

/// What the environment says. It is ignored in a process with more rights than
/// its user has (AT_SECURE).
struct CompilerEnvironment {
  std::string ptxas;     ///< LLDCUDA_PTXAS
  std::string nvJitLink; ///< LLDCUDA_NVJITLINK
  std::string cudaHome;  ///< CUDA_HOME
  std::string cache;     ///< LLDCUDA_CACHE_DIR
  bool compat = false;   ///< LLDCUDA_COMPAT: the image has NVIDIA's note, not
                         ///< ours.
};

const CompilerEnvironment &environment();

/// Returns the path of the ptxas that compiles PTX; empty if there is none.
/// Searches at the first call.
const std::string &findPtxas();

/// NVIDIA's libnvJitLink, loaded. A pointer is null if the library lacks that
/// function.
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

  /// Returns whether it links with -r.
  bool linksRelocatably() const { return major >= 13; }
  /// Returns whether it links with -r and -lto.
  bool linksLtoRelocatably() const {
    return major > 13 || (major == 13 && minor >= 3);
  }
};

/// Finds the library and loads it, at the first call; it is never unloaded.
/// Returns null if there is none; `problem` then says why, in words that follow
/// "no PTX compiler: ".
const NvidiaLibrary *findNvidiaLibrary(std::string *problem = nullptr);

} // namespace lld::cuda::nvjitlink

#endif
