//===- LongLived.cpp - Memory that outlives a link ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The hook by which LongLived tells liblld-cuda's allocator where a thread
/// allocates. Nothing is behind it in programs.
///
//===----------------------------------------------------------------------===//

#include "lld-cuda/Support/LongLived.h"

bool (*lld::cuda::LongLived::choose)(bool) = nullptr;
