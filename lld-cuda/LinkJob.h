//===- LinkJob.h - What the core of a link is given -------------*- C++ -*-===//
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

struct LinkJob {
  LinkJob(llvm::raw_ostream &out, llvm::raw_ostream &err)
      : out(out), err(err), diag(err, config) {}
  LinkJob(const LinkJob &) = delete;
  LinkJob &operator=(const LinkJob &) = delete;

  /// Returns the stream to which a link prints what was asked for.
  llvm::raw_ostream &printed() {
    return config.writesToStandardOutput() ? err : out;
  }

  Config config;
  llvm::raw_ostream &out, &err;
  Diagnostics diag;
  InputMode inputMode = InputMode::Map;
  OutputMode outputs = OutputMode::Files;
  bool reproduces = false; ///< --reproduce writes also with other modes.
  /// The list of registered inputs becomes a host object that registers the
  /// image: what it waits for must be called.
  bool makesHostObject = false;
  /// Nobody asked for the architecture: it is nvcc's own choice.
  bool isDefaultTarget = false;
  /// Contents that are used in place of files, by path. Not owned.
  llvm::StringMap<llvm::MemoryBufferRef> files;
  /// What this link shares with others, or null. Must outlive the link.
  InputStore *store = nullptr;
  /// Whether the process does nothing but this link.
  bool ownsProcess = false;
  /// Inputs are checked one by one, and nothing is linked.
  bool onlyChecks = false;
  bool checksByCompiling = false; ///< Inputs that are PTX are compiled then.
  bool isOnStandardError = false; ///< Messages go there.
  /// Is filled with facts about the link, unless it is null.
  LinkFacts *facts = nullptr;
  bool wantsKernelFacts = true; ///< What kernels need, too.
  LinkProgress *progress = nullptr;
  report::Report *resources = nullptr; ///< Gets the image of this link.
  /// Called before a program is started, which takes longer than most links.
  llvm::function_ref<void()> onProgramStart;
};

} // namespace lld::cuda

#endif
