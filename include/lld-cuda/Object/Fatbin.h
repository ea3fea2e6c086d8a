//===- Fatbin.h - The fatbin container --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reader of fatbins: a 16-byte header and entries (cubins, PTX, LTO IR), each
/// with a header of 64 bytes or more and a payload that may be compressed.
/// Layouts: [fatbin-format]. Little endian, 8-byte aligned.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_FATBIN_H
#define LLD_CUDA_OBJECT_FATBIN_H

#include "lld-cuda/BinaryFormat/Architectures.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <cstdint>
#include <vector>

namespace lld::cuda {

constexpr uint32_t FatbinMagic = 0xba55ed50;

enum class FatbinKind : uint16_t {
  PTX = 1,
  ELF = 2,
  LTOIR = 8,
  Mercury = 16,
  TileIR = 0x80,        ///< Bytecode of tiles; no link takes it.
  Concatenated = 0x100, ///< Several images; the reader shows each as an entry.
};

enum FatbinFlags : uint64_t {
  FATBIN_64BIT = 0x1,
  FATBIN_DEBUG = 0x2,
  FATBIN_ZLIB = 0x1000,
  FATBIN_LZ4_BLOCK = 0x2000,
  FATBIN_LZ4_FRAME = 0x4000,
  FATBIN_ZSTD = 0x8000,
  FATBIN_LTO_SCRAMBLED = 0x10000, ///< Only NVIDIA's LTO compiler can read it.
  FATBIN_ACCELERATED = 0x100000,  ///< "a" architecture.
  FATBIN_FAMILY = 0x200000,       ///< "f" architecture.
  FATBIN_MERCURY = 0x1000000,     ///< A cubin with a Mercury view.
  FATBIN_COMPRESSED =
      FATBIN_ZLIB | FATBIN_LZ4_BLOCK | FATBIN_LZ4_FRAME | FATBIN_ZSTD,
};

struct FatbinEntry {
  FatbinKind kind; ///< May be a value outside the enumeration.
  uint64_t
      offset; ///< Where the entry's header is, from the start of the fatbin.
  elf::Architecture arch;
  uint64_t flags;
  uint16_t versionMajor, versionMinor;
  llvm::StringRef identifier; ///< Empty if there is none.
  llvm::StringRef options;    ///< PTX, LTO: compile's command line; no NUL.
  llvm::StringRef compat;     ///< Cubins: copy of .nv.compat, unchecked.
  /// As stored. Without padding if it is compressed; else the length is a
  /// multiple of 8, since fatbins don't keep the real one.
  llvm::StringRef payload;
  uint64_t uncompressedSize; ///< The payload's, as the header claims.
  /// Where the image is in the decompressed payload, which several share
  /// [fatbin-concatenated].
  uint64_t imageOffset, imageSize;
  bool isConcatenated;
  /// A concatenated image has one: laid out like the header of an entry by
  /// itself, with extensions, but for what it says of size and compression.
  llvm::StringRef description;

  bool is64Bit() const { return flags & FATBIN_64BIT; }
  bool isCompressed() const { return flags & FATBIN_COMPRESSED; }
};

/// What may be decompressed without a thought. What is larger has to begin like
/// what it says it is.
constexpr uint64_t SmallPayload = uint64_t(64) << 20;

/// What is in memory after decompressing, at most: --memory-limit, or half of
/// the memory that this process may use.
uint64_t decompressLimit();

/// Checks the outer header of the fatbin at the start of `data` and returns the
/// fatbin's size, which is at most that of `data`.
llvm::Expected<uint64_t> getFatbinSize(llvm::StringRef data);

class FatbinReader {
public:
  /// Reads the fatbin at the start of `data`; bytes behind it are not looked
  /// at, size() says where it ends. Checks every entry header, and the
  /// extensions of the kinds that have known ones. `data` must outlive the
  /// reader.
  static llvm::Expected<FatbinReader> create(llvm::StringRef data);

  llvm::ArrayRef<FatbinEntry> entries() const { return list; }
  /// Bytes from the magic to the end of the last entry.
  uint64_t size() const { return bytes; }

private:
  std::vector<FatbinEntry> list;
  uint64_t bytes = 0;
};

/// The payload of a compressed entry, or its part of one, decoded into `out`,
/// whose old contents are dropped. What is decoded has exactly
/// `entry.uncompressedSize` bytes, else it is an error. If several compression
/// flags are set, the lowest one decides.
///
/// Compilers write data that compress almost to nothing, e.g. a large variable
/// with one value that isn't zero. So there is no limit but what the method can
/// do at best, and what `allow` says of the size.
llvm::Error decompress(const FatbinEntry &entry,
                       llvm::function_ref<llvm::Error(uint64_t)> allow,
                       llvm::SmallVectorImpl<uint8_t> &out);
llvm::Error decompress(const FatbinEntry &entry, uint64_t maxSize,
                       llvm::SmallVectorImpl<uint8_t> &out);

/// Index of the entry that a link for `target` takes, or -1 [fatbin-choice].
/// `toolkit`: which architectures link with which. `wantLTO`: LTO IR is
/// preferred.
int chooseFatbinEntry(llvm::ArrayRef<FatbinEntry> entries,
                      elf::Architecture target, unsigned toolkit,
                      bool wantLTO = false);

} // namespace lld::cuda

#endif
