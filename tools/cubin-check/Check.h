//===- Check.h - The checks of cubin-check ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The checks of cubin-check: they turn facts about files (Facts.h) and the
/// list of GPUs into findings and an exit status. cubin-check.cpp calls check()
/// once, when all files are read; check() calls the functions below it, each
/// of which has a source file of its own, checks one subject and adds findings
/// to the result.
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
  bool isAsked = false; ///< The user named the GPUs, so each must have code.
  std::string driver;   ///< As given with --driver; empty if it wasn't.
  unsigned driverBranch = 0; ///< 570 of 570.86.10; 0 without a driver.
  Policy policy;
};

/// Whether a file's kernels run on a GPU, from good to bad.
enum class RunVerdict : uint8_t { Runs, Compiles, Unknown, No };
/// Returns a verdict as tables print it: "code", "ptx", "?", "no".
llvm::StringRef getVerdictName(RunVerdict verdict);

/// The verdicts on one file.
struct FileVerdict {
  size_t file;                ///< Position in Facts::files.
  std::vector<RunVerdict> on; ///< Indexed by CheckOptions::targets.
};

/// All that check() finds.
struct CheckResult {
  std::string answer;             ///< The answer in one line.
  std::vector<FileVerdict> files; ///< Those with device code.
  std::vector<RunVerdict> on;     ///< The worst of all files, for each target.
  std::vector<Finding> findings;  ///< Errors first.
  int status = 0;                 ///< The exit status.
};

CheckResult check(const Facts &facts, CheckOptions &options);

/// Finds for each GPU whether the code runs there. CheckCoverage.cpp.
void checkCoverage(const Facts &facts, const CheckOptions &options,
                   CheckResult &result);

/// Adds a finding for each kernel that a GPU can't launch. CheckResources.cpp.
void checkResources(const Facts &facts, const CheckOptions &options,
                    CheckResult &result);
/// Add findings about device links, mixed versions and needless bytes.
/// CheckDeviceLinks.cpp, CheckVersions.cpp, CheckSize.cpp.
void checkDeviceLinks(const Facts &facts, CheckResult &result);
void checkVersions(const Facts &facts, CheckResult &result);
void checkSize(const Facts &facts, CheckResult &result);

/// Returns the target of an image: "sm_90a", "compute_90" (PTX), "lto_90" (LTO
/// IR).
std::string nameTarget(const ImageFacts &image);
/// Returns the kind of an image in words: "machine code", "PTX",
/// "relocatable code" and so on.
llvm::StringRef nameKind(const ImageFacts &image);
/// Lists the images of a file that the driver can load: "sm_80, sm_90a,
/// compute_90".
std::string listImages(const FileFacts &file);
/// Returns whether the driver may load the image. It never sees the inputs of a
/// device link that a file still holds, except PTX that the linked image leads
/// to.
bool isForDriver(const ImageFacts &image, const FileFacts &file);

} // namespace lld::cuda

#endif
