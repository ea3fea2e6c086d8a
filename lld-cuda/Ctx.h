//===- Ctx.h - The stages of one link ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All state of one link; there are no globals. What calls the passes has this;
/// they themselves take the stages that they need: those that are finished as
/// const, and the one that they fill.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CTX_H
#define LLD_CUDA_CTX_H

#include "Analysis/Resources.h"
#include "Inputs.h"
#include "Layout.h"
#include "Numbered.h"
#include "Program.h"

namespace lld::cuda {

struct Ctx {
  explicit Ctx(LinkJob &job) : inputs(job, tools) {}
  Ctx(const Ctx &) = delete;
  Ctx &operator=(const Ctx &) = delete;

  LinkTools tools;
  Inputs inputs;
  Program program;
  Layout layout;
  Numbered numbered;
  /// What kernels need; once for each view, since the two views' records may
  /// differ.
  Resources resources, mercuryResources;
};

} // namespace lld::cuda

#endif
