//===- Check.h - Whether an output is what was linked -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// --check: the bytes of the output are read back by the reader that tools use
/// (lib/Object), which knows nothing of how they were written, and compared
/// with what the link meant: its stages, and the inputs. A mistake of the
/// writer ends the link before the output is put in place.
///
/// What is meant is said here once more, in other words than in Output/: none
/// of the passes that write is called. What the link decided before is taken as
/// it is: the fate and the value of a relocation (RelocationFate.h), what
/// kernels need (Resources), and code that the finalizer has changed. A mistake
/// in those doesn't show.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CHECK_CHECK_H
#define LLD_CUDA_CHECK_CHECK_H

#include "Check/Findings.h"

namespace lld::cuda {

struct Inputs;
struct Layout;
struct Numbered;
struct Program;
struct Resources;

/// The stages of a link, and what kernels need.
struct Meaning {
  const Inputs &inputs;
  const Program &program;
  const Layout &layout;
  const Numbered &numbered;
  const Resources &native, &mercury; ///< By view.
};

/// Where the bytes of an output differ from what was meant.
Findings compareImage(const Meaning &meaning, llvm::StringRef image);

/// Compares them, and ends the link with an error for what differs.
void checkImage(const Meaning &meaning, llvm::StringRef image);

} // namespace lld::cuda

#endif
