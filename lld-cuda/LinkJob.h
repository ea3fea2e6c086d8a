//===- LinkJob.h - Everything that a link is given --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Everything that a link is given: options, streams, input and output modes.
/// Drivers fill a job in from a command line and the environment (Driver.cpp,
/// LldDriver.cpp) or from options given as data (Library.cpp, LinkSession.cpp),
/// and then runLink() carries it out. The job must outlive the link. A link
/// knows nothing else: it doesn't look at the environment, writes no file
/// unless the job allows it, and never ends the process.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_LINKJOB_H
#define LLD_CUDA_LINKJOB_H

#include "Messages/Diagnostics.h"
#include "Rules/Config.h"
#include "lld-cuda/Linker.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace lld::cuda {

class InputStore;
class LinkProgress;
namespace report {
struct Report;
}

/// `out` and `err` must outlive it.
struct LinkJob {
  LinkJob(llvm::raw_ostream &out, llvm::raw_ostream &err)
      : out(out), err(err), diag(err, config) {}
  LinkJob(const LinkJob &) = delete;
  LinkJob &operator=(const LinkJob &) = delete;

  /// Returns the stream for reports that options ask for: `out`, or `err` if
  /// the output itself is written to standard output.
  llvm::raw_ostream &printed() {
    return config.writesToStandardOutput() ? err : out;
  }

  Config config;
  llvm::raw_ostream &out, &err;
  Diagnostics diag;
  InputMode inputMode = InputMode::Map;
  OutputMode outputs = OutputMode::Files;
  /// --reproduce writes its archive even if `outputs` isn't OutputMode::Files.
  bool reproduces = false;
  /// DeviceLink.cpp makes a host object of the result, which registers the
  /// image with the CUDA runtime.
  bool makesHostObject = false;
  /// The architecture is nvcc's default, and no option names it.
  bool isDefaultTarget = false;
  /// Contents that are used in place of files, by path. Not owned.
  llvm::StringMap<llvm::MemoryBufferRef> files;
  /// Inputs that links in one process share, or null. Must outlive the link.
  InputStore *store = nullptr;
  /// Whether the process does nothing but this link.
  bool ownsProcess = false;
  /// Inputs are checked one by one, and nothing is linked; see checkInputs().
  bool onlyChecks = false;
  bool checksByCompiling = false; ///< With `onlyChecks`: PTX is compiled.
  bool isOnStandardError = false; ///< `err` ends up on standard error.
  /// Gets facts about the link, such as its kernels. May be null.
  LinkFacts *facts = nullptr;
  /// Whether `facts` gets the resources of kernels, too.
  bool wantsKernelFacts = true;
  LinkProgress *progress = nullptr; ///< Where progress is shown; may be null.
  /// Gets the resources of the image's kernels. May be null.
  report::Report *resources = nullptr;
  /// Called before a compiler is started, or another program, which takes
  /// longer than most links.
  llvm::function_ref<void()> onProgramStart;
};

} // namespace lld::cuda

#endif
