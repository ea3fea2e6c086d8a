//===- Driver.h - From the command line to a Config -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From a command line, or a program's request, to a LinkJob. main() and the
/// library call this before the link; what is common to nvlink's command line
/// and ld.cuda's is here, the latter's own in LldDriver.h.
///
//===----------------------------------------------------------------------===//

#ifndef LLD_CUDA_DRIVER_DRIVER_H
#define LLD_CUDA_DRIVER_DRIVER_H

#include "Rules/Config.h"
#include "lld-cuda/Linker.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace lld::cuda {

struct LinkJob;
struct LinkRequest;
struct LinkResult;
class InputStore;
class LinkProgress;
namespace report {
struct Report;
}

/// Which command line a program of that name understands.
Flavor flavorOf(llvm::StringRef programPath);

/// Reads the command line and the environment into job.config. False: there is
/// nothing more to do, because of an error (reported) or because the text asked
/// for is printed.
bool readCommandLine(LinkJob &job, llvm::ArrayRef<const char *> args);

/// All that a command line's link needs to know; false: as readCommandLine().
bool prepareLinkJob(LinkJob &job, llvm::ArrayRef<const char *> args);

/// Parts of it: --memory-limit and --time-limit; --sandbox, for which the
/// environment is read. False after an error, which is reported.
/// Confinement.cpp.
bool takeLimits(LinkJob &job);
bool confine(LinkJob &job);

/// What readCommandLine() does of nvlink's command line, when it is clear that
/// it is one; without the program's name.
bool readNvlinkCommandLine(LinkJob &job, llvm::ArrayRef<const char *> words,
                           bool (*isOtherOption)(llvm::StringRef) = nullptr);

/// '%a' in a report's name is the architecture.
std::string fillInArchitecture(llvm::StringRef path, llvm::StringRef arch);

/// '%a' in the names of reports becomes the architecture.
void nameReportsByArchitecture(Config &config);

/// What a link that is a part of something larger is given.
struct LinkSurroundings {
  LinkProgress *progress = nullptr;
  report::Report *resources = nullptr; ///< Gets the image.
  InputStore *store = nullptr;         ///< As in LinkJob.
  llvm::function_ref<void()> onProgramStart;
  unsigned threads = 0; ///< Unless the command line says how many.
  /// The process ends soon: what the link has built isn't destroyed.
  bool isLast = false;
  /// What --reproduce asks for is written also where other outputs stay in
  /// memory.
  bool reproduces = false;
  bool makesHostObject = false; ///< See LinkJob.
  bool wantsKernelFacts = true; ///< As in LinkJob.
  bool isDefaultTarget = false; ///< As in LinkJob.
  bool isOnStandardError = false;
};
LinkResult link(const LinkRequest &request,
                const LinkSurroundings &surroundings);

/// link() of a command line, with the exit status.
int runCommandLine(llvm::ArrayRef<const char *> args, llvm::raw_ostream &out,
                   llvm::raw_ostream &err, bool exitEarly, bool disableOutput,
                   InputMode inputs);

/// The one place that looks at the environment. Environment.cpp.
Environment readEnvironment();
/// LLD_CUDA_FLAGS: words for every command line; "" if it isn't set.
llvm::StringRef readEnvironmentFlags();

} // namespace lld::cuda

#endif
