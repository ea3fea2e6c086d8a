//===- Ctx.h - The stages of one link ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The context of a link: all of its state, since there are no globals.
/// Driver.cpp (command lines), Library.cpp and LinkSession.cpp (the library)
/// create one for each link, and it lives until the outputs are written.
/// Link.cpp calls the passes with parts of it: a pass gets the stages that it
/// needs, finished ones as const, and the one that it fills.
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

/// Refers to its job, which must outlive it.
struct Ctx {
  explicit Ctx(LinkJob &job) : inputs(job, tools) {}
  Ctx(const Ctx &) = delete;
  Ctx &operator=(const Ctx &) = delete;

  LinkTools tools;
  Inputs inputs;
  Program program;
  Layout layout;
  Numbered numbered;
  /// What kernels need in the native view, and in the Mercury view that cubins
  /// have from sm_100 on (docs/reference/mercury.md): their records may differ.
  Resources resources, mercuryResources;
};

} // namespace lld::cuda

#endif
