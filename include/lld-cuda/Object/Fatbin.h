//===- Fatbin.h - Parser of fatbins -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parser of fatbins: containers with a header of 16 bytes and entries (cubins,
/// PTX, LTO IR), each with a header of 64 bytes or more and a payload that may
/// be compressed. The linker reads with it each fatbin in an input
/// (UnpackFiles.cpp, InputStore.cpp), and takes the entry that
/// chooseFatbinEntry() selects; the tools list all entries (lib/Finished,
/// cubin-prune). The layout is in docs/reference (rule [fatbin-format]):
/// little-endian, aligned to 8 bytes.
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

/// What an entry's payload is.
enum class FatbinKind : uint16_t {
  PTX = 1,
  ELF = 2,
  LTOIR = 8,
  Mercury = 16,
  TileIR = 0x80, ///< Bytecode of tiles; no link accepts it.
  /// Several images in one payload; FatbinReader has an entry for each.
  Concatenated = 0x100,
};

/// Bits of an entry's flags.
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
  /// A cubin that holds its code also in NVIDIA's "Mercury" form
  /// (docs/reference/mercury.md).
  FATBIN_MERCURY = 0x1000000,
  FATBIN_COMPRESSED =
      FATBIN_ZLIB | FATBIN_LZ4_BLOCK | FATBIN_LZ4_FRAME | FATBIN_ZSTD,
};

/// An entry of a fatbin, or one image of a concatenated entry. The strings are
/// slices of the fatbin.
struct FatbinEntry {
  FatbinKind kind; ///< May be a value outside the enumeration.
  uint64_t offset; ///< Offset of the entry's header in the fatbin.
  elf::Architecture arch;
  uint64_t flags;
  uint16_t versionMajor, versionMinor;
  llvm::StringRef identifier; ///< Empty if there is none.
  /// PTX, LTO IR: the command line of the compilation, without a NUL.
  llvm::StringRef options;
  /// Cubins: copy of the .nv.compat section, not checked.
  llvm::StringRef compat;
  /// The payload as stored, a slice of the fatbin. A compressed one has no
  /// padding; the length of another one is a multiple of 8, since fatbins don't
  /// record the exact length.
  llvm::StringRef payload;
  /// Size of the decompressed payload in bytes, as the header claims.
  uint64_t uncompressedSize;
  /// Offset and size, in bytes, of the image in the decompressed payload, which
  /// several images share [fatbin-concatenated].
  uint64_t imageOffset, imageSize;
  bool isConcatenated;
  /// Only for a concatenated image: its own description, laid out like an
  /// entry's header with extensions, except for what that says of size and
  /// compression.
  llvm::StringRef description;

  bool is64Bit() const { return flags & FATBIN_64BIT; }
  bool isCompressed() const { return flags & FATBIN_COMPRESSED; }
};

/// Payloads of up to this many decompressed bytes are decompressed without a
/// further check. A larger one has to begin like its kind of image.
constexpr uint64_t SmallPayload = uint64_t(64) << 20;

/// Returns how many bytes may be in memory after decompressing: --memory-limit,
/// or else half of the memory that this process may use, but at least
/// SmallPayload.
uint64_t decompressLimit();

/// Checks the header of the fatbin at the start of `data` and returns the
/// fatbin's size, which is at most that of `data`.
llvm::Expected<uint64_t> getFatbinSize(llvm::StringRef data);

/// The entries of one fatbin.
class FatbinReader {
public:
  /// Reads the fatbin at the start of `data`; bytes after it are ignored (see
  /// size()). Checks every entry's header, and the extensions of the kinds that
  /// have known ones. `data` must outlive the reader.
  static llvm::Expected<FatbinReader> create(llvm::StringRef data);

  llvm::ArrayRef<FatbinEntry> entries() const { return list; }
  /// Returns the number of bytes from the magic number to the end of the last
  /// entry.
  uint64_t size() const { return bytes; }

private:
  std::vector<FatbinEntry> list;
  uint64_t bytes = 0;
};

/// Decompresses the payload of a compressed entry into `out`, whose old
/// contents are dropped; of a concatenated payload, only the entry's own image
/// remains there. It is an error if the payload doesn't have exactly
/// `entry.uncompressedSize` bytes. If several compression flags are set, the
/// lowest one is used.
///
/// Compilers write data that compress to almost nothing, e.g. a large variable
/// with one value that isn't zero. So the size is limited only by what the
/// compression method can reach at best, and by `allow`, which gets the size
/// before memory is allocated and returns an error if it is too large.
llvm::Error decompress(const FatbinEntry &entry,
                       llvm::function_ref<llvm::Error(uint64_t)> allow,
                       llvm::SmallVectorImpl<uint8_t> &out);
llvm::Error decompress(const FatbinEntry &entry, uint64_t maxSize,
                       llvm::SmallVectorImpl<uint8_t> &out);

/// Returns the index of the entry that a link for `target` takes, or -1 (rule
/// [fatbin-choice] of docs/reference). `toolkit` decides which architectures
/// link with each other. With `wantLTO`, LTO IR is preferred.
int chooseFatbinEntry(llvm::ArrayRef<FatbinEntry> entries,
                      elf::Architecture target, unsigned toolkit,
                      bool wantLTO = false);

} // namespace lld::cuda

#endif
