//===- Fatbin.h - The fatbin container --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reader of fatbins: a 16-byte header and entries (cubins, PTX, LTO IR), each
/// with a header of 64 bytes or more and a payload that may be compressed.
/// Layouts: spec, inputs, section 3. Little endian, 8-byte aligned.
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

enum class FatbinKind : uint16_t { PTX = 1, ELF = 2, LTOIR = 8, Mercury = 16 };

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
  uint64_t offset; ///< Of the entry header, from the start of the fatbin.
  elf::Architecture arch;
  uint64_t flags;
  uint16_t versionMajor, versionMinor;
  llvm::StringRef identifier; ///< Empty if there is none.
  llvm::StringRef options;    ///< PTX, LTO: compile's command line; no NUL.
  llvm::StringRef compat;     ///< Cubins: copy of .nv.compat, unchecked.
  /// As stored. Without padding if it is compressed; else the length is a
  /// multiple of 8, since fatbins don't keep the real one.
  llvm::StringRef payload;
  uint64_t uncompressedSize; ///< Of the payload, as claimed.

  bool is64Bit() const { return flags & FATBIN_64BIT; }
  bool isCompressed() const { return flags & FATBIN_COMPRESSED; }
};

/// Limits of decompression. A claim is refused if it is larger than `maxSize`
/// and than `maxRatio` times the compressed size.
struct DecompressLimits {
  uint64_t maxSize = uint64_t(64) << 20;
  uint64_t maxRatio = 1000;
};

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

/// The payload of a compressed entry, decoded into `out`, whose old contents
/// are dropped. The result's size is exactly `entry.uncompressedSize`, else it
/// is an error. If several compression flags are set, the lowest one decides.
llvm::Error decompress(const FatbinEntry &entry, const DecompressLimits &limits,
                       llvm::SmallVectorImpl<uint8_t> &out);

/// Index of the entry that a link for `target` takes, or -1 (spec: inputs,
/// section 4). `wantLTO`: LTO IR is preferred.
int chooseFatbinEntry(llvm::ArrayRef<FatbinEntry> entries,
                      elf::Architecture target, bool wantLTO = false);

} // namespace lld::cuda

#endif
