//===- Handles.h - Table of handles -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The table of the handles that programs have. Exports.cpp calls these
/// functions: nvJitLinkCreate() adds a job, nvJitLinkDestroy() removes it, and
/// every other exported function looks it up. They are thread-safe.
/// A handle is a number, not an address, and no number is used twice. So a
/// handle that was destroyed, or never was one, is an error where NVIDIA's
/// library crashes, and a job that another thread is using lives until that
/// thread is done.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_BINDINGS_NVJITLINK_HANDLES_H
#define LLD_CUDA_BINDINGS_NVJITLINK_HANDLES_H

#include "Interface.h"
#include <memory>

namespace lld::cuda::nvjitlink {

class Job;

/// Adds a job and returns its new handle.
Handle addHandle(std::shared_ptr<Job> job);
/// Returns the job of a handle; null if there is no such handle.
std::shared_ptr<Job> findHandle(Handle handle);
/// Removes a handle and returns its job; null if there is no such handle.
std::shared_ptr<Job> removeHandle(Handle handle);

} // namespace lld::cuda::nvjitlink

#endif
