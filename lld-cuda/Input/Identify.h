//===- Identify.h - What an input file is -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// On nvlink's command line a file's treatment depends on its suffix first and
/// its contents second [input-suffix]. Files that don't fit are passed over,
/// because compiler drivers hand us host libraries and the like, too. ld.cuda
/// looks at the contents only. So does a link whose inputs are data, which
/// takes what it is said to be, or tells that it isn't.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_IDENTIFY_H
#define LLD_CUDA_INPUT_IDENTIFY_H

#include "Input/InputFiles.h"
#include "lld-cuda/Linker.h"
#include <optional>

namespace lld::cuda {

/// Neither: nothing of the file takes part, and file.messages may say why.
struct Identified {
  bool isArchive = false;
  std::optional<ContentKind> kind;
};

/// Tells what a file is that has been read. `input`: what the job says of it;
/// null for libraries, which the link has found itself.
Identified identify(const Config &config, InputFile &file,
                    const LinkInput *input);

/// The same for an input that is data and is said to be of that kind, or an
/// error: nothing that somebody has added is passed over in silence.
Identified identifyData(llvm::StringRef data, llvm::StringRef name,
                        InputKind kind, bool takesLto,
                        std::vector<Diagnostic> &messages);

/// Whether the file starts like an ELF file for CUDA; unlike a host object's,
/// its class and byte order are checked later.
bool isElf(llvm::StringRef data);
bool isFatbin(llvm::StringRef data);

} // namespace lld::cuda

#endif
