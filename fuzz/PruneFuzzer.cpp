//===- PruneFuzzer.cpp - Fuzzes cubin-prune as a whole --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes cubin-prune without its command line (pruneFile()). libFuzzer calls
/// LLVMFuzzerTestOneInput() with each input that it makes, in runs of
/// scripts/fuzz.sh. The input's first byte says what is to be removed, the rest
/// is a file: a cubin, a fatbin, an archive, a host object or a program with
/// any of them. The result must have exactly the images that pruneFile()
/// promises, or be refused with an error.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "PruneFile.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

static void choose(uint8_t bits, Selection &selection) {
  const auto none = [](llvm::Error e) { require(!e); };
  if (bits & 1)
    none(selection.keep("sm_9*,ptx"));
  if (bits & 2)
    none(selection.drop("sm_80,lto"));
  if (bits & 4)
    none(selection.cubins.kernels.keep("*k*"));
  selection.cubins.dropsDebug = bits & 8;
  selection.usesOwnImage = bits & 16;
  selection.dropsRelocatable = bits & 32;
  selection.removesSignature = bits & 64;
  if (bits & 128)
    selection.compression = FatbinCompression::Speed;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (!size)
    return 0;
  Selection selection;
  choose(bytes[0], selection);
  StringRef data(reinterpret_cast<const char *>(bytes) + 1, size - 1);
  auto targets = listLinkedTargets({data, "file"});
  if (!targets)
    requireText(targets.takeError());
  auto pruned = pruneFile({data, "file"}, selection);
  if (!pruned) {
    requireText(pruned.takeError());
    return 0;
  }
  const std::string output = pruned->output.flatten();
  require(output.size() == pruned->output.size());
  if (llvm::Error e = checkImages({output, "output"}, pruned->expected)) {
    // Said instead of written: an input that can't be pruned soundly.
    requireText(std::move(e));
    return 0;
  }
  touch(output);
  return 0;
}
