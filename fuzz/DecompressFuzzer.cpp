//===- DecompressFuzzer.cpp - Fuzzes the decoders of fatbins --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the decoders of compressed fatbin entries (decompress() of
/// lib/Object/Fatbin.h). libFuzzer calls LLVMFuzzerTestOneInput() with each
/// input that it makes, in runs of scripts/fuzz.sh. The input is a byte that
/// chooses the method, two that are the claimed size, and the payload. A
/// decoder must return an error, or exactly the claimed number of bytes.
///
//===----------------------------------------------------------------------===//

#include "FuzzUtils.h"
#include "lld-cuda/Object/Fatbin.h"
#include "llvm/ADT/StringExtras.h"

using namespace lld::cuda;
using namespace lld::cuda::fuzz;
using llvm::StringRef;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (size < 3)
    return 0;
  FatbinEntry entry = {};
  entry.flags = uint64_t(FATBIN_ZLIB) << (bytes[0] & 3);
  entry.uncompressedSize = bytes[1] | bytes[2] << 8;
  entry.payload =
      StringRef(reinterpret_cast<const char *>(bytes), size).substr(3);
  llvm::SmallVector<uint8_t, 0> out;
  constexpr uint64_t limit = 4096;
  if (llvm::Error error = decompress(entry, limit, out)) {
    require(out.empty());
    requireText(std::move(error));
    return 0;
  }
  require(out.size() == entry.uncompressedSize);
  require(out.size() <= limit);
  touch(llvm::toStringRef(out));
  return 0;
}
