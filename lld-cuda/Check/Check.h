//===- Check.h - The self-check of an output, --check -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The self-check of the linker, --check. With this option Link.cpp calls
/// checkImage() at the end of a link, when the output's bytes are written but
/// not yet put in place. It reads the bytes back with the reader that the tools
/// use (lib/Object) and compares them with the link's data structures and its
/// inputs. A mistake of the writer thus ends the link with an error before the
/// output replaces anything.
///
/// What the output must contain is computed here a second time, independently
/// of the passes in Output/. Earlier decisions of the link are not checked:
/// what happens to a relocation and its value (RelocationFate.h), what kernels
/// need (Resources.h), and code that the finalizer has changed.
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

/// The link that an output is compared with. All of it must outlive the check.
struct Meaning {
  const Inputs &inputs;
  const Program &program;
  const Layout &layout;
  const Numbered &numbered;
  const Resources &native, &mercury; ///< What kernels need in each view.
};

/// Returns the differences between the bytes of an output and what the link
/// meant. Used by itself only in unit tests.
Findings compareImage(const Meaning &meaning, llvm::StringRef image);

/// Compares the bytes of an output with what the link meant, and reports a
/// fatal error if they differ.
void checkImage(const Meaning &meaning, llvm::StringRef image);

} // namespace lld::cuda

#endif
