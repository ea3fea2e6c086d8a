//===- MergeBatch.h - Merging several objects at once -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The merge of plain objects (Decisions in Input/ObjectFacts.h) by several
/// threads. mergeFile() in Link.cpp offers each object of a large link to the
/// batch, in the order of the inputs. For one that it takes, the batch decides
/// at once, in one thread, which functions are new and what goes into sections
/// that objects share. The sections of all these functions are created later by
/// several threads, in lists of their own, which are joined in the order of the
/// objects: so the result is that of mergeObject() for one object after the
/// other, whatever the number of threads.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_MERGE_MERGEBATCH_H
#define LLD_CUDA_MERGE_MERGEBATCH_H

#include "Merge/Merge.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace lld::cuda {

struct LoadedCubin;

/// The objects that have been decided about and not completed yet. Used by one
/// thread, and empty when it is destroyed.
class MergeBatch {
public:
  /// All arguments must outlive it.
  MergeBatch(const Inputs &inputs, Program &program, MergeState &state)
      : inputs(inputs), program(program), state(state) {}

  /// Returns false, with nothing done, if the object can't be in a batch: it
  /// isn't plain, or would replace a definition, or create a section that
  /// objects share, or there is something to report. Then finish() must be
  /// called, and mergeObject(). Errors are reported as by mergeObject().
  bool add(const LoadedCubin &cubin);
  /// Completes the merge of all objects in the batch.
  void finish();

private:
  struct Pending {
    ObjectFile *obj;
    /// Those of MergeState where the object begins.
    uint32_t relocationSequence, infoSequence;
  };

  bool hasSections(const CubinFile &file, const ObjectFacts &facts) const;
  bool hasSection(const CubinFile &file, unsigned section) const;
  bool findVariables(const CubinFile &file, const Decisions &decisions);
  bool claimFunctions(const CubinFile &file, const Decisions &decisions);
  void releaseClaims();

  const Inputs &inputs;
  Program &program;
  MergeState &state;
  std::vector<Pending> pending;
  size_t functionCount = 0; ///< In all pending objects.
  /// Stands in Program::named for functions that add() is about to create.
  Symbol claimed{Symbol::Kind::Function, "", elf::STB_GLOBAL, elf::STT_FUNC, 0};
  // About the object that is being added; see Merger::decide().
  llvm::SmallVector<Symbol **, 64> functions;
  llvm::SmallVector<Symbol *, 64> variables;
};

} // namespace lld::cuda

#endif
