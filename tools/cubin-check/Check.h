//===- Check.h - What follows from the facts --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The heart of cubin-check: from facts about files (Facts.h) and the GPUs that
/// are asked about to findings and an exit status. main calls check() once all
/// files are read; the functions below it, a source file each, look at one
/// thing and add what they find.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_CUBIN_CHECK_CHECK_H
#define LLD_CUDA_CUBIN_CHECK_CHECK_H

#include "Facts.h"
#include "Policy.h"
#include "Targets.h"

namespace lld::cuda {

struct CheckOptions {
  std::vector<Target> targets;
  bool isAsked = false; ///< The user has named the GPUs: each must have code.
  std::string driver;   ///< As named; empty: none.
  unsigned driverBranch = 0;
  Policy policy;
};

/// Whether a file's kernels run on a GPU, from good to bad.
enum class RunVerdict : uint8_t { Runs, Compiles, Unknown, No };
/// A verdict as tables print it: "code", "ptx", "?", "no".
llvm::StringRef getVerdictName(RunVerdict verdict);

struct FileVerdict {
  size_t file;                ///< Position in Facts::files.
  std::vector<RunVerdict> on; ///< By target.
};

struct CheckResult {
  std::string answer;             ///< One line.
  std::vector<FileVerdict> files; ///< Those with device code.
  std::vector<RunVerdict> on;     ///< The worst of all files, by target.
  std::vector<Finding> findings;  ///< Errors first.
  int status = 0;                 ///< The exit status.
};

CheckResult check(const Facts &facts, CheckOptions &options);

/// Finds for each GPU whether the code runs there. CheckCoverage.cpp.
void checkCoverage(const Facts &facts, const CheckOptions &options,
                   CheckResult &result);

/// CheckResources.cpp: kernels that the GPUs can't launch.
void checkResources(const Facts &facts, const CheckOptions &options,
                    CheckResult &result);
/// CheckDeviceLinks.cpp, CheckVersions.cpp, CheckSize.cpp: add findings.
void checkDeviceLinks(const Facts &facts, CheckResult &result);
void checkVersions(const Facts &facts, CheckResult &result);
void checkSize(const Facts &facts, CheckResult &result);

/// What an image is for: "sm_90a", "compute_90" (PTX), "lto_90" (LTO IR).
std::string nameTarget(const ImageFacts &image);
/// "machine code", "PTX", "relocatable code" and the like.
llvm::StringRef nameKind(const ImageFacts &image);
/// "sm_80, sm_90a, compute_90": what a file has that the driver may take.
std::string listImages(const FileFacts &file);
/// Whether the driver may take the image: what is left over for a device link
/// it never sees, but for the PTX that a device link in the file leads to.
bool isForDriver(const ImageFacts &image, const FileFacts &file);

} // namespace lld::cuda

#endif
