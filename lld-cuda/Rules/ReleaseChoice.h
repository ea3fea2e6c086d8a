//===- ReleaseChoice.h - By which release's rules a link goes ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Whose rules a link goes by: what --nvlink-release, --newer-inputs and
/// --cuda-major say, before the inputs are read. The command-line readers fill
/// it, takeRules() makes LinkRules of it, and settleRules() does so anew where
/// the inputs may choose.
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
  /// --nvlink-release names one, or the toolkit directory does, or the inputs
  /// have chosen.
  bool isFixed = false;
  /// What --newer-inputs says: whether objects of newer toolkits are refused.
  /// Without it those are that are newer than a release that is fixed.
  std::optional<bool> refusesNewer;
  /// --nvlink-release=inputs: also with --nvlink-compat, which goes by no older
  /// release than 13.0 otherwise.
  bool asksInputs = false;
  /// --cuda-major: the images that the inputs may choose. 0: any.
  unsigned cudaMajor = 0;
};

/// A release by its name, or by that of its line: the newest point release.
const Release *findRelease(llvm::StringRef name);

/// The value of --nvlink-release: "13.5.37", "13.5", "newest" or "inputs".
llvm::Error readRelease(llvm::StringRef text, ReleaseChoice &choice);

/// The value of --newer-inputs: "warn" or "error".
llvm::Error readNewerInputs(llvm::StringRef text, ReleaseChoice &choice);

/// The value of --cuda-major: "12" or "13".
llvm::Error readCudaMajor(llvm::StringRef text, ReleaseChoice &choice);

/// The rules that the command line asks for, as far as it has been read;
/// messages go by them from then on.
LinkRules takeRules(Config &config);

/// Completes config.release by what else it depends on. An error tells what of
/// the command line the fixed release hasn't got.
llvm::Error applyRelease(Config &config);

/// Whether a link of these options may be by a release of CUDA 12: those know
/// no -r [cuda12-relocatable].
bool canWriteOldFiles(const Config &config);

/// Whether a fixed release has the target architecture.
llvm::Error checkTarget(const Config &config);

/// The newest toolkit whose objects are linked without a word.
unsigned newestToolkit(const ReleaseChoice &choice);

/// Whether objects of that toolkit are refused.
bool refusesToolkit(const ReleaseChoice &choice, unsigned toolkit);

} // namespace lld::cuda

#endif
