//===- ImageList.h - The images of a file -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lists of the images in a file, and access to their bytes. CompareFiles.cpp
/// walks each of the two files twice, because a file may have more images than
/// memory holds: listImages() lists them with a hash of each, by which Pairs.h
/// pairs them; openImages() then gives the bytes of those that differ.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_DIFF_IMAGELIST_H
#define LLD_CUDA_CUBIN_DIFF_IMAGELIST_H

#include "lld-cuda/Finished/Files.h"
#include "lld-cuda/Finished/Images.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <array>
#include <set>
#include <string>
#include <vector>

namespace lld::cuda {

/// An image as the first walk finds it, without its bytes.
struct ListedImage {
  /// The member of the wheel that it is in; empty if the user has named the
  /// file itself.
  std::string file;
  std::string member;     ///< The archive's member, or empty.
  std::string target;     ///< "sm_90"
  std::string identifier; ///< Its name in the fatbin; mostly empty.
  ImageForm form = ImageForm::Other;
  uint32_t position = 0; ///< Index among the file's images.
  uint64_t size = 0;     ///< Bytes when decompressed.
  std::array<uint8_t, 16> hash = {};
  /// A hash of its kernels' names, or of its functions' names if it has no
  /// kernel; 0 for none.
  uint64_t names = 0;

  std::string describe() const; ///< "lib.so: a.o: sm_90 cubin"
};

/// Returns all images of `contents`, in its order. What can't be read is passed
/// to `report`, and the rest is listed.
std::vector<ListedImage> listImages(const llvm::MemoryBuffer &contents,
                                    llvm::StringRef path, ErrorReport report);

/// The images of one file, whose bytes can be read during a call of `visit`.
class OpenImages {
public:
  /// Returns the bytes of the image with that position. Fails if they can't be
  /// decompressed; decompressed bytes are in `storage`.
  llvm::Expected<llvm::StringRef>
  read(uint32_t position, llvm::SmallVectorImpl<uint8_t> &storage) const;

private:
  friend class ImageOpener;
  struct Entry {
    FoundImage image;
    std::string copy; ///< The bytes, if they don't stay where they are found.
  };
  std::vector<Entry> entries;
};

/// Opens the files in `contents` that are `wanted`, one after the other, and
/// calls `visit` for each. Names are those of ListedImage::file.
void openImages(
    const llvm::MemoryBuffer &contents, llvm::StringRef path,
    const std::set<std::string> &wanted,
    llvm::function_ref<void(llvm::StringRef file, const OpenImages &)> visit);

} // namespace lld::cuda

#endif
