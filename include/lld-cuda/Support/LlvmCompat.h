//===- LlvmCompat.h - What differs between releases of LLVM -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// lld-cuda is built with LLVM 19 and later. Whatever LLVM's interfaces have
/// changed since stands here, so that the other files are the same for all.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_LLVMCOMPAT_H
#define LLD_CUDA_SUPPORT_LLVMCOMPAT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/DataExtractor.h"
#include <string>
#include <type_traits>

namespace llvm {
class Triple;
}

/// PassPlugin.h moved in 22.
#if LLVM_VERSION_MAJOR >= 22
#define LLD_CUDA_PASS_PLUGIN_H "llvm/Plugins/PassPlugin.h"
#else
#define LLD_CUDA_PASS_PLUGIN_H "llvm/Passes/PassPlugin.h"
#endif

namespace lld::cuda {

/// What functions about a target take as its triple.
using TripleArgument =
    std::conditional_t<(LLVM_VERSION_MAJOR >= 22), llvm::Triple, std::string>;

/// Reads a cubin's data. Before 23 addresses had a size from the start.
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

} // namespace lld::cuda

#endif
