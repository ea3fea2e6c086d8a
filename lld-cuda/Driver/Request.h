//===- Request.h - Options given as data ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The function that transfers options given to the library as data
/// (LinkOptions in Linker.h), instead of as command-line arguments, to a link's
/// job. Library.cpp and LinkSession.cpp call readOptions() before each such
/// link; checkOptions() in Library.cpp calls it only to see whether the options
/// are valid.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_REQUEST_H
#define LLD_CUDA_DRIVER_REQUEST_H

#include "LinkJob.h"

namespace lld::cuda {

/// Sets `options`, which are copied, as the options of `job`. Returns false if
/// they are invalid; the error has then been reported to job.diag. Defined in
/// Library.cpp.
bool readOptions(LinkJob &job, const LinkOptions &options);

} // namespace lld::cuda

#endif
