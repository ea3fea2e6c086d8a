//===- Heap.h - Memory of large links ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A large link spends as much time in page faults as in its own work: it
/// touches some hundred MB once and then ends. With huge pages there are 500
/// times fewer faults.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_HEAP_H
#define LLD_CUDA_SUPPORT_HEAP_H

namespace lld::cuda {

/// Makes the allocator take its memory from one range of huge pages. For
/// programs that do nothing but link: it changes the allocator of the whole
/// process. Does nothing where it can't.
void prepareHeap();

/// Makes the allocator keep the memory of small links. For main().
void prepareSmallHeap();

} // namespace lld::cuda

#endif
