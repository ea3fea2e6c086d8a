//===- LibrarySearch.h - Libraries that a program loads ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the shared libraries that a program or library loads when it starts.
/// cubin-check, and with --resources also cubin-size, call findLibraries() for
/// each program that the user names, to look at the device code of its
/// libraries too. Nothing is run, and the environment isn't used.
///
/// The order is that of ld.so(8) of the GNU C library: DT_RPATH of the loading
/// file and of its loaders, if the loading file has no DT_RUNPATH; the folders
/// that the user names (in place of LD_LIBRARY_PATH); the loading file's
/// DT_RUNPATH; ld.so.cache; the default folders. Libraries that a program opens
/// itself (dlopen) can't be known, and variants for newer processors
/// (glibc-hwcaps) aren't searched.
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

/// Where libraries are searched, besides the folders that files name.
struct SearchOptions {
  std::string sysroot; ///< The root folder of the search; if empty, "/".
  std::vector<std::string> libraryPath;
};

/// A file that is loaded, the program included.
struct LoadedFile {
  std::string path;
  int loader = -1; ///< Position of the file that needs it; -1 for the user.
  HostFile host;
};

/// A library that is needed but wasn't found.
struct MissingLibrary {
  std::string name;
  unsigned loader; ///< Position of the file that needs it.
};

/// All files that a program loads.
struct LoadResult {
  std::vector<LoadedFile> files; ///< In the loader's order; the program first.
  std::vector<MissingLibrary> missing;
};

/// Calls `visit` for each library that `program`, the file at `path`, loads, in
/// the loader's order. The contents are valid only during the call. `report` is
/// called for a library that exists but can't be read.
LoadResult findLibraries(
    llvm::StringRef path, HostFile program, const SearchOptions &options,
    llvm::function_ref<void(const llvm::MemoryBuffer &, const LoadedFile &)>
        visit,
    ErrorReport report);

/// Resolves all symbolic links in the path without leaving `root`: an absolute
/// link begins at the root. Returns nullopt if the file doesn't exist. With an
/// empty root, returns the path unchanged.
std::optional<std::string> resolveInRoot(llvm::StringRef root,
                                         llvm::StringRef path);

} // namespace lld::cuda

#endif
