//===- OutputChunks.h - A file made of pieces -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_PRUNE_OUTPUTCHUNKS_H
#define LLD_CUDA_CUBIN_PRUNE_OUTPUTCHUNKS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <deque>
#include <string>
#include <vector>

namespace lld::cuda {

/// Pieces of the input, which is mapped, pieces of one's own, and zeros.
class OutputChunks {
public:
  void add(llvm::StringRef bytes);
  void own(llvm::SmallVector<char, 0> bytes);
  void zeros(uint64_t count);
  uint64_t size() const { return bytesInAll; }
  /// All in one.
  std::string flatten() const;

  /// Writes a new file beside `path`, shows its bytes to `check`, and puts it
  /// in place of what is there, with the permissions of `model`. Zeros take no
  /// space on the disk where the file system can do so. After an error what
  /// was there is as it was.
  llvm::Error save(llvm::StringRef path, llvm::StringRef model,
                   llvm::function_ref<llvm::Error(llvm::StringRef)> check);

private:
  struct Chunk {
    llvm::StringRef bytes;
    uint64_t zeros;
  };
  llvm::Error write(int fd);

  std::vector<Chunk> chunks;
  std::deque<llvm::SmallVector<char, 0>> owned;
  uint64_t bytesInAll = 0;
};

} // namespace lld::cuda

#endif
