//===- ToolOptions.h - Options that all tools have --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The options that cubin-dump, -diff, -size, -check and -prune have in common:
/// --memory-limit, --time-limit and --sandbox. Each tool's main function adds
/// them before it parses its command line, and applies them after that, before
/// it reads a file.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_TOOLOPTIONS_H
#define LLD_CUDA_SUPPORT_TOOLOPTIONS_H

#include "lld-cuda/Support/Sandbox.h"
#include "llvm/Support/CommandLine.h"

namespace lld::cuda {

/// Makes a tool's own options those of the program. If several tools are linked
/// into one program (tools/cubin-tools), each declares its options with
/// cl::sub(), since two tools may have options of the same name; the tool that
/// runs calls this first.
void useToolOptions(llvm::cl::SubCommand &ownOptions);

/// Adds the options to LLVM's CommandLine. Limits already count from this call
/// on, before response files are read. `program`, the name in messages, isn't
/// copied.
void addToolOptions(llvm::cl::OptionCategory &category, const char *program,
                    int argc, char **argv);

/// Applies the options' values, also those from response files. Called after
/// the command line is parsed. Returns false, with a message, if --sandbox=yes
/// can't be fulfilled.
bool applyToolOptions(const SandboxRules &rules);

} // namespace lld::cuda

#endif
