//===- OffloadFuzzer.cpp - Fuzzes the reader of offloading sections -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
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
