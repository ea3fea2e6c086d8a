//===- VariableLines.h - Where the source declares variables ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From a variable's name in the symbol table to a file and a line, where
/// .debug_info has it (-G, -g). What is damaged or missing has no lines; there
/// are no errors.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_VARIABLELINES_H
#define LLD_CUDA_FINALCODE_VARIABLELINES_H

#include "lld-cuda/FinalCode/SourceLines.h"
#include "llvm/ADT/StringMap.h"

namespace lld::cuda {

class VariableLines {
public:
  /// Reads all of .debug_info; `lines` are those of the same file.
  VariableLines(const CubinFile &file, const SourceLines &lines);

  std::optional<SourceLine> find(llvm::StringRef symbol) const;

private:
  /// A file of a unit of .debug_line, and a line.
  struct Declaration {
    uint64_t unit, file, line;
  };
  friend class DebugInfoReader;

  const SourceLines &lines;
  llvm::StringMap<Declaration> declarations;
};

} // namespace lld::cuda

#endif
