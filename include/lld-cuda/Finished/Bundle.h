//===- Bundle.h - Who loads whom in a wheel or folder -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Wheels bring libraries with them, which are found by DT_RUNPATH or DT_RPATH
/// with $ORIGIN once the wheel is unpacked. Here that is followed among the
/// files of one wheel or folder, wherever it may come to lie. What is found in
/// another way, or comes from elsewhere, can't be known.
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

/// A linked file, and what it says to its loader.
struct BundledFile {
  BundledFile(llvm::StringRef path, const HostFile &host);

  std::string path; ///< In the wheel or folder.
  bool isProgram;
  std::vector<std::string> needed;
  std::vector<std::string> folders; ///< DT_RUNPATH's, or else DT_RPATH's.
};

/// Files of one process, as positions in the bundle: the first one is loaded by
/// none of the others.
using BundledProcess = std::vector<uint32_t>;

/// A process for each file that no other one loads. Nothing if there are so
/// many libraries, and places where they may be, that looking at all of them
/// would take hours.
std::optional<std::vector<BundledProcess>>
findBundledProcesses(llvm::ArrayRef<BundledFile> files);

} // namespace lld::cuda

#endif
