//===- NoteCommand.h - Shortening the command in a cubin's note -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Takes an option out of the command line that a compiler has left in a
/// cubin's note. The linker runs ptxas with options that nvlink doesn't give to
/// its own; what ptxas has made must look as if it hadn't had them.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_NOTECOMMAND_H
#define LLD_CUDA_OBJECT_NOTECOMMAND_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <optional>
#include <string>

namespace lld::cuda {

/// A compiler's cubin without `text` at the start of the command in its note,
/// as if the compiler hadn't written it. None: the text isn't there, or nobody
/// knows where the file's other parts belong then.
std::optional<std::string> dropFromNoteCommand(llvm::MemoryBufferRef cubin,
                                               llvm::StringRef text);

} // namespace lld::cuda

#endif
