//===- ReleaseChoice.h - Choice of the nvlink release -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The choice of the nvlink release whose rules a link follows:
/// --nvlink-release, --newer-inputs and --cuda-major. The readers of the
/// command line (Driver.cpp, LldDriver.cpp) fill it in and make LinkRules of it
/// with applyRelease(), before inputs are read. If no option fixes the release,
/// SettleRules.cpp lets the inputs choose it when they have been read.
/// UnpackCubins.cpp asks whether an input is too new.
/// tools/lld-cuda/RunReplaced.cpp looks up releases.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_RULES_RELEASECHOICE_H
#define LLD_CUDA_RULES_RELEASECHOICE_H

#include "Rules/Release.h"
#include "llvm/Support/Error.h"

namespace lld::cuda {

class LinkRules;
struct Config;

/// What the command line says about releases.
struct ReleaseChoice {
  RuleRequest request;
  /// The release doesn't change any more, since --nvlink-release or the toolkit
  /// directory names one, or the inputs have chosen.
  bool isFixed = false;
  /// Whether objects of newer toolkits are refused (--newer-inputs). If it is
  /// nullopt, objects are refused that are newer than a fixed release.
  std::optional<bool> refusesNewer;
  /// --nvlink-release=inputs is given. Then the inputs may choose any release
  /// with --nvlink-compat, too, which otherwise means 13.0 or later.
  bool asksInputs = false;
  /// The major release that the inputs may choose (--cuda-major); 0 for any.
  unsigned cudaMajor = 0;
};

/// Returns the release with that name or, for a name such as "13.5", its newest
/// point release; null if there is none.
const Release *findRelease(llvm::StringRef name);

/// Sets `choice` to the value of --nvlink-release: "13.5.37", "13.5", "newest"
/// or "inputs". Returns an error for any other text, as do the next two.
llvm::Error readRelease(llvm::StringRef text, ReleaseChoice &choice);

/// Sets `choice` to the value of --newer-inputs: "warn" or "error".
llvm::Error readNewerInputs(llvm::StringRef text, ReleaseChoice &choice);

/// Sets `choice` to the value of --cuda-major: "12" or "13".
llvm::Error readCudaMajor(llvm::StringRef text, ReleaseChoice &choice);

/// Returns the rules that the command line asks for, as far as it has been
/// read, and stores in `config` what messages need to know of them.
LinkRules takeRules(Config &config);

/// Completes config.release with the other options on which it depends, when
/// all options are read. Returns an error if the fixed release doesn't know an
/// option or the target.
llvm::Error applyRelease(Config &config);

/// Returns whether a link with these options can follow a release of CUDA 12,
/// which has no -r (rule [cuda12-relocatable] of docs/reference).
bool canWriteOldFiles(const Config &config);

/// Returns an error if the release is fixed and doesn't know the target
/// architecture.
llvm::Error checkTarget(const Config &config);

/// Returns the newest toolkit (10 * major + minor) whose objects are linked
/// without a message.
unsigned newestToolkit(const ReleaseChoice &choice);

/// Returns whether objects of that toolkit are refused.
bool refusesToolkit(const ReleaseChoice &choice, unsigned toolkit);

} // namespace lld::cuda

#endif
