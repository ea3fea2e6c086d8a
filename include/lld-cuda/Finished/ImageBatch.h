//===- ImageBatch.h - Reads images in parallel ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A visitor that processes the images of a file in batches: each batch is read
/// in parallel, and the results are taken in the file's order. cubin-check
/// (Facts.cpp) and the --resources reports (ReadResources.cpp) derive from it
/// when they read the images of finished files. Batches limit the memory that
/// unpacked images take.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINISHED_IMAGEBATCH_H
#define LLD_CUDA_FINISHED_IMAGEBATCH_H

#include "lld-cuda/Finished/Files.h"
#include "lld-cuda/Finished/Images.h"
#include "lld-cuda/Support/Parallel.h"
#include "llvm/Support/MemoryBuffer.h"
#include <vector>

namespace lld::cuda {

/// `Item` is an image with what is computed from it; it is constructed from a
/// FoundImage.
template <class Item> class ImageBatch : public ImageVisitor {
public:
  explicit ImageBatch(unsigned threads) : threads(threads) {}

  /// Processes all images of a file.
  void visit(const llvm::MemoryBuffer &contents, llvm::StringRef label) {
    if (contents.getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap)
      mapped = contents.getBuffer();
    visitImages(llvm::MemoryBufferRef(contents.getBuffer(), label), *this);
    finish();
  }

  void image(FoundImage found, bool isKept) final {
    data.push_back(found.data);
    batch.emplace_back(std::move(found));
    constexpr size_t MaxBatch = 64;
    if (!isKept || batch.size() == MaxBatch)
      finish();
  }

protected:
  /// Reads one item of the batch. Called by several threads at once, for
  /// different items.
  virtual void read(Item &item) = 0;
  /// Takes over the result of an item. Called by visit()'s thread, in the
  /// file's order.
  virtual void take(Item &item) = 0;

private:
  void finish() {
    parallelForEach(threads, batch.size(), [&](size_t i) { read(batch[i]); });
    for (size_t i = 0; i != batch.size(); ++i) {
      take(batch[i]);
      if (mapped.begin() <= data[i].begin() && data[i].end() <= mapped.end())
        forgetPages(data[i]);
    }
    batch.clear();
    data.clear();
  }

  const unsigned threads;
  llvm::StringRef mapped; ///< The file, unless it is a copy in memory.
  std::vector<Item> batch;
  std::vector<llvm::StringRef> data; ///< The items' bytes as stored.
};

} // namespace lld::cuda

#endif
