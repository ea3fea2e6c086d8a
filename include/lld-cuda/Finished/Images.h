//===- Images.h - Lists the images in any file ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lists the images (cubins, PTX, intermediate code) of any file that has some,
/// with what their containers say about them. cubin-check, cubin-size,
/// cubin-diff and cubin-dump call visitImages() for each file that they read.
/// DeviceCode.h finds the containers in a file, and the readers of each format
/// their contents; this puts all images into one list. An image is decompressed
/// only when unpackImage() is called.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINISHED_IMAGES_H
#define LLD_CUDA_FINISHED_IMAGES_H

#include "lld-cuda/Object/Fatbin.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <string>

namespace lld::cuda {

/// What an image is, as far as its container tells.
enum class ImageForm : uint8_t { Cubin, PTX, LTOIR, TileIR, Other };

/// An image in a file, as it is stored there.
struct FoundImage {
  std::string member;   ///< The file, or the member of an archive: "lib.a:a.o".
  llvm::StringRef data; ///< As stored.
  FatbinEntry entry = {};
  /// It is an entry of a fatbin; otherwise `entry` is meaningless.
  bool isEntry = false;
  ImageForm form = ImageForm::Other;
  std::string target; ///< "sm_90a", "compute_90", as getTargetName() says.
  /// It is in an executable or a shared library, after the last link.
  bool isInLinkedFile = false;
  bool isForDeviceLink = false; ///< It is in __nv_relfatbin.
  /// The number of the fatbin that contains it, and that fatbin's offset in the
  /// file. Images of one fatbin are for the same code.
  uint32_t container = 0;
  uint64_t containerOffset = 0;
  /// The bytes that the image takes in the file. If several images are
  /// compressed together, the first one has all bytes.
  uint64_t stored = 0;
};

/// Receives the images of a file. Callers of visitImages() derive from it.
class ImageVisitor {
public:
  virtual ~ImageVisitor() = default;
  /// Called for the file, and then for each member of an archive before its
  /// images. Sizes are in bytes.
  virtual void member(llvm::StringRef label, uint64_t size) {}
  /// Called for a container, with the number of its bytes that aren't an
  /// image's.
  virtual void container(uint64_t size, uint64_t otherBytes) {}
  /// Called for a container that can't be read; error() says why.
  virtual void unreadable(uint64_t size) {}
  /// Called for long runs of zeros in the fatbin sections of a host file.
  virtual void zeros(uint64_t size) {}
  /// Called for each image. `isKept`: the image's bytes stay valid after the
  /// call, as long as the file; those of a thin archive's member don't.
  virtual void image(FoundImage image, bool isKept) = 0;
  virtual void error(llvm::StringRef label, llvm::Error error) = 0;
};

/// Visits all images of a file. A file without images is not an error.
void visitImages(llvm::MemoryBufferRef file, ImageVisitor &visitor);

/// Returns the image's bytes: a slice of the file, or decompressed into
/// `storage`. Fails on damaged data, and if there are more than `limit` bytes.
llvm::Expected<llvm::StringRef>
unpackImage(const FoundImage &image, uint64_t limit,
            llvm::SmallVectorImpl<uint8_t> &storage);

} // namespace lld::cuda

#endif
