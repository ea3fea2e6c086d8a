//===- FileMutator.cpp - Mutates inputs that are files --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tells libFuzzer how to make new inputs for fuzz targets whose input is a
/// file: for archives, cubins, fatbins, host objects and finished programs.
/// libFuzzer calls LLVMFuzzerCustomMutator() before each run of the target.
/// Half of the mutations keep the file's structure (StructureMutator.cpp), the
/// others are libFuzzer's own.
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
