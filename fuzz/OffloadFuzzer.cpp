//===- OffloadFuzzer.cpp - Fuzzes the reader of offload binaries ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the reader of clang's offload binaries (lib/Object/OffloadBinary.h).
/// libFuzzer calls LLVMFuzzerTestOneInput() with each input that it makes, in
/// runs of scripts/fuzz.sh; an input is the contents of a section
/// .llvm.offloading. The reader must return an error, or images whose data and
/// strings lie within the input.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Object/OffloadBinary.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  StringRef data(reinterpret_cast<const char *>(bytes), size);
  auto images = readOffloadImages(data);
  if (!images) {
    requireText(images.takeError());
    return 0;
  }
  for (const OffloadImage &image : *images) {
    requirePart(image.data, data);
    requirePart(image.triple, data);
    requirePart(image.arch, data);
  }
  return 0;
}
