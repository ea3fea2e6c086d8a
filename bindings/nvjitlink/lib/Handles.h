//===- Handles.h - Handles that programs hold -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A handle is a number, no address, and no number comes twice: a handle that
/// was destroyed, or never was one, is an error where NVIDIA's library crashes,
/// and one that another thread is using lives until that has done.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_NVJITLINK_HANDLES_H
#define LLD_CUDA_BINDINGS_NVJITLINK_HANDLES_H

#include "Interface.h"
#include <memory>

namespace lld::cuda::nvjitlink {

class Job;

Handle addHandle(std::shared_ptr<Job> job);
/// Null: there is no such handle.
std::shared_ptr<Job> findHandle(Handle handle);
/// The same; it is none any more.
std::shared_ptr<Job> removeHandle(Handle handle);

} // namespace lld::cuda::nvjitlink

#endif
