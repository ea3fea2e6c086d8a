//===- ImageList.h - The images of a file that is compared ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Files may have more images than memory holds, so they are walked twice: to
/// list what there is, with a hash of each image, and to get the bytes of those
/// that differ.
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

struct ListedImage {
  /// The wheel's member that it is in; empty if the user has named the file.
  std::string file;
  std::string member;     ///< The archive's member, or empty.
  std::string target;     ///< "sm_90"
  std::string identifier; ///< What its fatbin calls it; mostly empty.
  ImageForm form = ImageForm::Other;
  uint32_t position = 0; ///< Among the file's images.
  uint64_t size = 0;     ///< Unpacked.
  std::array<uint8_t, 16> hash = {};
  /// A hash of its kernels' names, or of those of its functions; 0: none.
  uint64_t names = 0;

  std::string describe() const; ///< "lib.so: a.o: sm_90 cubin"
};

/// All images, in the order of the file.
std::vector<ListedImage> listImages(const llvm::MemoryBuffer &contents,
                                    llvm::StringRef path, ErrorReport report);

/// Images of one file, whose bytes can be read while they are shown.
class OpenImages {
public:
  /// By position; fails if it can't be unpacked.
  llvm::Expected<llvm::StringRef>
  read(uint32_t position, llvm::SmallVectorImpl<uint8_t> &storage) const;

private:
  friend class ImageOpener;
  struct Entry {
    FoundImage image;
    std::string copy; ///< Of what doesn't stay where it is.
  };
  std::vector<Entry> entries;
};

/// Opens files of `contents` one after the other. `wanted`: names of files, as
/// ListedImage has them.
void openImages(
    const llvm::MemoryBuffer &contents, llvm::StringRef path,
    const std::set<std::string> &wanted,
    llvm::function_ref<void(llvm::StringRef file, const OpenImages &)> visit);

} // namespace lld::cuda

#endif
