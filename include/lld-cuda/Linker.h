//===- Linker.h - The linker as a library -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LINKER_H
#define LLD_CUDA_LINKER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace lld::cuda {

/// How inputs of 8 KB and more get into memory; smaller ones are read.
enum class InputMode {
  /// Mapped, which is fastest. A page that isn't there any more, because
  /// somebody cut the file short while it was linked, raises SIGBUS. The
  /// program
  /// lld-cuda handles that (tools/lld-cuda/main.cpp); a library doesn't touch
  /// its user's handlers.
  Map,
  /// Copied, for processes that must live on whatever happens to the files.
  Read
};

/// Links as the command line `args` says; args[0] is the program's name and
/// decides the flavour ("nvlink": nvlink's command line and messages). Returns
/// true on success. With `exitEarly` the process ends with _exit once
/// everything is written (status 0, 1 or 255 as nvlink's). With `disableOutput`
/// no file is written. Two links may run at once in two threads.
bool link(llvm::ArrayRef<const char *> args, llvm::raw_ostream &out,
          llvm::raw_ostream &err, bool exitEarly, bool disableOutput);

/// The same, which maps inputs, with another mode.
bool link(llvm::ArrayRef<const char *> args, llvm::raw_ostream &out,
          llvm::raw_ostream &err, bool exitEarly, bool disableOutput,
          InputMode inputs);

} // namespace lld::cuda

#endif
