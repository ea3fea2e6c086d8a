//===- Decompress.cpp - Compressed payloads of fatbins --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decompresses a fatbin's entries, in four formats: zlib, zstd, and LZ4 as a
/// block or with frames. The linker calls decompress() for the entry that a
/// link takes (UnpackFiles.cpp, InputStore.cpp), the tools for each image that
/// they look at. An entry says how large its payload will be, and may lie. So
/// the size is bounded by what the format can reach at best; more than 64 MiB
/// are allocated only if the payload's beginning, decompressed, looks like an
/// image of its kind; no decoder can write more than the stated size, and one
/// that writes less is an error as well.
///
//===----------------------------------------------------------------------===//

#include "ObjectError.h"
#include "lld-cuda/Object/Cubin.h"
#include "lld-cuda/Object/Fatbin.h"
#include "lld-cuda/Support/Limits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <atomic>
#include <climits>
#include <lz4.h>
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

using namespace llvm;

namespace lld::cuda {

namespace {

using DecodeFunction = Error (*)(ArrayRef<uint8_t> in,
                                 MutableArrayRef<uint8_t> out, size_t &written);

Error decodeZlib(ArrayRef<uint8_t> in, MutableArrayRef<uint8_t> out,
                 size_t &written) {
  Error error = compression::zlib::decompress(in, out.data(), written);
  if (!error)
    return Error::success();
  const std::string text = toString(std::move(error));
  if (StringRef(text).contains("Z_MEM_ERROR"))
    report_bad_alloc_error("no memory for a decoder");
  return createStringError(text);
}

/// Decoders that no thread uses at the moment. They are kept: zstd asks the
/// processor for its features when it makes one, and where a hypervisor
/// answers, that takes longer than to decompress a small entry. A thread-local
/// decoder would need memory for its destructor, without which glibc ends the
/// process; a lock might be held when the process forks.
class ZstdContexts {
public:
  ~ZstdContexts() {
    for (std::atomic<ZSTD_DCtx *> &kept : contexts)
      if (kept.load(std::memory_order_relaxed))
        ZSTD_freeDCtx(kept.exchange(nullptr));
  }

  /// Returns null if there is no memory for one.
  ZSTD_DCtx *take() {
    for (std::atomic<ZSTD_DCtx *> &kept : contexts)
      if (kept.load(std::memory_order_relaxed))
        if (ZSTD_DCtx *context =
                kept.exchange(nullptr, std::memory_order_acquire))
          return context;
    return ZSTD_createDCtx();
  }

  void giveBack(ZSTD_DCtx *context) {
    for (std::atomic<ZSTD_DCtx *> &kept : contexts) {
      ZSTD_DCtx *none = nullptr;
      if (kept.compare_exchange_strong(none, context, std::memory_order_release,
                                       std::memory_order_relaxed))
        return;
    }
    ZSTD_freeDCtx(context);
  }

private:
  /// More threads than this seldom decompress at once.
  std::array<std::atomic<ZSTD_DCtx *>, 64> contexts = {};
};

ZstdContexts zstdContexts;

/// Takes several frames, and skippable ones between them.
Error decodeZstd(ArrayRef<uint8_t> in, MutableArrayRef<uint8_t> out,
                 size_t &written) {
  ZSTD_DCtx *context = zstdContexts.take();
  if (!context) // That isn't the input's fault.
    report_bad_alloc_error("no memory for a decoder");
  written = ZSTD_decompressDCtx(context, out.data(), out.size(), in.data(),
                                in.size());
  zstdContexts.giveBack(context);
  if (ZSTD_isError(written))
    return malformed("{0}", ZSTD_getErrorName(written));
  return Error::success();
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

Error lz4Error(size_t code) {
  const StringRef name = LZ4F_getErrorName(code);
  if (name.contains("allocation"))
    report_bad_alloc_error("no memory for a decoder");
  return malformed("{0}", name);
}

/// One frame, and nothing behind it.
Error decodeLz4Frame(ArrayRef<uint8_t> in, MutableArrayRef<uint8_t> out,
                     size_t &written) {
  LZ4F_dctx *context = nullptr;
  size_t rc = LZ4F_createDecompressionContext(&context, LZ4F_VERSION);
  if (LZ4F_isError(rc))
    return lz4Error(rc);
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
    return lz4Error(rc);
  if (rc != 0)
    return malformed(inPos == in.size() ? "frame is cut off"
                                        : "frame is larger than stated");
  if (inPos != in.size())
    return malformed("{0} bytes follow the frame", in.size() - inPos);
  return Error::success();
}

/// Decompresses the beginning of a payload, at most `out.size()` bytes. Returns
/// how many bytes it has written; 0 if the beginning can't be known.
size_t peekZlib(ArrayRef<uint8_t> in, MutableArrayRef<uint8_t> out) {
  z_stream stream = {};
  if (inflateInit(&stream) != Z_OK)
    return 0;
  stream.next_in = const_cast<uint8_t *>(in.data());
  stream.avail_in = std::min<size_t>(in.size(), UINT_MAX);
  stream.next_out = out.data();
  stream.avail_out = out.size();
  inflate(&stream, Z_SYNC_FLUSH);
  inflateEnd(&stream);
  return out.size() - stream.avail_out;
}

size_t peekLz4Block(ArrayRef<uint8_t> in, MutableArrayRef<uint8_t> out) {
  int size =
      LZ4_decompress_safe_partial(reinterpret_cast<const char *>(in.data()),
                                  reinterpret_cast<char *>(out.data()),
                                  int(std::min<size_t>(in.size(), INT_MAX)),
                                  int(out.size()), int(out.size()));
  return size < 0 ? 0 : size;
}

size_t peekLz4Frame(ArrayRef<uint8_t> in, MutableArrayRef<uint8_t> out) {
  size_t written = 0;
  consumeError(decodeLz4Frame(in, out, written));
  return written;
}

size_t peekZstd(ArrayRef<uint8_t> in, MutableArrayRef<uint8_t> out) {
  ZSTD_DCtx *context = ZSTD_createDCtx();
  if (!context)
    return 0;
  // Frames of fatbinary have a window as large as their contents.
  ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax,
                         ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
  ZSTD_inBuffer input = {in.data(), in.size(), 0};
  ZSTD_outBuffer output = {out.data(), out.size(), 0};
  size_t rc;
  do
    rc = ZSTD_decompressStream(context, &output, &input);
  while (!ZSTD_isError(rc) && rc && output.pos != output.size &&
         input.pos != input.size);
  ZSTD_freeDCtx(context);
  return output.pos;
}

/// Whether something of that kind and size can begin so.
bool isPlausible(FatbinKind kind, StringRef begin, uint64_t size) {
  if (kind == FatbinKind::PTX)
    return all_of(begin, [](char c) { return isPrint(c) || isSpace(c); });
  if (kind != FatbinKind::ELF || begin.size() < sizeof(Elf_Ehdr))
    return true;
  auto &header = *reinterpret_cast<const Elf_Ehdr *>(begin.data());
  return header.checkMagic() && header.e_shoff <= size &&
         uint64_t(header.e_shnum) * sizeof(Elf_Shdr) <= size - header.e_shoff;
}

} // namespace

uint64_t decompressLimit() {
  if (std::optional<uint64_t> limit = getMemoryLimit())
    return *limit;
  static const uint64_t limit =
      std::max(SmallPayload, getAvailableMemory() / 2);
  return limit;
}

Error decompress(const FatbinEntry &entry, uint64_t maxSize,
                 SmallVectorImpl<uint8_t> &out) {
  auto allow = [&](uint64_t size) {
    return size <= maxSize
               ? Error::success()
               : malformed("uncompressed size {0:x} is larger than the limit "
                           "of {1:x}; see --memory-limit",
                           size, maxSize);
  };
  return decompress(entry, allow, out);
}

Error decompress(const FatbinEntry &entry, function_ref<Error(uint64_t)> allow,
                 SmallVectorImpl<uint8_t> &out) {
  struct Method {
    FatbinFlags flag;
    const char *name;
    DecodeFunction decode;
    size_t (*peek)(ArrayRef<uint8_t>, MutableArrayRef<uint8_t>);
    uint64_t maxRatio; ///< What its format can do at best.
  };
  // Deflate: 258 bytes from two bits. LZ4: 255 from one byte. Zstd: a block of
  // 128 KiB from four.
  static constexpr Method methods[] = {
      {FATBIN_ZLIB, "zlib", decodeZlib, peekZlib, 1032},
      {FATBIN_LZ4_BLOCK, "LZ4", decodeLz4Block, peekLz4Block, 255},
      {FATBIN_LZ4_FRAME, "LZ4 frame", decodeLz4Frame, peekLz4Frame, 255},
      {FATBIN_ZSTD, "zstd", decodeZstd, peekZstd, 32768},
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

  ArrayRef<uint8_t> payload = arrayRefFromStringRef(entry.payload);
  const uint64_t size = entry.uncompressedSize;
  if (size > SaturatingMultiply<uint64_t>(method->maxRatio, payload.size()))
    return malformed("uncompressed size {0:x} is more than {1} can make of "
                     "{2:x} bytes",
                     size, method->name, payload.size());
  if (size > SmallPayload) {
    std::array<uint8_t, sizeof(Elf_Ehdr)> begin;
    const size_t length = method->peek(payload, begin);
    if (!isPlausible(entry.kind,
                     toStringRef(ArrayRef(begin).take_front(length)), size))
      return malformed("{0:x} bytes that don't begin like {1}", size,
                       entry.kind == FatbinKind::PTX ? "PTX" : "a cubin");
  }
  if (Error error = allow(size))
    return error;

  out.resize_for_overwrite(size);
  size_t written = size;
  Error error = method->decode(payload, MutableArrayRef<uint8_t>(out), written);
  if (!error && written != size)
    error = malformed("{0:x} bytes instead of the stated {1:x}", written, size);
  if (!error && entry.isConcatenated) {
    out.truncate(entry.imageOffset + entry.imageSize);
    out.erase(out.begin(), out.begin() + entry.imageOffset);
  }
  if (!error)
    return Error::success();
  out.clear();
  return malformed("{0}: uncompress failed: {1}", method->name,
                   toString(std::move(error)));
}

} // namespace lld::cuda
