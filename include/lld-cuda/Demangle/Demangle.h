//===- Demangle.h - C++ names of symbols ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Functions that turn mangled symbol names into C++ names for people: in
/// nvlink's form, for the dump of the call graph, and in LLVM's form, for
/// ld.cuda's messages and for reports. The linker (lld-cuda/Messages, Explain,
/// Report), lib/Resources, cubin-size and cubin-prune call them when they show
/// a symbol's name, or compare it with one that the user has written.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DEMANGLE_DEMANGLE_H
#define LLD_CUDA_DEMANGLE_DEMANGLE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lld::cuda {

/// Returns the name in the style of nvlink's -dump-callgraph, or unchanged if
/// it isn't mangled or nvlink can't demangle it either.
std::string demangleLikeNvlink(llvm::StringRef name);

/// Returns the name in LLVM's style, which is easier to read: it shows types in
/// place of T1. The suffix that makes a static function's name unique is
/// removed.
std::string demangleDeviceName(llvm::StringRef name);

/// Omits the template arguments and parameters of a demangled name of more than
/// 80 characters: `void f<...>(...)`. Used for a name that was shown in full
/// before.
std::string shortenName(llvm::StringRef demangled);

/// Returns whether LLVM's demangler needs at most a few megabytes for the name.
bool isSafeToDemangle(llvm::StringRef name);

} // namespace lld::cuda

#endif
