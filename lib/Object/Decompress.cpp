//===- Decompress.cpp - Compressed payloads of fatbins ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The four compressions of fatbin entries. An entry says how large its payload
/// will be; the claim is bounded before memory is taken for it, no decoder can
/// write more than it, and a decoder that writes less is an error as well.
///
//===----------------------------------------------------------------------===//

#include "ObjectError.h"
#include "lld-cuda/Object/Fatbin.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/MathExtras.h"
#include <climits>
#include <lz4.h>
#include <lz4frame.h>

using namespace llvm;

namespace lld::cuda {

namespace {

using Decoder = Error (*)(ArrayRef<uint8_t> in, MutableArrayRef<uint8_t> out,
                          size_t &written);

Error decodeZlib(ArrayRef<uint8_t> in, MutableArrayRef<uint8_t> out,
                 size_t &written) {
  return compression::zlib::decompress(in, out.data(), written);
}

/// Takes several frames, and skippable ones between them.
Error decodeZstd(ArrayRef<uint8_t> in, MutableArrayRef<uint8_t> out,
                 size_t &written) {
  return compression::zstd::decompress(in, out.data(), written);
}

Error decodeLz4Block(ArrayRef<uint8_t> in, MutableArrayRef<uint8_t> out,
                     size_t &written) {
  if (in.size() > INT_MAX || out.size() > INT_MAX)
    return malformed("block is larger than 2 GiB");
  int size = LZ4_decompress_safe(reinterpret_cast<const char *>(in.data()),
                                 reinterpret_cast<char *>(out.data()),
                                 int(in.size()), int(out.size()));
  if (size < 0)
    return malformed("block is damaged at or before byte {0}", -size - 1);
  written = size;
  return Error::success();
}

/// One frame, and nothing behind it.
Error decodeLz4Frame(ArrayRef<uint8_t> in, MutableArrayRef<uint8_t> out,
                     size_t &written) {
  LZ4F_dctx *context = nullptr;
  size_t rc = LZ4F_createDecompressionContext(&context, LZ4F_VERSION);
  if (LZ4F_isError(rc))
    return malformed("{0}", LZ4F_getErrorName(rc));
  size_t inPos = 0, outPos = 0;
  do {
    size_t inSize = in.size() - inPos, outSize = out.size() - outPos;
    rc = LZ4F_decompress(context, out.data() + outPos, &outSize,
                         in.data() + inPos, &inSize, nullptr);
    inPos += inSize;
    outPos += outSize;
    // No progress: the input or the room for the output is used up.
    if (!inSize && !outSize)
      break;
  } while (rc != 0 && !LZ4F_isError(rc));
  LZ4F_freeDecompressionContext(context);
  written = outPos;
  if (LZ4F_isError(rc))
    return malformed("{0}", LZ4F_getErrorName(rc));
  if (rc != 0)
    return malformed(inPos == in.size() ? "frame is cut"
                                        : "frame is larger than stated");
  if (inPos != in.size())
    return malformed("{0} bytes follow the frame", in.size() - inPos);
  return Error::success();
}

} // namespace

Error decompress(const FatbinEntry &entry, const DecompressLimits &limits,
                 SmallVectorImpl<uint8_t> &out) {
  struct Method {
    FatbinFlags flag;
    const char *name;
    Decoder decode;
  };
  static constexpr Method methods[] = {
      {FATBIN_ZLIB, "zlib", decodeZlib},
      {FATBIN_LZ4_BLOCK, "LZ4", decodeLz4Block},
      {FATBIN_LZ4_FRAME, "LZ4 frame", decodeLz4Frame},
      {FATBIN_ZSTD, "zstd", decodeZstd},
  };
  out.clear();
  if (entry.flags & FATBIN_LTO_SCRAMBLED)
    return malformed("compressed LTO IR is scrambled and cannot be read");
  const Method *method = nullptr;
  for (const Method &m : methods)
    if (!method && entry.flags & m.flag)
      method = &m;
  if (!method)
    return malformed("payload is not compressed");

  uint64_t size = entry.uncompressedSize;
  if (size > limits.maxSize &&
      size >
          SaturatingMultiply<uint64_t>(limits.maxRatio, entry.payload.size()))
    return malformed("uncompressed size {0:x} is more than {1} times the "
                     "compressed size {2:x}",
                     size, limits.maxRatio, entry.payload.size());

  out.resize_for_overwrite(size);
  size_t written = size;
  Error error = method->decode(arrayRefFromStringRef(entry.payload),
                               MutableArrayRef<uint8_t>(out), written);
  if (!error && written != size)
    error = malformed("{0:x} bytes instead of the stated {1:x}", written, size);
  if (!error)
    return Error::success();
  out.clear();
  return malformed("{0}: uncompress failed: {1}", method->name,
                   toString(std::move(error)));
}

} // namespace lld::cuda
