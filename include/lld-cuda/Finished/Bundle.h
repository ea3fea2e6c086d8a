//===- Bundle.h - Libraries that a wheel loads together ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A search for the shared libraries that the files of one wheel or folder load
/// from each other. cubin-check calls findBundledProcesses() after it has read
/// all files of a wheel or folder, to learn which files end up in one process
/// and may bring CUDA runtimes that conflict. Libraries of a wheel are found by
/// DT_RUNPATH or DT_RPATH with $ORIGIN once the wheel is unpacked; this is
/// followed here on the paths as text, and no file is opened. Libraries that
/// are found in another way, or outside the bundle, can't be known.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_FINISHED_BUNDLE_H
#define LLD_CUDA_FINISHED_BUNDLE_H

#include "lld-cuda/Finished/HostFile.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>
#include <vector>

namespace lld::cuda {

/// A linked file and its information for the dynamic loader.
struct BundledFile {
  BundledFile(llvm::StringRef path, const HostFile &host);

  std::string path; ///< Relative to the wheel or folder.
  bool isProgram;
  std::vector<std::string> needed;
  /// The folders in DT_RUNPATH, or else in DT_RPATH.
  std::vector<std::string> folders;
};

/// The files of one process, as positions in the bundle. The first one is the
/// file whose libraries the others are.
using BundledProcess = std::vector<uint32_t>;

/// Returns a process for each file that no other one loads, and one for each
/// ring of libraries that load each other. Returns nullopt if there are so many
/// libraries and folders that the search would take hours.
std::optional<std::vector<BundledProcess>>
findBundledProcesses(llvm::ArrayRef<BundledFile> files);

} // namespace lld::cuda

#endif
