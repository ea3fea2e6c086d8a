//===- FileMutator.cpp - Mutations for readers of files -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For fuzz targets whose input is a file: half of the mutations keep its
/// structure, the others are libFuzzer's.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include <cstring>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  if (seed % 2 == 0) {
    std::string bytes(reinterpret_cast<const char *>(data), size);
    if (lld::cuda::fuzz::mutateStructure(bytes, seed / 2)) {
      std::memcpy(data, bytes.data(), size);
      return size;
    }
  }
  return LLVMFuzzerMutate(data, size, maxSize);
}
