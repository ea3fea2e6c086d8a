//===- Images.h - Images of device code in shipped files --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The images (cubins, PTX, intermediate code) of any file that has some, with
/// what their containers say of them. Nothing is decompressed before somebody
/// asks for it. DeviceCode.h tells where containers lie, and the readers of
/// each format what is in them; this is for tools that want one list.
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

struct FoundImage {
  std::string member;   ///< The file, or the member of an archive: "lib.a:a.o".
  llvm::StringRef data; ///< As stored.
  FatbinEntry entry = {};
  bool isEntry =
      false; ///< It is an entry of a fatbin; else `entry` says nothing.
  ImageForm form = ImageForm::Other;
  std::string target; ///< "sm_90a", "compute_90", as getTargetName() says.
  /// In an executable or a shared library, where no link is to come.
  bool isInLinkedFile = false;
  bool isForDeviceLink = false; ///< In __nv_relfatbin.
  /// A number for the fatbin that it is in, and where that lies in the file;
  /// images of one fatbin are for the same code.
  uint32_t container = 0;
  uint64_t containerOffset = 0;
  /// Bytes that are this image's: several that are compressed as one share
  /// them, and the first has them all.
  uint64_t stored = 0;
};

class ImageVisitor {
public:
  virtual ~ImageVisitor() = default;
  /// A file, then each member of an archive, before what is in it.
  virtual void member(llvm::StringRef label, uint64_t size) {}
  /// Bytes of a container of that size, which aren't an image's.
  virtual void container(uint64_t size, uint64_t otherBytes) {}
  /// A container that can't be read; error() says why.
  virtual void unreadable(uint64_t size) {}
  /// Zeros of a host file's sections of fatbins, in long runs.
  virtual void zeros(uint64_t size) {}
  /// `isKept`: the image's bytes stay where they are after this; those of a
  /// thin archive's member don't.
  virtual void image(FoundImage image, bool isKept) = 0;
  virtual void error(llvm::StringRef label, llvm::Error error) = 0;
};

/// Shows all images of a file; none is no error.
void visitImages(llvm::MemoryBufferRef file, ImageVisitor &visitor);

/// The image's own bytes: a slice, or decompressed into `storage`.
llvm::Expected<llvm::StringRef>
unpackImage(const FoundImage &image, uint64_t limit,
            llvm::SmallVectorImpl<uint8_t> &storage);

} // namespace lld::cuda

#endif
