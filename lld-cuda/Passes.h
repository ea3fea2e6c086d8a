//===- Passes.h - The passes of a link -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What link() is made of. Each pass stands in a file of its own; its header
/// comment tells the rule it implements.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_PASSES_H
#define LLD_CUDA_PASSES_H

namespace lld::cuda {

struct Ctx;

/// Reads the options into ctx.config. False: there is nothing more to do
/// (messages are reported). Driver.cpp.
/// (declared in Driver.h)

/// Writes the file for crt/link.stub. RegisterFile.cpp.
void writeRegisterFile(Ctx &ctx);

/// Everything from the opened inputs to the output file: the table of contents
/// of a link. Link.cpp.
void linkInputs(Ctx &ctx);

} // namespace lld::cuda

#endif
