//===- PreparedInput.h - An input prepared for many links -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An input that a program has prepared through the library (prepareInput() in
/// PreparedInput.cpp) before the links that use it. The whole file is in
/// memory, so that no link reads it again. InputFiles.cpp takes the file from
/// here when a link loads its inputs. What links find out about it is kept in
/// the store, so that each fact is found out once.
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
  PreparedInput(OpenedFile file, InputKind kind, bool isForOneLink);

  const OpenedFile file;                   ///< Its buffer isn't null.
  const InputKind kind;                    ///< As found in the contents.
  const std::unique_ptr<InputStore> store; ///< Null if one link uses it.
};

} // namespace lld::cuda

#endif
