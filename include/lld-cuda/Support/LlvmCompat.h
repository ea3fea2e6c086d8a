//===- LlvmCompat.h - Differences of LLVM releases --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Wrappers for the interfaces of LLVM that differ between releases, from LLVM
/// 19 on. Readers of debug information (lib/FinalCode), lld-cuda-lto, the cache
/// and what undoes a call use them instead of LLVM's own, so that all other
/// files are the same for every release.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_LLVMCOMPAT_H
#define LLD_CUDA_SUPPORT_LLVMCOMPAT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/Error.h"
#include <string>
#include <type_traits>
#include <utility>

namespace llvm {
class Triple;
}

/// The header that declares PassPlugin, which LLVM 22 moved.
#if LLVM_VERSION_MAJOR >= 22
#define LLD_CUDA_PASS_PLUGIN_H "llvm/Plugins/PassPlugin.h"
#else
#define LLD_CUDA_PASS_PLUGIN_H "llvm/Passes/PassPlugin.h"
#endif

namespace lld::cuda {

/// The type in which LLVM's functions take a target triple.
using TripleArgument =
    std::conditional_t<(LLVM_VERSION_MAJOR >= 22), llvm::Triple, std::string>;

/// Returns a reader of a cubin's bytes (little-endian, addresses of 8 bytes).
/// Before LLVM 23 its constructor took the size of addresses.
inline llvm::DataExtractor extractData(llvm::StringRef data) {
#if LLVM_VERSION_MAJOR >= 23
  return {data, /*IsLittleEndian=*/true};
#else
  return {data, /*IsLittleEndian=*/true, /*AddressSize=*/8};
#endif
}
inline llvm::DataExtractor extractData(llvm::ArrayRef<uint8_t> data) {
  return extractData(llvm::toStringRef(data));
}

/// Returns an object that calls a function at the end of its scope, unless it
/// is told to release() it. make_scope_exit() is deprecated since LLVM 22, and
/// 24 has none; older releases don't have the class's name for users.
template <typename Callable>
[[nodiscard]] auto atScopeExit(Callable &&function) {
#if LLVM_VERSION_MAJOR >= 22
  return llvm::scope_exit(std::forward<Callable>(function));
#else
  return llvm::make_scope_exit(std::forward<Callable>(function));
#endif
}

/// For a result that doesn't matter. pruneCache() returns a bool, since LLVM 23
/// one that has to be asked whether it is an error.
inline void ignoreResult(bool) {}
inline void ignoreResult(llvm::Expected<bool> result) {
  if (!result)
    llvm::consumeError(result.takeError());
}

} // namespace lld::cuda

#endif
