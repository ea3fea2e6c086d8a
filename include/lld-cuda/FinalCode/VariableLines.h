//===- VariableLines.h - Source lines of variables --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reader of .debug_info that finds the source file and line of a variable's
/// declaration by its name in the symbol table (compiled with -G or -g). The
/// linker's Explain/SourcePlaces.cpp makes one for an object when a message is
/// about one of its variables. Damaged or missing debug information counts as
/// no lines; there are no errors.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINALCODE_VARIABLELINES_H
#define LLD_CUDA_FINALCODE_VARIABLELINES_H

#include "lld-cuda/FinalCode/SourceLines.h"
#include "llvm/ADT/StringMap.h"

namespace lld::cuda {

class VariableLines {
public:
  /// Reads all of .debug_info. `lines` are the lines of the same file, and must
  /// outlive this object.
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
