//===- NoteCommand.h - Shortens the command in a note -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Removes text from the start of the command line that ptxas has noted in a
/// cubin (.note.nv.tkinfo). The linker calls it after it has run ptxas with -g
/// on PTX that was too long for a command-line argument and so was read from a
/// file (Compilers.cpp): otherwise the image's note would name that file, and
/// nvlink's doesn't.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_NOTECOMMAND_H
#define LLD_CUDA_OBJECT_NOTECOMMAND_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <optional>
#include <string>

namespace lld::cuda {

/// Returns the cubin without `text` at the start of the command in its note,
/// and with the sections after the note moved forward, as if ptxas hadn't
/// written the text. Returns nullopt, and the cubin remains to be used as it
/// is, if it can't be read, doesn't have exactly one such note, the command
/// doesn't begin with `text`, or the file isn't laid out as ptxas does it.
std::optional<std::string> dropFromNoteCommand(llvm::MemoryBufferRef cubin,
                                               llvm::StringRef text);

} // namespace lld::cuda

#endif
