//===- LoadNext.h - Loads inputs one at a time ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that load inputs one at a time. LinkSession.cpp calls them each
/// time a program adds an input to a link through the library. A link with a
/// command line loads all inputs together with loadInputs() instead.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_LOADNEXT_H
#define LLD_CUDA_INPUT_LOADNEXT_H

#include "Input/InputFiles.h"
#include <set>
#include <tuple>

namespace lld::cuda {

struct Release;

/// Loads a prepared input as loadInputs() does, and reports errors in it. PTX
/// isn't compiled. `archives` holds the archives that the link has read
/// already; each is read only once.
InputFile &loadNextInput(Inputs &inputs, const LinkInput &input,
                         std::set<llvm::sys::fs::UniqueID> &archives);

/// Collects what the objects added so far say about the CUDA release that they
/// were compiled by. Defined in SettleRules.cpp.
class ObjectReleases {
public:
  /// Adds the objects of a file. Returns whether the link's rules must be
  /// chosen again: an object says something that no object before it has said,
  /// or comes from a newer toolkit.
  bool add(const Inputs &inputs, const InputFile &file);

private:
  /// Toolkit, newest release of the notes, whether it has the old header.
  std::set<std::tuple<unsigned, const Release *, bool>> seen;
  /// What the last object said; the next one mostly says the same.
  std::tuple<unsigned, bool, llvm::ArrayRef<uint8_t>> last;
};

} // namespace lld::cuda

#endif
