//===- PreparedInput.h - An input of many links -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// prepareInput() makes it. Its file is in memory as a whole, so no link reads
/// again; the store keeps what links find out: each of them asks the store,
/// and the first one to do so makes what it asks for.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_PREPAREDINPUT_H
#define LLD_CUDA_INPUT_PREPAREDINPUT_H

#include "Input/InputFiles.h"
#include "Input/InputStore.h"
#include "lld-cuda/Linker.h"

namespace lld::cuda {

class PreparedInput {
public:
  PreparedInput(OpenedFile file, InputKind kind)
      : file(std::move(file)), kind(kind) {}

  const OpenedFile file; ///< Has a buffer.
  const InputKind kind;  ///< By its contents.
  InputStore store;
};

} // namespace lld::cuda

#endif
