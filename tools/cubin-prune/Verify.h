//===- Verify.h - Check of cubin-prune's result -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// cubin-prune's last check before a result is put in place: what was written
/// is read back, and must have exactly the images that should remain,
/// unchanged, and the host's sections as before. PruneFile.cpp calls
/// listImages() on the input and checkSections() on shortened objects; main()
/// calls checkImages() on the new file.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_VERIFY_H
#define LLD_CUDA_CUBIN_PRUNE_VERIFY_H

#include "lld-cuda/Object/Fatbin.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <string>
#include <vector>

namespace lld::cuda {

/// An image of a file: its place, target, and a hash of its bytes.
struct ImageMark {
  std::string place; ///< "lib.a:a.o(.nv_fatbin)"
  std::string target;
  uint64_t flags;
  uint64_t size, hash; ///< Those of the whole entry if it has several images.
  /// The payload of its entry in the listed file, and the image's offset in it
  /// among several; not compared.
  const char *payload = nullptr;
  uint64_t imageOffset = 0;
  bool operator==(const ImageMark &o) const;
};

/// Returns the images of a file for which `keep` is true, in the file's order.
/// `section` is the section of the host file that an image is in; empty if it
/// is in none.
llvm::Expected<std::vector<ImageMark>> listImages(
    llvm::MemoryBufferRef file,
    llvm::function_ref<bool(const FatbinEntry &, llvm::StringRef section)>
        keep);

/// Fails unless `written` has exactly the expected images in their order.
llvm::Error checkImages(llvm::MemoryBufferRef written,
                        llvm::ArrayRef<ImageMark> expected);

/// Fails unless the two objects have the same sections, but for the contents
/// of those that hold fatbins.
llvm::Error checkSections(llvm::StringRef before, llvm::StringRef after);

} // namespace lld::cuda

#endif
