//===- Identify.h - Detects the kind of an input ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions that decide what kind of file an input is. InputFiles.cpp
/// calls identify() for each input right after it was read; PreparedInput.cpp
/// calls identifyData() for inputs that a program prepares before a link.
///
/// On nvlink's command line the kind depends on the file's suffix first and on
/// its contents second (rule [input-suffix] of docs/reference). Files that
/// don't fit are ignored, because compiler drivers pass host libraries and the
/// like, too. ld.cuda looks at the contents only. So does a link whose inputs
/// are given as data; there it is an error if an input isn't of the kind that
/// the program has stated.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_IDENTIFY_H
#define LLD_CUDA_INPUT_IDENTIFY_H

#include "Input/InputFiles.h"
#include "lld-cuda/Linker.h"
#include <optional>

namespace lld::cuda {

/// What a file is. If it is neither an archive nor of a kind, it isn't linked,
/// and its messages may say why.
struct Identified {
  bool isArchive = false;
  std::optional<ContentKind> kind;
};

/// Identifies a file that has been read. Adds messages to file.messages.
/// `input` is the job's description of it, or null for libraries that the link
/// has found itself.
Identified identify(const Config &config, InputFile &file,
                    const LinkInput *input);

/// Identifies an input that is data and that the program has declared to be of
/// kind `kind`. Adds an error to `messages` if it isn't: no input that a
/// program adds is ignored silently.
Identified identifyData(llvm::StringRef data, llvm::StringRef name,
                        InputKind kind, bool takesLto,
                        std::vector<Diagnostic> &messages);

/// Returns whether the file starts like an ELF file for CUDA. Its class and
/// byte order are checked later.
bool isElf(llvm::StringRef data);
bool isFatbin(llvm::StringRef data);

} // namespace lld::cuda

#endif
