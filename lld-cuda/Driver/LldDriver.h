//===- LldDriver.h - Reader of ld.cuda's command line -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The reader of ld.cuda's command line. readCommandLine() in Driver.cpp calls
/// readLldCommandLine() at the start of a link, once it is clear that the
/// program was started under that name, or with -flavor lld. Options.cpp,
/// Driver.cpp and the nvcc replacement (NvccCommand.cpp,
/// tools/lld-cuda/Nvcc.cpp) call isLldOption().
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_LLDDRIVER_H
#define LLD_CUDA_DRIVER_LLDDRIVER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace lld::cuda {

struct LinkJob;

/// Reads the arguments after the program's name into job.config. The result is
/// that of readCommandLine() in Driver.h.
bool readLldCommandLine(LinkJob &job, llvm::ArrayRef<const char *> words);

/// Returns whether an argument that is no option of nvlink is one of ld.cuda.
bool isLldOption(llvm::StringRef word);

void printLldHelp(LinkJob &job);

/// Prints the text of --version. Defined in Driver.cpp, for both flavours.
void printVersion(LinkJob &job);

} // namespace lld::cuda

#endif
