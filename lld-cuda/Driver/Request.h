//===- Request.h - Links without a command line -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Options that a program has given to the library as data (LinkOptions of
/// Linker.h) instead of as words. Library.cpp and LinkSession.cpp call it
/// before each link.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_REQUEST_H
#define LLD_CUDA_DRIVER_REQUEST_H

#include "LinkJob.h"

namespace lld::cuda {

/// Makes the options those of the job. False: there is an error, which is
/// reported. Library.cpp.
bool readOptions(LinkJob &job, const LinkOptions &options);

} // namespace lld::cuda

#endif
