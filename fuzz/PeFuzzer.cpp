//===- PeFuzzer.cpp - Fuzzes what cubin-prune changes of PE ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes what cubin-prune changes in a Windows program besides its device
/// code, such as the checksum (tools/cubin-prune/PeFile.h). libFuzzer calls
/// LLVMFuzzerTestOneInput() with each input that it makes, in runs of
/// scripts/fuzz.sh; an input is a PE file. All changes must lie within the
/// file.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "PeFile.h"
#include "lld-cuda/Object/HostObject.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  StringRef data(reinterpret_cast<const char *>(bytes), size);
  if (!isPeImage(data))
    return 0;
  for (bool removesSignature : {false, true}) {
    std::vector<Replacement> list;
    if (llvm::Error e = addPeChanges(data, removesSignature, list))
      requireText(std::move(e));
    for (const Replacement &change : list)
      require(change.offset <= size && change.size <= size - change.offset);
  }
  return 0;
}
