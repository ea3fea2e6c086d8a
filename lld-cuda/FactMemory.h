//===- FactMemory.h - Where the facts about objects are ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A link (LinkTools in Inputs.h) has a FactMemory for the facts about its
/// objects (ObjectFacts.h), and so has each store of inputs that links share
/// (InputStore.h). findObjectFacts() uses it, in several threads.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FACTMEMORY_H
#define LLD_CUDA_FACTMEMORY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <atomic>
#include <cstdint>

namespace lld::cuda {

class SharedArena;

/// What the facts about objects of one link, or of prepared inputs, share.
/// Thread-safe.
class FactMemory {
public:
  /// The facts are in `arena`, which must outlive this object.
  explicit FactMemory(SharedArena &arena) : arena(arena) {}

  /// Returns an error if the notes of a section are damaged. Objects of one
  /// compiler have equal notes, so they are checked only if they differ from
  /// those of the call before. `isToolkit` tells the two sections of notes
  /// apart.
  llvm::Error checkNotes(llvm::ArrayRef<uint8_t> notes, bool isToolkit);

  SharedArena &arena;

private:
  /// Copies of the last notes that were correct, in the arena. Small ones only.
  std::array<std::atomic<const llvm::ArrayRef<uint8_t> *>, 2> correctNotes = {};
};

} // namespace lld::cuda

#endif
