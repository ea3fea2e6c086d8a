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

/// The name in the style of nvlink's -dump-callgraph. A name that is not
/// mangled, or in a way that nvlink doesn't read either, stays as it is.
std::string demangleLikeNvlink(llvm::StringRef name);

/// The name in LLVM's style; it is easier to read, for it shows types in place
/// of T1. Static functions' names lose what makes them unique.
std::string demangleDeviceName(llvm::StringRef name);

/// A demangled name of more than 80 characters without its template arguments
/// and parameters: `void f<...>(...)`. For a name that was shown in full
/// before.
std::string shortenName(llvm::StringRef demangled);

/// Whether LLVM's demangler needs no more than a few megabytes for the name.
bool isSafeToDemangle(llvm::StringRef name);

} // namespace lld::cuda

#endif
