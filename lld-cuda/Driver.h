//===- Driver.h - From the command line to a Config -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_H
#define LLD_CUDA_DRIVER_H

#include "Config.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace lld::cuda {

struct Ctx;

/// Which command line a program of that name understands.
Flavor flavorOf(llvm::StringRef programPath);

/// Reads the command line into ctx.config. False: there is nothing more to do,
/// because of an error (reported) or because the text asked for is printed.
bool readCommandLine(Ctx &ctx, llvm::ArrayRef<const char *> args);

/// Appends lines to the table of -time; the header comes first in an empty
/// file. False: it can't be written, which is reported.
bool addTimes(Ctx &ctx, llvm::StringRef lines);

} // namespace lld::cuda

#endif
