//===- LibrarySearch.h - What a program loads -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the shared libraries that a program or library loads when it starts,
/// as ld.so(8) of the GNU C library says it does: by DT_RPATH of the loading
/// file and its loaders, if it has no DT_RUNPATH; in the folders that the user
/// names, in place of LD_LIBRARY_PATH; by its DT_RUNPATH; by ld.so.cache; in
/// the default folders. Nothing is run and no environment is looked at. What
/// programs open by themselves (dlopen) nobody can know, and variants of a
/// library for newer processors (glibc-hwcaps) aren't looked for.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINISHED_LIBRARYSEARCH_H
#define LLD_CUDA_FINISHED_LIBRARYSEARCH_H

#include "lld-cuda/Finished/Files.h"
#include "lld-cuda/Finished/HostFile.h"
#include "lld-cuda/Finished/LoaderCache.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

struct SearchOptions {
  std::string sysroot; ///< The root of what is searched; empty: "/".
  std::vector<std::string> libraryPath;
};

struct LoadedFile {
  std::string path;
  int loader = -1; ///< Position of the file that asked for it; -1: the user.
  HostFile host;
};

struct MissingLibrary {
  std::string name;
  unsigned loader; ///< Position of the file that asks for it.
};

struct LoadResult {
  std::vector<LoadedFile> files; ///< In the loader's order; the program first.
  std::vector<MissingLibrary> missing;
};

/// Calls `visit` for each library that `program` loads, in the loader's order,
/// while its contents are open. `program`: what is at `path`. `report`: a
/// library that is there and can't be read.
LoadResult findLibraries(
    llvm::StringRef path, HostFile program, const SearchOptions &options,
    llvm::function_ref<void(const llvm::MemoryBuffer &, const LoadedFile &)>
        visit,
    ErrorReport report);

/// The path with all links in it followed, which don't lead out of `root`:
/// an absolute one begins there. None if there is nothing. Without a root the
/// path as it is.
std::optional<std::string> resolveInRoot(llvm::StringRef root,
                                         llvm::StringRef path);

} // namespace lld::cuda

#endif
