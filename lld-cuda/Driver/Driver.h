//===- Driver.h - From a command line to a link -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The driver: it turns a command line, or a request that a program has given
/// to the library, into a LinkJob, and starts the link. main() of the linker
/// (tools/lld-cuda, by way of the library) calls runCommandLine() once;
/// Library.cpp and DeviceLink.cpp prepare a job for each link. What nvlink's
/// and ld.cuda's command lines have in common is here; what only ld.cuda's has
/// is in LldDriver.h.
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

/// Returns whose command line a program with this path understands.
Flavor flavorOf(llvm::StringRef programPath);

/// Reads the command line, which begins with the program's name, and the
/// environment into job.config. Returns false if there is nothing more to do:
/// there was an error, which has been reported, or the text that was asked for
/// (--help, --version) has been printed.
bool readCommandLine(LinkJob &job, llvm::ArrayRef<const char *> args);

/// Prepares all of `job` for the link of a command line: reads it and applies
/// its limits and its sandbox. Returns false if readCommandLine() does, or
/// after another error, which is reported.
bool prepareLinkJob(LinkJob &job, llvm::ArrayRef<const char *> args);

/// Applies --memory-limit and --time-limit. Returns false after an error, which
/// is reported. Defined in Confinement.cpp.
bool takeLimits(LinkJob &job);
/// Applies --sandbox. Returns false after an error, which is reported. Defined
/// in Confinement.cpp.
bool confine(LinkJob &job);

/// Does the work of readCommandLine() for a command line that is known to be
/// nvlink's. `words` are the arguments after the program's name. If
/// `isOtherOption` isn't null and holds for an option that nvlink doesn't have,
/// the command line is another program's.
bool readNvlinkCommandLine(LinkJob &job, llvm::ArrayRef<const char *> words,
                           bool (*isOtherOption)(llvm::StringRef) = nullptr);

/// Returns a report's path with '%a' replaced by the architecture.
std::string fillInArchitecture(llvm::StringRef path, llvm::StringRef arch);

/// Replaces '%a' in the paths of all reports by the link's architecture.
void nameReportsByArchitecture(Config &config);

/// What DeviceLink.cpp gives to a link that is part of a device link. All that
/// the pointers refer to must outlive the link.
struct LinkSurroundings {
  LinkProgress *progress = nullptr;          ///< As in LinkJob.
  report::Report *resources = nullptr;       ///< As in LinkJob.
  InputStore *store = nullptr;               ///< As in LinkJob.
  llvm::function_ref<void()> onProgramStart; ///< As in LinkJob.
  unsigned threads = 0; ///< Used if the command line doesn't say how many.
  /// The process ends soon, so that what the link has built isn't destroyed.
  bool isLast = false;
  /// The link writes the file of --reproduce, although its other outputs stay
  /// in memory.
  bool reproduces = false;
  bool makesHostObject = false;   ///< As in LinkJob.
  bool wantsKernelFacts = true;   ///< As in LinkJob.
  bool isDefaultTarget = false;   ///< As in LinkJob.
  bool isOnStandardError = false; ///< As in LinkJob.
};
/// Performs a link that a program has requested through the library, or that is
/// part of a device link. The result has the messages and, with
/// OutputMode::Memory, the image.
LinkResult link(const LinkRequest &request,
                const LinkSurroundings &surroundings);

/// Carries out a command line, which begins with the program's name, and
/// returns the exit status. With `exitEarly` the process ends here with that
/// status, and memory isn't freed. With `disableOutput` no file is written.
int runCommandLine(llvm::ArrayRef<const char *> args, llvm::raw_ostream &out,
                   llvm::raw_ostream &err, bool exitEarly, bool disableOutput,
                   InputMode inputs);

/// Reads the environment variables that a link uses, except those about colours
/// (MessageOptions.cpp). The passes don't look at the environment themselves.
/// Defined in Environment.cpp.
Environment readEnvironment();
/// Returns the value of LLD_CUDA_FLAGS, arguments that are added to every
/// command line, or "" if the variable isn't set.
llvm::StringRef readEnvironmentFlags();

} // namespace lld::cuda

#endif
