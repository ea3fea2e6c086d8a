//===- LongLived.h - Memory that outlives a link ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// liblld-cuda gives each link a heap of its own (bindings/c/lib/LinkHeap.h),
/// which goes back to the system when all blocks in it are freed. What a link
/// makes for later links, or for the program, is allocated while a LongLived
/// exists, and so elsewhere: a single block would keep the whole heap. In the
/// linker's program, which has one heap, this does nothing.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_LONGLIVED_H
#define LLD_CUDA_SUPPORT_LONGLIVED_H

namespace lld::cuda {

/// As long as an object lives, what its thread allocates isn't in a link's
/// heap.
class LongLived {
public:
  LongLived() : before(choose ? choose(false) : true) {}
  LongLived(const LongLived &) = delete;
  LongLived &operator=(const LongLived &) = delete;
  ~LongLived() {
    if (choose)
      choose(before);
  }

  /// Chooses whether the calling thread allocates in its link's heap, and
  /// returns what it did before. Null: there is no such heap. It is set before
  /// any link.
  static bool (*choose)(bool inHeap);

private:
  const bool before;
};

} // namespace lld::cuda

#endif
