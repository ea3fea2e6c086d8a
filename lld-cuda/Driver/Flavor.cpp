//===- Flavor.cpp - Whose command line a program's name stands for --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The linker reads two kinds of command lines, nvlink's and that of ld
/// programs (ld.cuda), and the name under which it was started says which.
/// readCommandLine() in Driver.cpp asks before it looks at any word, since
/// messages about the words have the flavour's form, too; device links ask as
/// well. The option -flavor, as the first word, overrules the name.
///
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"

using namespace llvm;

namespace lld::cuda {

/// Any name is nvlink's but those under which lld and clang look for a linker.
Flavor flavorOf(StringRef programPath) {
  const StringRef name = programPath.drop_front(programPath.rfind('/') + 1);
  return name.contains("ld.cuda") || name.contains("clang-nvlink-wrapper")
             ? Flavor::LLD
             : Flavor::Nvlink;
}

} // namespace lld::cuda
