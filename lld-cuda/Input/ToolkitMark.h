//===- ToolkitMark.h - CUDA release of a toolkit directory ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the CUDA release of a toolkit directory that lld-cuda-toolkit has
/// made: the file .lld-cuda-toolkit beside bin/ names it. Driver.cpp asks for
/// it before a link, so that a linker in such a directory links as that release
/// does; UnpackCubins.cpp for a message about an input that is too new; and
/// `lld-cuda fatbinary` (tools/lld-cuda/Fatbinary.cpp).
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_TOOLKITMARK_H
#define LLD_CUDA_INPUT_TOOLKITMARK_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lld::cuda {

struct LinkJob;

/// Returns the release, such as "12.8", of the toolkit directory in whose bin/
/// the program with the path `program` is. Returns "" if there is no such
/// directory or its file can't be read.
std::string releaseOfToolkit(llvm::StringRef program);

/// If the linker was started from such a toolkit directory, makes its release
/// the job's choice. Must be called before options of the command line that
/// choose a release are read, since these override it.
void takeReleaseOfToolkit(LinkJob &job);

} // namespace lld::cuda

#endif
