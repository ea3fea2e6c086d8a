//===- Heap.h - Settings of the allocator -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Settings of the C library's allocator for links. The main function of the
/// linker calls prepareSmallHeap() first of all; InputFiles.cpp and
/// DeviceLink.cpp call prepareHeap() as soon as they see that the inputs are
/// large, before they start threads. A large link touches a few hundred MB once
/// and then ends: without huge pages it spends as much time in page faults as
/// in its own work, and with them there are 500 times fewer faults.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_SUPPORT_HEAP_H
#define LLD_CUDA_SUPPORT_HEAP_H

#include <cstddef>

namespace lld::cuda {

/// Makes the allocator take its memory from one range of huge pages. It changes
/// the allocator of the whole process: only a process that does nothing but
/// link may call it, before another thread has allocated memory. Does nothing
/// where the C library isn't glibc.
void prepareHeap();

/// Has the system give memory to `size` bytes at `p`, both multiples of the
/// page size, at once rather than when each page is used. Returns false if it
/// can't: Linux before 5.14 doesn't know how to.
bool provideMemory(void *p, size_t size);

/// After prepareHeap(): starts a thread on another processor that has the pages
/// which the heap needs next cleared, as long as there is one. The thread never
/// ends the process, and isn't waited for.
void provideHeapPages();
/// Tells that thread that the heap is about to grow by so many bytes, faster
/// than pages can be cleared: it begins now. 0: no longer.
void expectHeapGrowth(size_t bytes);
/// The heap will hardly grow any more.
void leaveHeapPages();

/// Makes the allocator keep freed memory instead of returning it to the system,
/// which suits small links. Called by main().
void prepareSmallHeap();

} // namespace lld::cuda

#endif
