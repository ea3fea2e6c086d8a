//===- FatbinWriter.h - Writer of fatbins -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writer of fatbins (Fatbin.h), as fatbinary of CUDA 13 writes them (rule
/// [fatbin-written] of docs/reference). The linker's DeviceLink.cpp calls it
/// when all links of a device link are done, the program in fatbinary's place
/// (Fatbinary.cpp) for each fatbin that nvcc asks for. cubin-prune and
/// cubin-size use only its compression.
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

/// The values of `fatbinary -compress-mode=`. LTO IR is never compressed.
enum class FatbinCompression {
  None,
  Default, ///< PTX, cubins for debugging or of more than 10 MB: zstd.
  Balance, ///< Like Default.
  Speed,   ///< The images that Default compresses, with LZ4.
  Size,    ///< All images: zstd at a high level.
};

/// Returns the mode of that name; nullopt if it is unknown.
std::optional<FatbinCompression> parseFatbinCompression(llvm::StringRef name);

/// Compresses a payload: into an LZ4 block for Speed, with zstd for all other
/// modes. `compression` must not be None.
llvm::Expected<llvm::SmallVector<char, 0>>
compressPayload(llvm::StringRef payload, FatbinCompression compression);

/// Returns the flag of an entry whose payload compressPayload() has compressed.
FatbinFlags getCompressionFlag(FatbinCompression compression);

/// An image to be put into a fatbin.
struct FatbinImage {
  FatbinKind kind = FatbinKind::ELF; ///< PTX, ELF or LTOIR.
  elf::Architecture arch;
  llvm::StringRef bytes; ///< Contents; PTX without a NUL.
  bool isDebug = false;  ///< Compiled or linked for debugging.
  /// PTX and LTO IR: the version of PTX. Cubins all have 1.8.
  uint16_t versionMajor = 1, versionMinor = 8;
  /// PTX, LTO IR: the command line of the compilation.
  llvm::StringRef options;
  llvm::StringRef identifier = {}; ///< The source's name; empty for none.
  bool isPacked = false; ///< Whether every mode but None compresses it.
};

/// Returns whether the mode compresses that image.
bool isCompressed(const FatbinImage &image, FatbinCompression compression);

/// An image's contents as its entry will have them, without padding.
struct FatbinPayload {
  std::string text; ///< PTX, followed by a NUL.
  /// The compressed contents; empty if the mode doesn't compress it.
  llvm::SmallVector<char, 0> packed;
};

/// Makes the payload of an image, which takes most of the time that a fatbin
/// takes; callers do it for several images in parallel. Fails if the compressed
/// contents have 4 GiB or more.
llvm::Expected<FatbinPayload> makePayload(const FatbinImage &image,
                                          FatbinCompression compression);

/// Returns the fatbin with these images, in order. `payloads` are those that
/// makePayload() made of them with the same `compression`. Fails for an image
/// of another kind and for a cubin that can't be read.
llvm::Expected<llvm::SmallVector<char, 0>>
writeFatbin(llvm::ArrayRef<FatbinImage> images,
            llvm::ArrayRef<FatbinPayload> payloads,
            FatbinCompression compression);

/// Makes the payloads, too, and returns the fatbin.
llvm::Expected<llvm::SmallVector<char, 0>>
writeFatbin(llvm::ArrayRef<FatbinImage> images, FatbinCompression compression);

} // namespace lld::cuda

#endif
