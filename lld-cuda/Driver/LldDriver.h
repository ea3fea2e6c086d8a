//===- LldDriver.h - The lld flavour's command line -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// ld.cuda's command line. Driver.cpp calls it once it is clear that the
/// program was started under that name, or with -flavor lld.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_LLDDRIVER_H
#define LLD_CUDA_DRIVER_LLDDRIVER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace lld::cuda {

struct LinkJob;

/// Reads the words after the program's name into job.config, as
/// readCommandLine() does for nvlink's.
bool readLldCommandLine(LinkJob &job, llvm::ArrayRef<const char *> words);

/// Whether a word that is no option of nvlink's is one of ld.cuda.
bool isLldOption(llvm::StringRef word);

void printLldHelp(LinkJob &job);

/// What the program says about itself.
void printVersion(LinkJob &job);

} // namespace lld::cuda

#endif
