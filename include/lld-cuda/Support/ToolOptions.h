//===- ToolOptions.h - Options that all tools have --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The options that cubin-dump, -diff, -size, -check and -prune have in common.
/// Each tool's main function adds them before it parses its command line, and
/// applies them after that, before it reads a file.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_TOOLOPTIONS_H
#define LLD_CUDA_SUPPORT_TOOLOPTIONS_H

#include "lld-cuda/Support/Sandbox.h"
#include "llvm/Support/CommandLine.h"

namespace lld::cuda {

/// Tools that are one program have their options in lists of their own, made
/// with cl::sub(): two may have one of the same name. This makes a tool's own
/// options the program's.
void useToolOptions(llvm::cl::SubCommand &ownOptions);

/// --memory-limit, --time-limit and --sandbox, for programs whose options
/// LLVM's CommandLine reads. Limits count from where they are added, before
/// files of options are read. `program` is kept.
void addToolOptions(llvm::cl::OptionCategory &category, const char *program,
                    int argc, char **argv);

/// What they say, those in files of options, too. For after the options are
/// read. False, with a message, if that can't be.
bool applyToolOptions(const SandboxRules &rules);

} // namespace lld::cuda

#endif
