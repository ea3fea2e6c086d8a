//===- OffloadBinary.h - Device code from clang's offloading ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Clang's new offloading driver puts device code into the section
/// .llvm.offloading of host objects: one binary for each architecture, several
/// of them one behind the other. A binary has a header, an entry that says
/// where its image and its strings are, and strings in pairs: "arch" "sm_90".
///
/// LLVM's own reader trusts the offsets in it.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_OFFLOADBINARY_H
#define LLD_CUDA_OBJECT_OFFLOADBINARY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace lld::cuda {

/// Values are those in the files.
enum class OffloadKind : uint16_t {
  None = 0,
  Object = 1,
  Bitcode = 2,
  Cubin = 3,
  Fatbin = 4,
  PTX = 5
};

struct OffloadImage {
  OffloadKind kind; ///< May be a value outside the enumeration.
  llvm::StringRef triple, arch;
  llvm::StringRef data;

  bool isForNvidia() const { return triple.starts_with("nvptx"); }
};

/// All images of a section, in order.
llvm::Expected<std::vector<OffloadImage>>
readOffloadImages(llvm::StringRef section);

/// A file that is what such a section holds.
bool isOffloadBinary(llvm::StringRef data);

/// LLVM's intermediate representation, plain or in its wrapper.
bool isBitcode(llvm::StringRef data);

} // namespace lld::cuda

#endif
