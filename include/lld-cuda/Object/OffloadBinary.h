//===- OffloadBinary.h - Parser of clang's offload binaries -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parser of clang's offload binaries, in which clang's new offloading driver
/// puts device code into the section .llvm.offloading of host objects. The
/// linker calls it for each such section, and for inputs that are such binaries
/// (UnpackFiles.cpp, Identify.cpp); lib/Finished calls it when a tool lists the
/// images of a file. A section may have several binaries, one after the other.
/// A binary has a header, entries that say where an image and its strings are,
/// and pairs of strings: "arch" "sm_90". Version 1 has one entry; version 2,
/// which LLVM 23 writes, may have several, and says how long a string is.
/// Version 3, LLVM 24's, may be compressed, which isn't read.
///
/// LLVM's own reader isn't used because it trusts the offsets in the file.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_OFFLOADBINARY_H
#define LLD_CUDA_OBJECT_OFFLOADBINARY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace lld::cuda {

/// The kinds of image, with the values that the files have.
enum class OffloadKind : uint16_t {
  None = 0,
  Object = 1,
  Bitcode = 2,
  Cubin = 3,
  Fatbin = 4,
  PTX = 5
};

/// An image of a binary. The strings are slices of the section.
struct OffloadImage {
  OffloadKind kind; ///< May be a value outside the enumeration.
  llvm::StringRef triple, arch;
  llvm::StringRef data;

  bool isForNvidia() const { return triple.starts_with("nvptx"); }
};

/// Returns all images of a section, in order, as slices of it. Fails for
/// anything that isn't such a binary of a known version, for sizes and offsets
/// out of range, and for images that share bytes or strings.
llvm::Expected<std::vector<OffloadImage>>
readOffloadImages(llvm::StringRef section);

/// Returns whether `data` begins like an offload binary.
bool isOffloadBinary(llvm::StringRef data);

/// Returns whether `data` begins like LLVM bitcode, plain or in its wrapper.
bool isBitcode(llvm::StringRef data);

} // namespace lld::cuda

#endif
