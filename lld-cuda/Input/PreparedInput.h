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
#include <memory>

namespace lld::cuda {

class PreparedInput {
public:
  PreparedInput(OpenedFile file, InputKind kind, bool isForOneLink)
      : file(std::move(file)), kind(kind),
        store(isForOneLink ? nullptr : std::make_unique<InputStore>()) {}

  const OpenedFile file;                   ///< Has a buffer.
  const InputKind kind;                    ///< By its contents.
  const std::unique_ptr<InputStore> store; ///< Null: for one link only.
};

} // namespace lld::cuda

#endif
