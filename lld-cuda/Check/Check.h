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
/// What is meant is said here once more, in other words than the passes that
/// write it: none of them is called, and no table that they have made is looked
/// at but in the output.
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

/// The same; what differs is a fatal error.
void checkImage(const Meaning &meaning, llvm::StringRef image);

} // namespace lld::cuda

#endif
