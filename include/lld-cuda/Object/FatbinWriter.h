//===- FatbinWriter.h - Writes fatbins --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writer of the container that Fatbin.h reads, as fatbinary of CUDA 13 writes
/// it [fatbin-written].
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_OBJECT_FATBINWRITER_H
#define LLD_CUDA_OBJECT_FATBINWRITER_H

#include "lld-cuda/Object/Fatbin.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace lld::cuda {

/// As `fatbinary -compress-mode=` names them.
enum class FatbinCompression {
  None,
  Default, ///< PTX, images for debugging or of over 10 MB: zstd.
  Balance, ///< As Default.
  Speed,   ///< The images of Default: LZ4.
  Size,    ///< All images: zstd, as small as it can.
};

/// None for an unknown name.
std::optional<FatbinCompression> parseFatbinCompression(llvm::StringRef name);

/// A payload as modes other than None compress it: Speed as an LZ4 block, all
/// others with zstd.
llvm::Expected<llvm::SmallVector<char, 0>>
compressPayload(llvm::StringRef payload, FatbinCompression compression);

/// The flag of an entry with such a payload.
FatbinFlags getCompressionFlag(FatbinCompression compression);

/// An image to be put into a fatbin.
struct FatbinImage {
  FatbinKind kind = FatbinKind::ELF; ///< PTX, ELF or LTOIR.
  elf::Architecture arch;
  llvm::StringRef bytes; ///< PTX: without NUL.
  bool isDebug = false;  ///< Compiled or linked for debugging.
  /// PTX and LTO IR: the version of PTX. Cubins: what all have.
  uint16_t versionMajor = 1, versionMinor = 8;
  llvm::StringRef options;         ///< PTX, LTO IR: the compile's command line.
  llvm::StringRef identifier = {}; ///< What it was made of; empty: none.
  bool isPacked = false;           ///< Compressed in every mode but None.
};

/// Whether the mode compresses that image.
bool isCompressed(const FatbinImage &image, FatbinCompression compression);

/// An image's contents as its entry holds them, without padding.
struct FatbinPayload {
  std::string text;                  ///< PTX with a NUL behind it.
  llvm::SmallVector<char, 0> packed; ///< If the mode compresses it.
};

/// Makes it, which takes most of the time that a fatbin takes. Fails for an
/// image of 4 GiB or more once compressed.
llvm::Expected<FatbinPayload> makePayload(const FatbinImage &image,
                                          FatbinCompression compression);

/// The fatbin with these images, in order, whose payloads that compression has
/// made. Fails for an image of another kind, and a cubin that can't be read.
llvm::Expected<llvm::SmallVector<char, 0>>
writeFatbin(llvm::ArrayRef<FatbinImage> images,
            llvm::ArrayRef<FatbinPayload> payloads,
            FatbinCompression compression);

/// Writes a whole fatbin, payloads and all.
llvm::Expected<llvm::SmallVector<char, 0>>
writeFatbin(llvm::ArrayRef<FatbinImage> images, FatbinCompression compression);

} // namespace lld::cuda

#endif
