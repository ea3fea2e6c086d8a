//===- DecompressFuzzer.cpp - Fuzzes the decoders of fatbins --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fuzzes the decoders of compressed fatbin entries (decompress() of
/// lib/Object/Fatbin.h). libFuzzer calls LLVMFuzzerTestOneInput() with each
/// input that it makes, in runs of scripts/fuzz.sh. The input is a byte, two
/// that are the claimed size, and the payload. The byte's bits: 0 and 1 choose
/// the method; 2 makes the size 64 Ki times as large; 3 and 4 choose a kind of
/// image; 5 appends zeros to the payload, so that a large size can be true; 6
/// says that the image is one of several, the last byte of all. A decoder must
/// return an error, or exactly the claimed number of bytes.
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
  if (bytes[0] & 4)
    entry.uncompressedSize <<= 16;
  constexpr FatbinKind Kinds[] = {FatbinKind::ELF, FatbinKind::PTX,
                                  FatbinKind::LTOIR, FatbinKind::TileIR};
  entry.kind = Kinds[bytes[0] >> 3 & 3];
  std::string payload(reinterpret_cast<const char *>(bytes) + 3, size - 3);
  if (bytes[0] & 32)
    payload.resize(512 << 10);
  entry.payload = payload;
  entry.isConcatenated = bytes[0] & 64 && entry.uncompressedSize;
  if (entry.isConcatenated) {
    entry.imageOffset = entry.uncompressedSize - 1;
    entry.imageSize = 1;
  }
  llvm::SmallVector<uint8_t, 0> out;
  constexpr uint64_t limit = 4096;
  if (llvm::Error error = decompress(entry, limit, out)) {
    require(out.empty());
    requireText(std::move(error));
    return 0;
  }
  require(out.size() ==
          (entry.isConcatenated ? entry.imageSize : entry.uncompressedSize));
  require(out.size() <= limit);
  touch(llvm::toStringRef(out));
  return 0;
}
