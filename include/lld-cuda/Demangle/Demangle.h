//===- Demangle.h - C++ names as nvlink prints them -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// C++ names for people: as nvlink prints them in call graphs and messages, and
/// as LLVM does, for reports, pages and ld.cuda's messages. Whoever prints a
/// symbol's name calls one of these just before.
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
