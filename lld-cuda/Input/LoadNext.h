//===- LoadNext.h - Inputs that come one by one -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Loading inputs one at a time, for links whose inputs come one by one
/// (LinkSession.cpp). A link with a command line loads all at once with
/// loadInputs() instead.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_INPUT_LOADNEXT_H
#define LLD_CUDA_INPUT_LOADNEXT_H

#include "Input/InputFiles.h"
#include <set>
#include <tuple>

namespace lld::cuda {

struct Release;

/// Loads a prepared input as loadInputs() does, and reports what is wrong with
/// it. PTX isn't compiled. `archives`: those that have been read, which are
/// read once.
InputFile &loadNextInput(Inputs &inputs, const LinkInput &input,
                         std::set<llvm::sys::fs::UniqueID> &archives);

/// What the objects so far say about releases. SettleRules.cpp.
class ObjectReleases {
public:
  /// Whether the rules are to be settled anew with those of the file: they are
  /// the first that say that, or have something that must be looked at.
  bool add(const Inputs &inputs, const InputFile &file);

private:
  /// Toolkit, newest release of the notes, whether it has the old header.
  std::set<std::tuple<unsigned, const Release *, bool>> seen;
  /// What the last object said, mostly the same.
  std::tuple<unsigned, bool, llvm::ArrayRef<uint8_t>> last;
};

} // namespace lld::cuda

#endif
