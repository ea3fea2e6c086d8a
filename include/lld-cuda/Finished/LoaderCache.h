//===- LoaderCache.h - Reader of ld.so.cache --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads the dynamic loader's cache, /etc/ld.so.cache. LibrarySearch asks it
/// for shared libraries that a program needs, as the loader does when the
/// program is started.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINISHED_LOADERCACHE_H
#define LLD_CUDA_FINISHED_LOADERCACHE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace lld::cuda {

/// The contents of /etc/ld.so.cache, which ldconfig(8) of the GNU C library
/// writes: for each library name its paths, in the order in which they are
/// tried. The paths are slices of the data.
using LoaderCache = llvm::StringMap<std::vector<llvm::StringRef>>;

/// Reads a cache; `data` must outlive the result. Fails if it is damaged.
llvm::Expected<LoaderCache> readLoaderCache(llvm::StringRef data);

} // namespace lld::cuda

#endif
